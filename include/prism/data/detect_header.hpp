// SPDX-License-Identifier: BSD-3-Clause
// Whether the first record of a file names its columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/date.hpp"
#include "prism/data/format.hpp"
#include "prism/data/missing_ids.hpp"
#include "prism/data/number.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

[[nodiscard]] inline bool is_number_or_date(std::string_view field) {
  return parse_number(field).has_value() || parse_date(field).has_value();
}

/// What the sample tells about its first record.
enum class FirstRecord {
  names,
  data,
  numbering,  ///< 0, 1, 2 and so on, which may be pandas' names of columns
  mixed,      ///< a number, and the name of a column of users or of items
  unclear,
};

/// Whether the first record is 0, 1, ..., n - 1, of three or more columns, and the second is not of
/// user 0 or 1. In data with users in order it would be, so such data is not in doubt.
[[nodiscard]] inline bool begins_with_numbering(const SampleRows& rows) {
  const std::vector<std::string>& first = rows[0].fields;
  if (first.size() < 3 || rows.size() < 2 || rows[1].fields.empty()) return false;
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (first[column] != std::to_string(column)) return false;
  }
  return rows[1].fields[0] != "0" && rows[1].fields[0] != "1";
}

/// @param rows  at least one
[[nodiscard]] inline FirstRecord judge_first_record(const SampleRows& rows) {
  if (begins_with_numbering(rows)) return FirstRecord::numbering;
  const std::vector<std::string>& first = rows[0].fields;
  if (std::ranges::any_of(first, is_number_or_date)) {
    const bool user = !find_known(first, known_columns.user).empty();
    const bool item = !find_known(first, known_columns.item).empty();
    if (user && item) return FirstRecord::names;
    return user || item ? FirstRecord::mixed : FirstRecord::data;
  }
  const auto is_name = [](const std::string& field) {
    return is_known(field, known_columns.user) || is_known(field, known_columns.item) ||
           is_known(field, known_columns.rating) || is_known(field, known_columns.time);
  };
  if (std::ranges::any_of(first, is_name)) return FirstRecord::names;

  // Words above numbers, after the id columns: a rating or a time.
  for (std::size_t column = 2; rows.size() > 1 && column < first.size(); ++column) {
    const std::vector<std::string>& second = rows[1].fields;
    if (!first[column].empty() && column < second.size() && is_number_or_date(second[column])) {
      return FirstRecord::names;
    }
  }
  // In the columns of the ids.
  bool word_above_digits = rows.size() > 1, numbers = rows.size() > 1, code = false, again = false;
  for (std::size_t column = 0; column < std::min<std::size_t>(first.size(), 2); ++column) {
    bool digits_below = rows.size() > 1, numbers_below = rows.size() > 1;
    for (std::size_t row = 1; row < rows.size(); ++row) {
      if (column >= rows[row].fields.size()) continue;
      const std::string& field = rows[row].fields[column];
      digits_below &= has_digit(field);
      numbers_below &= is_number_or_date(field);
      again |= field == first[column];  // a name would not be repeated below
    }
    word_above_digits &= digits_below && !has_digit(first[column]);
    numbers &= numbers_below;
    code |= has_digit(first[column]);
  }
  if (word_above_digits) return FirstRecord::names;
  if (again || (code && !numbers)) return FirstRecord::data;
  return FirstRecord::unclear;
}

/// The number of columns of the rows below row 0; nullopt if they differ, or there are none.
/// @param tolerant  half of the rows may have other numbers
[[nodiscard]] inline std::optional<std::size_t> columns_below(const SampleRows& rows,
                                                              bool tolerant) {
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t k = 1; k < rows.size(); ++k) ++counts[rows[k].fields.size()];
  const auto most =
      std::ranges::max_element(counts, {}, &std::pair<const std::size_t, std::size_t>::second);
  if (most == counts.end() || most->first == 0) return std::nullopt;
  if (tolerant ? 2 * most->second < rows.size() - 1 : counts.size() > 1) return std::nullopt;
  return most->first;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
