// SPDX-License-Identifier: BSD-3-Clause
// Reads interactions from files: MovieLens, CSV, TSV, LightGCN's adjacency lists, RecBole; plain or
// gzip.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/format.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/line_reader.hpp"
#include "prism/data/number.hpp"

namespace prism::inline PRISM_ISA {

/// Two parts of one data set: the same users, items and ids.
struct TrainTest {
  Interactions train;
  Interactions test;
};

/// Interactions with this value in the column are the test part, as in user<tab>item<tab>0/1.
struct TestColumn {
  Column column = 2;
  std::string value = "1";
};

namespace detail {

/// A field as quoted in an error message, with control characters replaced.
[[nodiscard]] inline std::string excerpt(std::string_view field) {
  constexpr std::size_t max_length = 60;
  std::string text = "'";
  text += field.substr(0, max_length);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  text += field.size() > max_length ? "...'" : "'";
  return text;
}

/// Reads files into parts of one data set.
class PartsReader {
 public:
  struct Part {
    std::vector<Interaction> pairs;
    std::vector<double> times;
  };

  explicit PartsReader(const ReadOptions& options) : options_(options) {
    require(!options.min_rating || is_finite(*options.min_rating), "min_rating",
            "must be a finite number");
  }

  /// Reads the file's interactions into `rest`, and those with the test column's value into `test`.
  void read(const std::filesystem::path& path, Part& rest, const TestColumn* column = nullptr,
            Part* test = nullptr) {
    const Layout layout =
        find_layout(path, options_, column == nullptr ? nullptr : &column->column);
    LineReader lines(path);
    if (layout.format == Format::adjacency) {
      read_lists(lines, rest);
    } else {
      read_columns(lines, layout, rest, column == nullptr ? "" : column->value, test);
    }
    if (rest.pairs.empty() && (test == nullptr || test->pairs.empty())) {
      lines.fail_whole(layout.rating
                           ? "holds no interaction that is rated " +
                                 format_number(*options_.min_rating) + " or higher in column " +
                                 std::to_string(*layout.rating) + " (from 0)"
                           : "holds no interactions");
    }
    if (test != nullptr && (rest.pairs.empty() || test->pairs.empty())) {
      lines.fail_whole("has " + std::string(test->pairs.empty() ? "no" : "every") +
                       " interaction in the test part, that is with " + excerpt(column->value) +
                       " in the test column");
    }
  }

  /// A part as Interactions, after all files have been read, when all ids are known.
  Interactions to_interactions(Part&& part) const {
    const Part taken = std::move(part);
    return {users_, items_, taken.pairs, taken.times};
  }

 private:
  void read_lists(LineReader& lines, Part& part) {
    while (lines.next()) {
      std::string_view rest = lines.line();
      if (rest.find('\t') != std::string_view::npos) {
        lines.fail("holds a tab; in adjacency lists, user and items are separated by spaces");
      }
      const std::string_view user_id = next_word(rest);
      if (user_id.empty()) continue;
      const Index user = users_->intern(user_id);
      for (std::string_view id = next_word(rest); !id.empty(); id = next_word(rest)) {
        part.pairs.push_back({user, items_->intern(id)});
      }
    }
  }

  /// Removes the next word from `rest`; empty if there is none.
  static std::string_view next_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    return word;
  }

  void read_columns(LineReader& lines, const Layout& layout, Part& rest,
                    std::string_view test_value, Part* test) {
    FieldSplitter fields(layout.delimiter);
    const std::size_t columns = layout.columns_to_read();
    if (layout.header && !lines.next()) return;
    while (lines.next()) {
      if (!fields.split(lines.line(), columns)) {
        lines.fail("a quoted field does not end in a quote and a delimiter on its line");
      }
      if (fields.size() < columns) {
        lines.fail("expected " + std::to_string(columns) + " columns or more, found " +
                   std::to_string(fields.size()) + " in " + excerpt(lines.line()));
      }
      if (layout.rating && number(lines, fields[*layout.rating], "rating") < *options_.min_rating) {
        continue;
      }
      const std::string_view user = fields[layout.user];
      const std::string_view item = fields[layout.item];
      if (user.empty()) lines.fail("the user is empty");
      if (item.empty()) lines.fail("the item is empty");
      Part& part = layout.part && fields[*layout.part] == test_value ? *test : rest;
      part.pairs.push_back({users_->intern(user), items_->intern(item)});
      if (layout.time) part.times.push_back(number(lines, fields[*layout.time], "time"));
    }
  }

  static double number(const LineReader& lines, std::string_view field, const char* what) {
    const std::optional<double> value = parse_number(field);
    if (!value) {
      lines.fail("the " + std::string(what) + " is not a finite number: " + excerpt(field));
    }
    return *value;
  }

  ReadOptions options_;
  std::shared_ptr<Ids> users_ = std::make_shared<Ids>();
  std::shared_ptr<Ids> items_ = std::make_shared<Ids>();
};

}  // namespace detail

/// Reads files that are parts of one data set; they share users, items and ids.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] inline std::vector<Interactions> read_parts(
    const std::vector<std::filesystem::path>& paths, const ReadOptions& options = {}) {
  detail::PartsReader reader(options);
  std::vector<detail::PartsReader::Part> parts(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) reader.read(paths[k], parts[k]);
  std::vector<Interactions> result;
  for (auto& part : parts) result.push_back(reader.to_interactions(std::move(part)));
  return result;
}

/// Reads a file of interactions, plain or gzip. Users and items are numbered in order of first
/// appearance, after min_rating; users of adjacency lists count even without items. A repeated
/// interaction counts once, at its earliest time.
/// @throws DataError      if the file cannot be read, its format is ambiguous, a line does not
///                        match it, or there are no interactions; the message names the file and
///                        the line
/// @throws ArgumentError  for incompatible options
[[nodiscard]] inline Interactions read_interactions(const std::filesystem::path& path,
                                                    const ReadOptions& options = {}) {
  return std::move(read_parts({path}, options).front());
}

/// Reads a data set published in two files.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] inline TrainTest read_train_test(const std::filesystem::path& train,
                                               const std::filesystem::path& test,
                                               const ReadOptions& options = {}) {
  std::vector<Interactions> parts = read_parts({train, test}, options);
  return {.train = std::move(parts[0]), .test = std::move(parts[1])};
}

/// Reads a data set published in one file with a column for the part.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] inline TrainTest read_train_test(const std::filesystem::path& path,
                                               const TestColumn& column,
                                               const ReadOptions& options = {}) {
  detail::PartsReader reader(options);
  detail::PartsReader::Part train, test;
  reader.read(path, train, &column, &test);
  return {.train = reader.to_interactions(std::move(train)),
          .test = reader.to_interactions(std::move(test))};
}

}  // namespace prism::inline PRISM_ISA
