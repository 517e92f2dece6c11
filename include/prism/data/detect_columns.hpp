// SPDX-License-Identifier: BSD-3-Clause
// Finds the columns of users, items, ratings and times in a file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/check_columns.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/column_values.hpp"
#include "prism/data/date.hpp"
#include "prism/data/format.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/missing_ids.hpp"
#include "prism/data/number.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Chooses the columns by options, name and position, and has their first values checked.
class ColumnDetector {
 public:
  /// @param rows    the sample, with the header if there is one
  /// @param line    the header's line number, for messages
  /// @param part    the option for the test column; null: none
  ColumnDetector(const std::string& file, const SampleRows& rows, std::size_t line,
                 const ReadOptions& options, const Column* part)
      : file_(file), rows_(rows), line_(line), options_(options), part_(part) {}

  /// Sets the columns of a layout whose names and format are known.
  /// @param first  whether the file is the first one of its data set
  void detect(FileLayout& layout, bool first) const {
    const ColumnValues values(rows_, layout.header);
    const auto user = find_id(layout, options_.user, known_columns.user, "user");
    const auto item = find_id(layout, options_.item, known_columns.item, "item");
    layout.user = user ? *user : remaining_id(layout, item, 0, "user");
    layout.item = item ? *item : remaining_id(layout, user, 1, "item");
    require(layout.user != layout.item, "item", "must not be the same column as user");
    const bool several = rows_[0].fields.size() >= 3 && !layout.matrix && !layout.konect;
    layout.user_by_position = several && !user && (layout.names.empty() || !item);
    layout.item_by_position = several && !item && (layout.names.empty() || !user);
    layout.rated_and_timed = layout.names.empty() && rows_[0].fields.size() == 4 &&
                             values.all(2, ColumnValues::is_low) && values.has_times(3);
    if (options_.min_rating && (options_.require_rating || has_rating(layout, values))) {
      const std::size_t rating = find_rating(layout);
      require(rating != layout.user && rating != layout.item, "rating",
              "must not be the same column as user or item");
      layout.rating = rating;
    }
    if (part_ != nullptr) {
      const std::size_t part = place(layout.names, *part_, "test_column");
      require(part != layout.user && part != layout.item && part != layout.rating, "test_column",
              "must not be the same column as user, item or rating");
      layout.part = part;
    }
    find_time(layout, values);
    layout.missing_users = missing_ids_of(values, layout.user);
    layout.missing_items = missing_ids_of(values, layout.item);
    ColumnChecker(file_, rows_, values, options_).check(layout, first && options_.training);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(file_, line_, problem);
  }

  /// The column that the option chooses, or the only one with a known name.
  template <std::size_t N>
  std::optional<std::size_t> find_id(const FileLayout& layout, const std::optional<Column>& chosen,
                                     const std::array<std::string_view, N>& known,
                                     const char* option) const {
    if (chosen) return place(layout.names, *chosen, option);
    const std::vector<std::size_t> found = find_known(layout.names, known);
    if (found.size() == 1) return found[0];
    if (found.size() > 1) {
      fail("more than one column may be the " + std::string(option) + " column: " +
           layout.names[found[0]] + " and " + layout.names[found[1]] + use(option, layout));
    }
    if (layout.format == Format::recbole) return place(layout.names, std::string(known[0]), option);
    return std::nullopt;
  }

  /// The column of ids that has no known name: by position, unless the other column of ids was
  /// found elsewhere than at its own; then columns are in any order, and it is the only one left.
  std::size_t remaining_id(const FileLayout& layout, const std::optional<std::size_t>& other,
                           std::size_t position, const char* option) const {
    const std::vector<std::string>& names = layout.names;
    if (names.empty()) return position;
    const std::string problem = "no column has a known name for the " + std::string(option);
    if (!other) {
      if (position < names.size() && (names[position].empty() || is_no_id(names[position]))) {
        fail(problem + ", and column " + std::to_string(position) + " is '" + names[position] +
             "'" + use(option, layout));
      }
      return position;
    }
    std::vector<std::size_t> left;
    for (std::size_t column = 0; column < names.size(); ++column) {
      const bool known = is_no_id(names[column]) || is_known(names[column], known_columns.user) ||
                         is_known(names[column], known_columns.item);
      if (column != other && !names[column].empty() && !known &&
          !is_chosen_otherwise(layout, column)) {
        left.push_back(column);
      }
    }
    if (*other == 1 - position && std::ranges::count(left, position) == 1) return position;
    if (*other == 1 - position || left.size() != 1) fail(problem + use(option, layout));
    return left[0];
  }

