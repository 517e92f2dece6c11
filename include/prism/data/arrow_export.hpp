// SPDX-License-Identifier: BSD-3-Clause
// Exports interactions and tables to Arrow, through the C data interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_build.hpp"
#include "prism/data/arrow_owned.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/utf8.hpp"

namespace prism::inline PRISM_ISA {

/// Options of export_arrow().
struct ArrowExportOptions {
  /// Exports the users and items of interactions as indices into a dictionary of distinct ids;
  /// false: as the ids themselves, row by row.
  bool dictionary = true;
  /// Exports ids as binary; otherwise as utf8, which they must be.
  bool binary = false;
};

namespace detail {

/// @throws ArgumentError  for an id that is not UTF-8, unless options.binary
inline void check_texts(const Ids& ids, const char* kind, const ArrowExportOptions& options) {
  if (options.binary) return;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    require(
        is_utf8(ids[static_cast<Index>(row)]), kind,
        "row " + std::to_string(row) +
            " has an id that is not valid UTF-8, as Arrow's strings must be; pass binary = true");
  }
}

/// The ids as a column.
[[nodiscard]] inline ArrowPart arrow_ids(std::string name, const Ids& ids, bool binary) {
  return arrow_texts(std::move(name), binary, ids.size(),
                     [&](std::size_t row) { return ids[static_cast<Index>(row)]; });
}

/// A column with the id of each row.
/// @param row_of  returns the row in `ids` of a row's id
template <class RowOf>
[[nodiscard]] ArrowPart arrow_id_column(const char* name, const Ids& ids, std::size_t count,
                                        const RowOf& row_of, const ArrowExportOptions& options) {
  if (!options.dictionary) {
    return arrow_texts(name, options.binary, count,
                       [&](std::size_t row) { return ids[row_of(row)]; });
  }
  const auto indices = [&]<class T>(T, const char* format) {
    TableVector<T> numbers(count);
    for (std::size_t row = 0; row < count; ++row) numbers[row] = static_cast<T>(row_of(row));
    return arrow_numbers(name, format, std::move(numbers), arrow_ids("", ids, options.binary));
  };
  // Signed, as the specification recommends for indices.
  return ids.size() <= std::size_t{std::numeric_limits<std::int32_t>::max()}
             ? indices(std::int32_t{}, "i")
             : indices(std::int64_t{}, "l");
}

inline void check_targets(const ArrowSchema* schema, const ArrowArray* batch) {
  require(schema != nullptr, "schema", "must not be null");
  require(batch != nullptr, "batch", "must not be null");
}

}  // namespace detail

/// Exports interactions as a record batch of columns "user" and "item", and "timestamp" (float64)
/// if they have times, ordered by (user, item). Everything is copied, so the batch may outlive the
/// interactions. No value is null.
/// @param schema, batch  are overwritten; the consumer calls their release callbacks
/// @throws ArgumentError  for an id that is not UTF-8, unless options.binary
/// Source: https://arrow.apache.org/docs/format/CDataInterface.html
inline void export_arrow(const Interactions& interactions, ArrowSchema* schema, ArrowArray* batch,
                         const ArrowExportOptions& options = {}) {
  detail::check_targets(schema, batch);
  const Ids& users = *interactions.user_ids();
  const Ids& items = *interactions.item_ids();
  detail::check_texts(users, "user_ids", options);
  detail::check_texts(items, "item_ids", options);
  const std::size_t count = interactions.size();
  std::vector<detail::ArrowPart> columns;
  columns.push_back(detail::arrow_id_column(
      "user", users, count, [&](std::size_t k) { return interactions[k].user; }, options));
  columns.push_back(detail::arrow_id_column(
      "item", items, count, [&](std::size_t k) { return interactions[k].item; }, options));
  if (!interactions.times().empty()) {
    const auto times = interactions.times();
    columns.push_back(
        detail::arrow_numbers("timestamp", "g", TableVector<double>(times.begin(), times.end())));
  }
  detail::ArrowPart whole = detail::arrow_batch(count, std::move(columns));
  whole.schema.move_to(schema);
  whole.array.move_to(batch);
}

/// Exports a table as a record batch of columns "id" (utf8) and "embedding" (a fixed-size list of
/// dim floats or doubles), row by row. The ids are copied; no value is null.
/// @param ids    one for each row
/// @param owner  owns the rows, which are not copied; it is kept until the batch is released. Null:
///     the rows are copied.
/// @param schema, batch  are overwritten; the consumer calls their release callbacks
/// @throws ArgumentError  unless there are as many ids as rows; for an id that is not UTF-8, unless
///     options.binary; for rows with more columns than an Arrow list can have
template <class T>
void export_arrow(Rows<const T> rows, const Ids& ids, ArrowSchema* schema, ArrowArray* batch,
                  std::shared_ptr<const void> owner = nullptr,
                  const ArrowExportOptions& options = {}) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  detail::check_targets(schema, batch);
  require(ids.size() == rows.size(), "ids",
          "must have one id for each of the " + std::to_string(rows.size()) + " rows, not " +
              std::to_string(ids.size()));
  require(rows.dim() <= std::size_t{std::numeric_limits<std::int32_t>::max()}, "rows",
          "have more columns than an Arrow list may have: " + std::to_string(rows.dim()));
  detail::check_texts(ids, "ids", options);
  const T* numbers = rows.data();
  if (owner == nullptr) {
    const auto copy =
        std::make_shared<const TableVector<T>>(numbers, numbers + rows.num_elements());
    numbers = copy->data();
    owner = copy;
  }
  std::vector<detail::ArrowPart> columns;
  columns.push_back(detail::arrow_ids("id", ids, options.binary));
  columns.push_back(detail::arrow_rows("embedding", numbers, rows.size(), rows.dim(), owner));
  detail::ArrowPart whole = detail::arrow_batch(rows.size(), std::move(columns));
  whole.schema.move_to(schema);
  whole.array.move_to(batch);
}

}  // namespace prism::inline PRISM_ISA
