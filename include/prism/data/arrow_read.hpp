// SPDX-License-Identifier: BSD-3-Clause
// Reads interactions from Arrow tables, through the C data interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_column.hpp"
#include "prism/data/arrow_owned.hpp"
#include "prism/data/arrow_schema.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/read_summary.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A batch's rows within the structure that holds its columns.
struct ArrowRows {
  std::int64_t first;  ///< where row 0 is in a column, before the column's own offset
  std::int64_t count;
  std::int64_t before;  ///< rows in earlier batches
};

/// A column's array in a batch.
[[nodiscard]] inline const ArrowArray& arrow_column(const ArrowField& field,
                                                    const ArrowArray& batch) {
  const ArrowArray* const array = batch.children[field.place];
  if (array == nullptr) fail_arrow(field.label + " has no array");
  if ((array->dictionary != nullptr) != field.dictionary.has_value()) {
    fail_arrow(field.label + (field.dictionary ? " has no dictionary, but its schema has one"
                                               : " has a dictionary, but its schema has none"));
  }
  return *array;
}

/// Caches the rows of ids met in one column, so that each id is looked up once and not in each row:
/// small integers, and a dictionary's words.
class ArrowKnownIds {
 public:
  /// Where the row of an integer or a word is cached, `absent` at first; null if it is not cached.
  [[nodiscard]] Index* place(std::int64_t value) {
    if (value < 0 || value >= most) return nullptr;
    const auto at = static_cast<std::size_t>(value);
    if (at >= known_.size()) known_.resize(at + 1 + at / 2, absent);
    return &known_[at];
  }

  /// Clears the cache if it is of another dictionary. The batch with the previous dictionary must
  /// not be released yet, so that equal addresses mean equal words.
  void use_dictionary(const ArrowArray& dictionary) {
    std::vector<const void*> buffers(dictionary.buffers, dictionary.buffers + dictionary.n_buffers);
    if (buffers == buffers_ && dictionary.offset == offset_) return;
    known_.clear();
    buffers_ = std::move(buffers);
    offset_ = dictionary.offset;
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 22;  // 24 MiB at most
  std::vector<Index> known_;
  std::vector<const void*> buffers_;
  std::int64_t offset_ = 0;
};

/// The ids in a column of a batch.
class ArrowIdColumn {
 public:
  ArrowIdColumn(const ArrowField& field, const ArrowArray& batch, const ArrowRows& rows,
                ArrowKnownIds& known)
      : values_(field.label, field.type, arrow_column(field, batch), rows.first, rows.count,
                rows.before),
        known_(known) {
    if (!field.dictionary) return;
    const ArrowArray& dictionary = *arrow_column(field, batch).dictionary;
    words_label_ = "the dictionary of " + field.label;
    ArrowValues::check_array(dictionary, words_label_);
    words_.emplace(words_label_, *field.dictionary, dictionary, 0, dictionary.length, 0);
    known_.use_dictionary(dictionary);
  }

  ArrowIdColumn(const ArrowIdColumn&) = delete;
  ArrowIdColumn& operator=(const ArrowIdColumn&) = delete;

  /// @throws DataError  for an index that is not in the dictionary
  [[nodiscard]] bool is_null(std::int64_t row) const {
    return values_.is_null(row) || (words_ && words_->is_null(word(row)));
  }

  /// Returns the id's row in `ids`, adding the id if it is new; the value must not be null.
  Index intern(std::int64_t row, Ids& ids) {
    if (!words_ && values_.type().is_text()) return ids.intern(checked(row, values_.text(row)));
    const std::int64_t value = words_ ? word(row) : values_.integer(row);
    Index* const known = known_.place(value);
    if (known != nullptr && *known != absent) return *known;
    const Index index = ids.intern(checked(row, words_ ? words_->text(value) : values_.text(row)));
    if (known != nullptr) *known = index;
    return index;
  }

  [[noreturn]] void fail(std::int64_t row, const std::string& problem) const {
    values_.fail(row, problem);
  }

