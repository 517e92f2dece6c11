// SPDX-License-Identifier: BSD-3-Clause
// Finds the columns of users, items, ratings and times in a file.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/date.hpp"
#include "prism/data/detect_header.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/format.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/missing_ids.hpp"
#include "prism/data/number.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Chooses the columns by options, name and position, and checks their first values.
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
  void detect(Layout& layout, bool first) const {
    const auto user = find_id(layout, options_.user, known_columns.user, "user");
    const auto item = find_id(layout, options_.item, known_columns.item, "item");
    layout.user = user ? *user : remaining_id(layout, item, 0, "user");
    layout.item = item ? *item : remaining_id(layout, user, 1, "item");
    require(layout.user != layout.item, "item", "must not be the same column as user");
    const bool several = rows_[0].fields.size() >= 3 && !layout.matrix;
    layout.user_by_position = several && !user && (layout.names.empty() || !item);
    layout.item_by_position = several && !item && (layout.names.empty() || !user);
    if (options_.min_rating && (options_.require_rating || has_rating(layout))) {
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
    find_time(layout);
    check_ids(layout);
    if (first) refuse_line_numbers(layout);
    if (layout.user_by_position) refuse_events(layout, layout.user, "user");
    if (layout.item_by_position) refuse_events(layout, layout.item, "item");
    layout.missing_users = missing_ids_of(layout, layout.user);
    layout.missing_items = missing_ids_of(layout, layout.item);
    refuse_rounded_ids(layout, layout.user, "user");
    refuse_rounded_ids(layout, layout.item, "item");
    if (layout.rating && !options_.rating) refuse_times_as_ratings(*layout.rating, layout);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(file_, line_, problem);
  }

  /// The first row of the sample that is data.
  [[nodiscard]] std::size_t first_row(const Layout& layout) const { return layout.header ? 1 : 0; }

  /// Whether a property holds for a column's field in each row of data, and there is such a row.
  template <class Property>
  [[nodiscard]] bool all(const Layout& layout, std::size_t column, const Property& property) const {
    for (std::size_t k = first_row(layout); k < rows_.size(); ++k) {
      const std::vector<std::string>& fields = rows_[k].fields;
      if (column >= fields.size() || !property(fields[column])) return false;
    }
    return first_row(layout) < rows_.size();
  }

  /// The column that the option chooses, or the only one with a known name.
  template <std::size_t N>
  std::optional<std::size_t> find_id(const Layout& layout, const std::optional<Column>& chosen,
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
  std::size_t remaining_id(const Layout& layout, const std::optional<std::size_t>& other,
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
  bool is_chosen_otherwise(const Layout& layout, std::size_t column) const {
    const auto chooses = [&](const Column& chosen) {
      const int* const number = std::get_if<int>(&chosen);
      return number != nullptr ? *number >= 0 && static_cast<std::size_t>(*number) == column
                               : std::get<std::string>(chosen) == layout.names[column];
    };
    return (options_.rating && chooses(*options_.rating)) ||
           (options_.time && chooses(*options_.time)) || (part_ != nullptr && chooses(*part_));
  }

  /// What to do if a column is not found.
  static std::string use(const char* option, const Layout& layout) {
    return "; use the option " + std::string(option) + " to choose one of " + listed(layout.names);
  }

  std::size_t find_rating(const Layout& layout) const {
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
  bool has_rating(const Layout& layout) const {
    if (options_.rating) return true;
    if (!layout.names.empty()) return !find_known(layout.names, known_columns.rating).empty();
    constexpr std::size_t column = 2;
    return column != layout.user && column != layout.item && all(layout, column, is_number) &&
           !all(layout, column, is_time);
  }

  void find_time(Layout& layout) const {
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
      const bool third = !is_taken(2) && has_times(layout, 2) && all(layout, 3, is_low);
      const std::size_t column = third ? 2 : 3;
      if (!is_taken(column) && has_times(layout, column)) layout.time = column;
    }
    if (layout.time) {
      for (std::size_t k = first_row(layout); k < rows_.size(); ++k) {
        if (*layout.time >= rows_[k].fields.size()) continue;
        const std::string& field = rows_[k].fields[*layout.time];
        layout.dates = parse_date(field).has_value();
        layout.numeric_times = parse_number(field).has_value();
        if (layout.dates || layout.numeric_times) return;
      }
    }
  }

  /// @throws DataError  for id columns, chosen by position alone, that hold something else
  void check_ids(const Layout& layout) const {
    const auto refuse = [&](std::size_t column, const char* option, const std::string& what) {
      const std::string& value = rows_[first_row(layout)].fields[column];
      refuse_column(layout, column, option, what + " such as " + excerpt(value));
    };
    const auto is_date = [](const std::string& field) { return parse_date(field).has_value(); };
    const auto is_decimal = [](const std::string& field) {
      return field.find('.') != std::string::npos && parse_number(field).has_value();
    };
    const bool user_chosen = options_.user || !find_known(layout.names, known_columns.user).empty();
    const bool item_chosen = options_.item || !find_known(layout.names, known_columns.item).empty();
    const bool user_decimal = all(layout, layout.user, is_decimal);
    const bool item_decimal = all(layout, layout.item, is_decimal);
    if (!user_chosen && all(layout, layout.user, is_date)) refuse(layout.user, "user", "dates");
    if (!item_chosen && all(layout, layout.item, is_date)) refuse(layout.item, "item", "dates");
    if (layout.names.empty() && !options_.user && is_alone_in_times(layout, layout.user)) {
      refuse(layout.user, "user", "times in seconds since 1970");
    }
    if (layout.names.empty() && !options_.item && is_alone_in_times(layout, layout.item)) {
      refuse(layout.item, "item", "times in seconds since 1970");
    }
    if (!user_chosen && user_decimal && !item_decimal) {
      refuse(layout.user, "user", "numbers with a decimal point");
    }
    if (!item_chosen && item_decimal && !user_decimal) {
      refuse(layout.item, "item", "numbers with a decimal point");
    }
  }

  [[noreturn]] void refuse_column(const Layout& layout, std::size_t column, const char* option,
                                  const std::string& what) const {
    throw DataError(file_, rows_[first_row(layout)].line,
                    "column " + std::to_string(column) + " (from 0), taken as the " + option +
                        " column, has " + what +
                        "; use the options user and item to choose the columns");
  }

  /// @throws DataError  if the column of users, found by its position, counts the lines
  void refuse_line_numbers(const Layout& layout) const {
    const std::size_t begin = first_row(layout);
    if (!layout.user_by_position || rows_.size() < begin + 3) return;
    std::optional<std::size_t> last;
    for (std::size_t k = begin; k < rows_.size(); ++k) {
      if (rows_[k].fields.size() != rows_[begin].fields.size()) return;
      if (layout.user >= rows_[k].fields.size()) return;
      const std::string& field = rows_[k].fields[layout.user];
      std::size_t number = 0;
      const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
      if (read.ec != std::errc() || read.ptr != field.data() + field.size()) return;
      if (last && number != *last + 1) return;
      last = number;
    }
    refuse_column(layout, layout.user, "user",
                  "numbers that grow by 1 from line to line, which may be the lines' numbers");
  }

  /// @throws DataError  if the column of ids, found by its position, has names of events
  void refuse_events(const Layout& layout, std::size_t column, const char* option) const {
    const auto is_event = [](const std::string& field) {
      return is_known(field, known_columns.events);
    };
    if (!all(layout, column, is_event)) return;
    refuse_column(layout, column, option,
                  "kinds of feedback such as " + excerpt(rows_[first_row(layout)].fields[column]));
  }

  [[nodiscard]] MissingIds missing_ids_of(const Layout& layout, std::size_t column) const {
    std::vector<std::string_view> ids;
    for (std::size_t k = first_row(layout); k < rows_.size(); ++k) {
      if (column < rows_[k].fields.size()) ids.push_back(rows_[k].fields[column]);
    }
    return missing_ids_among(ids, options_.missing_ids);
  }

  /// However the column was chosen: different ids may have been rounded to the same number.
  /// @throws DataError  if the column has only numbers, one of them as in 1.23457E+11 or 1E+11;
  ///     12E5 may be an id
  void refuse_rounded_ids(const Layout& layout, std::size_t column, const char* option) const {
    if (!all(layout, column, is_number)) return;
    for (std::size_t k = first_row(layout); k < rows_.size(); ++k) {
      const std::string& field = rows_[k].fields[column];
      if (field.find_first_of("eE") == std::string::npos) continue;
      if (field.find_first_of(".+") == std::string::npos) continue;
      throw DataError(
          file_, rows_[k].line,
          "column " + std::to_string(column) + " (from 0), the " + option +
              " column, has numbers in scientific notation such as " + excerpt(field) +
              ", to which ids may have been rounded when the file was written; export the ids "
              "as text");
    }
  }

  /// Whether this is the only one of three or more columns that holds seconds since 1970, of 2001
  /// to 2033. Ids may be such numbers too, so many rows with different values are required.
  [[nodiscard]] bool is_alone_in_times(const Layout& layout, std::size_t column) const {
    const auto is_recent = [](const std::string& field) {
      return field.size() == 10 && field[0] == '1' &&
             field.find_first_not_of("0123456789") == std::string::npos;
    };
    const std::size_t columns = rows_[0].fields.size();
    if (rows_.size() < 6 || columns < 3 || !all(layout, column, is_recent)) return false;
    for (std::size_t other = 0; other < columns; ++other) {
      if (other != column && all(layout, other, is_recent)) return false;
    }
    std::set<std::string> values;
    for (const SampleRow& row : rows_) values.insert(row.fields[column]);
    return 2 * values.size() > rows_.size();
  }

  static bool is_number(const std::string& field) { return parse_number(field).has_value(); }

  /// Whether a field is a number that may be a rating, not a time.
  static bool is_low(const std::string& field) {
    const std::optional<double> number = parse_number(field);
    return number && *number >= -100 && *number <= 100;
  }

  /// Whether at least half of a column's values are dates, or seconds or milliseconds since 1970,
  /// of 1980 to 2100: then the others are times that are missing or invalid.
  [[nodiscard]] bool has_times(const Layout& layout, std::size_t column) const {
    constexpr double first = 315'532'800, last = 4'102'444'800;  // seconds
    std::size_t times = 0;
    for (std::size_t k = first_row(layout); k < rows_.size(); ++k) {
      if (column >= rows_[k].fields.size()) continue;
      const std::string& field = rows_[k].fields[column];
      const double number = parse_number(field).value_or(0);
      const bool is_recent =
          (number >= first && number < last) || (number >= 1000 * first && number < 1000 * last);
      times += is_recent || parse_date(field) ? 1 : 0;
    }
    return times > 0 && 2 * times >= rows_.size() - first_row(layout);
  }

  /// Whether a field is a date, or looks like seconds since 1970, from 1973 on.
  static bool is_time(const std::string& field) {
    const std::optional<double> number = parse_number(field);
    return (number && *number >= 1e8) || parse_date(field).has_value();
  }

  /// @throws DataError  if the column has times
  void refuse_times_as_ratings(std::size_t column, const Layout& layout) const {
    if (!all(layout, column, is_time)) return;
    const SampleRow& row = rows_[first_row(layout)];
    throw DataError(
        file_, row.line,
        "column " + std::to_string(column) +
            " (from 0), taken as the rating column, has times such as " +
            row.fields[column].substr(0, 60) +
            "; use the option rating to choose the rating column, which min_rating needs");
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