  /// Whether an option chooses the column for something that is no id.
  bool is_chosen_otherwise(const FileLayout& layout, std::size_t column) const {
    const auto chooses = [&](const Column& chosen) {
      const int* const number = std::get_if<int>(&chosen);
      return number != nullptr ? *number >= 0 && static_cast<std::size_t>(*number) == column
                               : std::get<std::string>(chosen) == layout.names[column];
    };
    return (options_.rating && chooses(*options_.rating)) ||
           (options_.time && chooses(*options_.time)) || (part_ != nullptr && chooses(*part_));
  }

  /// What to do if a column is not found.
  static std::string use(const char* option, const FileLayout& layout) {
    return "; use the option " + std::string(option) + " to choose one of " + listed(layout.names);
  }

  std::size_t find_rating(const FileLayout& layout) const {
    if (options_.rating) return place(layout.names, *options_.rating, "rating");
    const std::vector<std::size_t> found = find_known(layout.names, known_columns.rating);
    if (found.size() == 1) return found[0];
    if (layout.format == Format::recbole)
      return place(layout.names, std::string("rating"), "rating");
    if (layout.names.empty()) return 2;
    fail(std::string(found.empty() ? "no column has a known name for the rating"
                                   : "more than one column may be the rating column") +
         "; use the option rating to choose one of " + listed(layout.names));
  }

  /// Whether the file has a rating column, or the options choose one.
  bool has_rating(const FileLayout& layout, const ColumnValues& values) const {
    if (options_.rating) return true;
    if (!layout.names.empty()) return !find_known(layout.names, known_columns.rating).empty();
    constexpr std::size_t column = 2;
    if (column == layout.user || column == layout.item) return false;
    std::size_t numbers = 0;
    for (std::size_t k = values.first_row(); k < rows_.size(); ++k) {
      if (column >= rows_[k].fields.size()) continue;
      const std::string& field = rows_[k].fields[column];
      numbers += options_.decimal_comma ? parse_decimal_comma(field).has_value()
                                        : ColumnValues::is_number(field);
    }
    const std::size_t rows = rows_.size() - values.first_row();
    const bool enough = options_.drop_invalid ? 2 * numbers > rows : numbers == rows;
    return rows > 0 && enough && !values.has_times(column) &&
           !values.all(column, ColumnValues::is_time);
  }

  void find_time(FileLayout& layout, const ColumnValues& values) const {
    const auto is_taken = [&](std::size_t column) {
      return column == layout.user || column == layout.item || column == layout.rating ||
             column == layout.part;
    };
    if (options_.time) {
      if (*options_.time == Column(no_column) || layout.order_as_time) return;
      layout.time = place(layout.names, *options_.time, "time");
      require(!is_taken(*layout.time), "time",
              "must not be the same column as user, item, rating or the test column");
    } else if (!layout.names.empty()) {
      for (const std::string_view name : known_columns.time) {
        for (std::size_t column = 0; column < layout.names.size() && !layout.time; ++column) {
          const bool same = plain_name(layout.names[column]) == plain_name(name);
          if (same && !is_taken(column)) layout.time = column;
        }
      }
    } else if (rows_[0].fields.size() == 4) {
      const bool third = !is_taken(2) && values.has_times(2) && values.all(3, ColumnValues::is_low);
      const std::size_t column = third ? 2 : 3;
      if (!is_taken(column) && values.has_times(column)) layout.time = column;
    }
    if (layout.time) {
      for (std::size_t k = values.first_row(); k < rows_.size(); ++k) {
        if (*layout.time >= rows_[k].fields.size()) continue;
        const std::string& field = rows_[k].fields[*layout.time];
        layout.dates = parse_date(field).has_value();
        layout.numeric_times = parse_number(field).has_value();
        if (layout.dates || layout.numeric_times) return;
      }
    }
  }

  [[nodiscard]] MissingIds missing_ids_of(const ColumnValues& values, std::size_t column) const {
    std::vector<std::string_view> ids;
    for (std::size_t k = values.first_row(); k < rows_.size(); ++k) {
      if (column < rows_[k].fields.size()) ids.push_back(rows_[k].fields[column]);
    }
    return missing_ids_among(ids, options_.missing_ids);
  }

  std::size_t place(const std::vector<std::string>& names, const Column& column,
                    const char* option) const {
    if (const int* const number = std::get_if<int>(&column)) {
      require(*number >= 0, option,
              "must be a column number of at least 0, not " + std::to_string(*number));
      return static_cast<std::size_t>(*number);
    }
    const auto found = std::ranges::find(names, std::get<std::string>(column));
    if (found == names.end()) {
      fail("no column is named '" + std::get<std::string>(column) + "' (option " + option +
           "); the columns are: " + listed(names));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  const std::string& file_;
  const SampleRows& rows_;
  std::size_t line_;
  const ReadOptions& options_;
  const Column* part_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