 private:
  /// The position of the row's id in the dictionary.
  [[nodiscard]] std::int64_t word(std::int64_t row) const {
    const std::int64_t at = values_.integer(row);
    if (at < 0 || at >= words_->rows()) {
      fail(row, "has " + (at < 0 ? "an invalid index" : "the index " + std::to_string(at)) +
                    " into a dictionary of length " + std::to_string(words_->rows()));
    }
    return at;
  }
  [[nodiscard]] std::string_view checked(std::int64_t row, std::string_view id) const {
    if (id.empty()) fail(row, "is an empty string, which is not a valid id");
    return id;
  }

  ArrowValues values_;
  std::string words_label_;           // in errors
  std::optional<ArrowValues> words_;  // of the dictionary
  ArrowKnownIds& known_;
};

/// Collects the interactions of batches.
class ArrowReader {
 public:
  ArrowReader(const ArrowSchema& schema, const ArrowReadOptions& options)
      : options_(options),
        columns_(schema.n_children),
        fields_(ArrowFieldFinder(schema).find(options)) {
    require(!options.min_rating || is_finite(*options.min_rating), "min_rating",
            "must be a finite number");
    summary_ = {.file = arrow_source,
                .format = std::nullopt,
                .delimiter = {},
                .user_column = fields_.user.column,
                .item_column = fields_.item.column,
                .rating_column = fields_.rating ? fields_.rating->column : "",
                .time_column = fields_.time ? fields_.time->column : "",
                .dates = fields_.time && fields_.time->type.is_date(),
                .order_as_time = options.time == Column(file_order),
                .min_rating = options.min_rating};
  }

  /// @throws DataError  for a batch that does not match its schema, nulls unless they are to be
  ///     dropped, empty ids, and numbers that are not finite
  void add(ArrowOwned<ArrowArray> owned) {
    const ArrowArray& batch = *owned;
    ArrowValues::check_array(batch, "the record batch");
    if (batch.n_children != columns_ || batch.children == nullptr) {
      fail_arrow("a record batch has " + std::to_string(batch.n_children) +
                 " columns, but its schema has " + std::to_string(columns_));
    }
    const unsigned char* const validity = ArrowValues::validity_of(batch, "the record batch");
    const ArrowRows rows{batch.offset, batch.length, before_};
    ArrowIdColumn user(fields_.user, batch, rows, known_users_);
    ArrowIdColumn item(fields_.item, batch, rows, known_items_);
    const auto rating = numbers(fields_.rating, batch, rows);
    const auto time = numbers(fields_.time, batch, rows);
    for (std::int64_t row = 0; row < rows.count; ++row) {
      if (validity != nullptr && !ArrowValues::bit(validity, rows.first + row)) {
        if (!drop()) user.fail(row, "the whole row is null; drop it, or pass ArrowNulls::drop");
        ++summary_.nulls;
        continue;
      }
      if (rating) {
        if (is_dropped(*rating, row)) continue;
        if (finite(*rating, row) < *options_.min_rating) {
          ++summary_.below_min_rating;
          continue;
        }
      }
      if (is_dropped(user, row) || is_dropped(item, row)) continue;
      if (time && is_dropped(*time, row)) continue;
      if (summary_.order_as_time) times_.push_back(static_cast<double>(pairs_.size()));
      pairs_.push_back({user.intern(row, *users_), item.intern(row, *items_)});
      if (time) times_.push_back(finite(*time, row));
    }
    before_ += rows.count;
    last_ = std::move(owned);
  }

  /// @throws DataError  if there are none
  [[nodiscard]] Interactions interactions() const {
    if (pairs_.empty()) {
      fail_arrow(options_.min_rating
                     ? "has no interaction rated " + format_number(*options_.min_rating) +
                           " or higher in " + fields_.rating->label
                     : "has no interactions");
    }
    return with_counts(Interactions(users_, items_, pairs_, times_), summary_, pairs_.size());
  }

 private:
  static std::optional<ArrowValues> numbers(const std::optional<ArrowField>& field,
                                            const ArrowArray& batch, const ArrowRows& rows) {
    if (!field) return std::nullopt;
    return ArrowValues(field->label, field->type, arrow_column(*field, batch), rows.first,
                       rows.count, rows.before);
  }

  [[nodiscard]] bool drop() const noexcept { return options_.nulls == ArrowNulls::drop; }

