// SPDX-License-Identifier: BSD-3-Clause
// Whether the columns that were found in a file hold what they were taken for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/column_values.hpp"
#include "prism/data/date.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/format.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/number.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Checks the first values of columns.
class ColumnChecker {
 public:
  ColumnChecker(const std::string& file, const SampleRows& rows, const ColumnValues& values,
                const ReadOptions& options)
      : file_(file), rows_(rows), values_(values), options_(options) {}

  /// @param training  whether the file is a training set
  /// @throws DataError  if a column holds something else
  void check(const FileLayout& layout, bool training) const {
    refuse_empty(layout, layout.user, "user");
    refuse_empty(layout, layout.item, "item");
    check_ids(layout);
    if (training && layout.user_by_position) refuse_events(layout, layout.user, "user");
    if (training && layout.item_by_position) refuse_events(layout, layout.item, "item");
    refuse_rounded_ids(layout.user, "user");
    refuse_rounded_ids(layout.item, "item");
    if (layout.rating && !options_.rating) refuse_times_as_ratings(*layout.rating);
  }

 private:
  /// @throws DataError  if the column is empty in every row
  void refuse_empty(const FileLayout& layout, std::size_t column, const char* option) const {
    const auto is_empty = [](const std::string& field) { return field.empty(); };
    if (!values_.all(column, is_empty) || layout.delimiter.size() != 1) return;
    const SampleRow& row = rows_[values_.first_row()];
    const std::string twice = layout.delimiter + layout.delimiter;
    const bool runs = row.text.find(twice) != std::string::npos;
    const std::string advice =
        layout.delimiter == "\t"
            ? "; if any number of tabs separates columns, set the option delimiter to a space, "
              "which matches them, or to as many tabs"
            : "; if columns are separated by " + excerpt(twice) +
                  ", set the option delimiter to it";
    throw DataError(file_, row.line,
                    "the " + std::string(option) + " is empty in column " + std::to_string(column) +
                        " (from 0) of every line" + (runs ? advice : "") +
                        "; use the options user and item to choose other columns");
  }

  /// @throws DataError  for id columns, chosen by position alone, that hold something else
  void check_ids(const FileLayout& layout) const {
    const auto refuse = [&](std::size_t column, const char* option, const std::string& what) {
      const std::string& value = rows_[values_.first_row()].fields[column];
      refuse_column(column, option, what + " such as " + excerpt(value));
    };
    const auto is_date = [](const std::string& field) { return parse_date(field).has_value(); };
    const auto is_decimal = [](const std::string& field) {
      return field.find('.') != std::string::npos && parse_number(field).has_value();
    };
    const bool user_chosen = options_.user || !find_known(layout.names, known_columns.user).empty();
    const bool item_chosen = options_.item || !find_known(layout.names, known_columns.item).empty();
    const bool user_decimal = values_.all(layout.user, is_decimal);
    const bool item_decimal = values_.all(layout.item, is_decimal);
    if (!user_chosen && values_.all(layout.user, is_date)) refuse(layout.user, "user", "dates");
    if (!item_chosen && values_.all(layout.item, is_date)) refuse(layout.item, "item", "dates");
    if (layout.names.empty() && !options_.user && is_alone_in_times(layout.user)) {
      refuse(layout.user, "user", "times in seconds since 1970");
    }
    if (layout.names.empty() && !options_.item && is_alone_in_times(layout.item)) {
      refuse(layout.item, "item", "times in seconds since 1970");
    }
    if (!user_chosen && user_decimal && !item_decimal) {
      refuse(layout.user, "user", "numbers with a decimal point");
    }
    if (!item_chosen && item_decimal && !user_decimal) {
      refuse(layout.item, "item", "numbers with a decimal point");
    }
  }

  [[noreturn]] void refuse_column(std::size_t column, const char* option,
                                  const std::string& what) const {
    throw DataError(file_, rows_[values_.first_row()].line,
                    "column " + std::to_string(column) + " (from 0), taken as the " + option +
                        " column, has " + what +
                        "; use the options user and item to choose the columns");
  }

  /// @throws DataError  if the column of ids, found by its position, has names of events: several,
  ///     or one in many lines, and a later column may have the ids
  void refuse_events(const FileLayout& layout, std::size_t column, const char* option) const {
    const auto is_event = [](const std::string& field) {
      return is_known(field, known_columns.events);
    };
    if (!values_.all(column, is_event)) return;
    std::set<std::string> words;
    for (std::size_t k = values_.first_row(); k < rows_.size(); ++k) {
      words.insert(plain_name(rows_[k].fields[column]));
    }
    const std::size_t rows = rows_.size() - values_.first_row();
    if (rows < 4 || (words.size() == 1 && rows < 20)) return;
    bool ids_follow = false;
    for (std::size_t other = std::max(layout.user, layout.item) + 1;
         other < rows_[values_.first_row()].fields.size(); ++other) {
      ids_follow |= may_be_ids(other);
    }
    if (!ids_follow) return;
    refuse_column(
        column, option,
        "kinds of feedback such as " + excerpt(rows_[values_.first_row()].fields[column]));
  }

  /// Whether a column has neither times nor ratings alone.
  [[nodiscard]] bool may_be_ids(std::size_t column) const {
    const auto is_no_time = [](const std::string& field) {
      return !field.empty() && !ColumnValues::is_time(field);
    };
    const auto may_be_rating = [](const std::string& field) {
      const std::optional<double> number = parse_number(field);
      return number && *number >= -10 && *number <= 10;
    };
    return values_.all(column, is_no_time) && !values_.all(column, may_be_rating);
  }

  /// However the column was chosen: different ids may have been rounded to the same number.
  /// @throws DataError  if the column has only numbers, one of them as in 1.23457E+11 or 1E+11;
  ///     12E5 may be an id
  void refuse_rounded_ids(std::size_t column, const char* option) const {
    if (!values_.all(column, ColumnValues::is_number)) return;
    for (std::size_t k = values_.first_row(); k < rows_.size(); ++k) {
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
  [[nodiscard]] bool is_alone_in_times(std::size_t column) const {
    const auto is_recent = [](const std::string& field) {
      return field.size() == 10 && field[0] == '1' &&
             field.find_first_not_of("0123456789") == std::string::npos;
    };
    const std::size_t columns = rows_[0].fields.size();
    if (rows_.size() < 6 || columns < 3 || !values_.all(column, is_recent)) return false;
    for (std::size_t other = 0; other < columns; ++other) {
      if (other != column && values_.all(other, is_recent)) return false;
    }
    std::set<std::string> values;
    for (const SampleRow& row : rows_) values.insert(row.fields[column]);
    return 2 * values.size() > rows_.size();
  }

  /// @throws DataError  if the column has times
  void refuse_times_as_ratings(std::size_t column) const {
    if (!values_.all(column, ColumnValues::is_time)) return;
    const SampleRow& row = rows_[values_.first_row()];
    throw DataError(
        file_, row.line,
        "column " + std::to_string(column) +
            " (from 0), taken as the rating column, has times such as " +
            row.fields[column].substr(0, 60) +
            "; use the option rating to choose the rating column, which min_rating needs");
  }

  const std::string& file_;
  const SampleRows& rows_;
  const ColumnValues& values_;
  const ReadOptions& options_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
