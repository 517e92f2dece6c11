// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a record of a file, in words that say what to do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/data/date.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/number.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// @param what     "the user", "an item"
/// @param problem  " is empty", " is missing: "
[[nodiscard]] inline std::string id_problem(const char* what, std::string_view id,
                                            const char* problem) {
  const bool is_word = std::string_view(problem) == " is missing: ";
  return what + std::string(problem) + (id.empty() ? "" : excerpt(id)) +
         "; set the option drop_invalid to leave out such lines" +
         (is_word
              ? ", or missing_ids to the words that stand for a missing id (none: this one is kept)"
              : "");
}

/// @param found  the number of the record's columns
[[nodiscard]] inline std::string too_few_columns(const FileLayout& layout, std::string_view record,
                                                 std::size_t found) {
  return "expected " + std::to_string(layout.columns_to_read()) + " columns or more, with the " +
         layout.last_to_read() + " in column " + std::to_string(layout.columns_to_read() - 1) +
         " (from 0), found " + std::to_string(found) + " in " + excerpt(record) +
         (layout.delimiter == "\\t" ? "; the option delimiter is a backslash and a t; pass a "
                                      "tab itself if that is meant"
                                    : "");
}

[[nodiscard]] inline std::string rating_problem(const FileLayout& layout, std::string_view field) {
  const bool comma = !layout.decimal_comma && parse_decimal_comma(field);
  return "the rating is not a finite number: " + excerpt(field) +
         (comma ? "; if it has a decimal comma, set the option decimal_comma; otherwise set "
                : "; set ") +
         "the option drop_invalid to leave out such lines";
}

[[nodiscard]] inline std::string time_problem(const FileLayout& layout, std::string_view field) {
  const char* const expected =
      layout.dates ? "a date such as 2011-03-14 or 2011-03-14T09:26:53Z, as the first time is"
      : layout.numeric_times ? "a finite number, as the first time is"
                             : "a finite number or a date such as 2011-03-14";
  return std::string("the time is not ") + expected + ": " + excerpt(field) +
         (has_unclear_month(field)
              ? ", of which either number may be the month; write dates as 1970-12-31"
          : has_slashes(field) ? "; write dates as 1970-12-31"
                               : "") +
         "; use the option time to choose the time column, or no_column if times are not needed, "
         "or drop_invalid to leave out such lines";
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