  /// Whether the row is left out because it has a null in the column; counts it if so.
  template <class Values>
  [[nodiscard]] bool is_dropped(const Values& column, std::int64_t row) {
    if (!column.is_null(row)) return false;
    if (!drop()) column.fail(row, "is null; fill or drop nulls, or pass ArrowNulls::drop");
    ++summary_.nulls;
    return true;
  }

  static double finite(const ArrowValues& column, std::int64_t row) {
    const double number = column.number(row);
    if (!is_finite(number)) column.fail(row, "is not a finite number");
    return number;
  }

  ArrowReadOptions options_;
  std::int64_t columns_;
  ArrowFields fields_;
  ReadSummary summary_;
  std::int64_t before_ = 0;  // rows in earlier batches
  std::shared_ptr<Ids> users_ = std::make_shared<Ids>();
  std::shared_ptr<Ids> items_ = std::make_shared<Ids>();
  ArrowKnownIds known_users_, known_items_;
  ArrowOwned<ArrowArray> last_;  // the previous batch, with the dictionaries of the known ids
  std::vector<Interaction> pairs_;
  std::vector<double> times_;
};

}  // namespace detail

/// Reads interactions from a stream of record batches, one batch at a time. The stream is released,
/// even if an exception is thrown. Each id is copied once, into the ids of the interactions.
///
/// Ids are integers of any width, which become their decimal digits, strings (utf8, large_utf8,
/// utf8_view, or binary), or a dictionary of these. Ratings are integers or floats. Times may also
/// be timestamps or dates, which become seconds since 1970. Users and items are numbered in order
/// of first appearance, after min_rating is applied; a repeated interaction counts once, at its
/// earliest time. The result's read_summary() says which columns were used, and how many rows were
/// left out.
///
/// A null user, item or time, or with min_rating a null rating, is an error unless options.nulls is
/// ArrowNulls::drop; a NaN rating always is.
///
/// The interface does not say how long a buffer is, so the producer is trusted that its buffers are
/// as long as lengths and offsets say.
/// @throws DataError      for a stream that fails, a column that is missing or of another type,
///     nulls, or data that violate the interface; the message names the column, its format and the
///     row
/// @throws ArgumentError  for options outside their domain, or a stream that was released
/// Source: https://arrow.apache.org/docs/format/CStreamInterface.html
[[nodiscard]] inline Interactions read_arrow(ArrowArrayStream* stream,
                                             const ArrowReadOptions& options = {}) {
  detail::ArrowOwned<ArrowArrayStream> source(stream);
  require(static_cast<bool>(source), "stream", "must not be null or released");
  ArrowArrayStream& from = *source.get();
  const auto check = [&](int error, const char* call) {
    if (error == 0) return;
    const char* const said = from.get_last_error == nullptr ? nullptr : from.get_last_error(&from);
    detail::fail_arrow(
        std::string("the stream's ") + call + " failed: " +
        (said == nullptr ? std::make_error_code(static_cast<std::errc>(error)).message() : said));
  };
  if (from.get_schema == nullptr || from.get_next == nullptr) {
    detail::fail_arrow("the stream has no get_schema or no get_next");
  }
  // Whatever a failed call has left in its output must not be released.
  ArrowSchema described{};
  check(from.get_schema(&from, &described), "get_schema");
  const detail::ArrowOwned<ArrowSchema> schema(&described);
  if (!schema) detail::fail_arrow("the stream has no schema");
  detail::ArrowReader reader(*schema, options);
  for (;;) {
    ArrowArray next{};
    check(from.get_next(&from, &next), "get_next");
    detail::ArrowOwned<ArrowArray> batch(&next);
    if (!batch) return reader.interactions();
    reader.add(std::move(batch));
  }
}

/// The same from one record batch, a struct array. Both structures are released, even if an
/// exception is thrown.
[[nodiscard]] inline Interactions read_arrow(ArrowSchema* schema, ArrowArray* batch,
                                             const ArrowReadOptions& options = {}) {
  const detail::ArrowOwned<ArrowSchema> description(schema);
  detail::ArrowOwned<ArrowArray> rows(batch);
  require(static_cast<bool>(description), "schema", "must not be null or released");
  require(static_cast<bool>(rows), "batch", "must not be null or released");
  detail::ArrowReader reader(*description, options);
  reader.add(std::move(rows));
  return reader.interactions();
}

}  // namespace prism::inline PRISM_ISA
