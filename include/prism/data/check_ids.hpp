// SPDX-License-Identifier: BSD-3-Clause
// Whether the ids that were read from a file are those of users and items.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/missing_ids.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Whether so few ids of so many lines may be the values of a kind of feedback or of a label: one
/// word; up to five words in 100 lines; 0 and 1, or -1 and 1.
[[nodiscard]] inline bool are_categories(const Ids& ids, std::size_t lines) {
  if (ids.size() > 5 || lines < 3) return false;
  bool words = true, labels = true;
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string_view id = ids[row];
    words &= !has_digit(id);
    labels &= id == "0" || id == "1" || id == "-1";
  }
  return (words && (ids.size() == 1 || lines >= 100)) || (labels && ids.size() == 2 && lines >= 20);
}

/// Whether each id is the number after the one before.
[[nodiscard]] inline bool count_up(const Ids& ids) {
  std::size_t last = 0;
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string_view id = ids[row];
    std::size_t number = 0;
    const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
    if (read.ec != std::errc() || read.ptr != id.data() + id.size()) return false;
    if (row > 0 && number != last + 1) return false;
    last = number;
  }
  return true;
}

/// Checks columns of a training set that were taken for users or items by their position alone, of
/// three or more columns.
/// @param lines  the number of interactions, none of which was left out
/// @returns  what is doubtful
/// @throws DataError  if a column has a value of its own in every line of many: a number that grows
///     by 1, or another value
[[nodiscard]] inline std::vector<std::string> check_other_columns(const std::string& file,
                                                                  const FileLayout& layout,
                                                                  const Ids& users,
                                                                  const Ids& items,
                                                                  std::size_t lines) {
  const auto in_words = [&](std::size_t column, const char* what, const std::string& problem) {
    return "column " + std::to_string(column) + " (from 0), taken as the " + what + " column, " +
           problem + "; use the options user and item to choose the columns";
  };
  const std::string own_value =
      "has a value of its own in every line, which may be the number of the line or of an event";
  // A test set of one line for each user looks like that too; its ratings and times tell.
  if (layout.user_by_position && users.size() == lines && !layout.rated_and_timed) {
    if (lines > 20 && count_up(users)) {
      throw DataError(file, 0,
                      in_words(layout.user, "user",
                               "has numbers that grow by 1 from line to line, which may be the "
                               "lines' numbers"));
    }
    if (lines >= 1000) throw DataError(file, 0, in_words(layout.user, "user", own_value));
  }
  // A few users may have different items.
  if (layout.item_by_position && lines >= 1000 && users.size() > 2 && items.size() == lines) {
    throw DataError(file, 0, in_words(layout.item, "item", own_value));
  }
  std::vector<std::string> doubts;
  const auto doubt = [&](std::size_t column, const char* what, const Ids& ids) {
    if (!are_categories(ids, lines)) return;
    doubts.push_back(
        in_words(column, what,
                 (ids.size() == 1 ? "has only the value " : "has only a few values such as ") +
                     excerpt(ids[0]) + ", which may be a kind of feedback"));
  };
  if (layout.user_by_position) doubt(layout.user, "user", users);
  if (layout.item_by_position) doubt(layout.item, "item", items);
  return doubts;
}

/// The shortest spelling of a whole number: "7" of "7.0", "007" and "+7", "1234" of "1,234". Empty
/// for other texts, and for those that are their own.
[[nodiscard]] inline std::string whole_number(std::string_view text) {
  const std::string_view all = text;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (const std::size_t point = text.find('.'); point != text.npos) {
    if (text.find_first_not_of('0', point + 1) != text.npos) return {};
    text = text.substr(0, point);
  }
  std::string digits;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool thousands = text[k] == ',' && k > 0 && (text.size() - k) % 4 == 0;
    if (thousands) continue;
    if (text[k] < '0' || text[k] > '9') return {};
    digits += text[k];
  }
  digits.erase(0,
               std::min(digits.find_first_not_of('0'), digits.size() - (digits.empty() ? 0 : 1)));
  return digits == all ? std::string() : digits;
}

/// What is doubtful about the ids of users or of items; empty if nothing is.
/// @param what  "user" or "item"
[[nodiscard]] inline std::vector<std::string> warnings_about(const Ids& ids, const char* what) {
  std::vector<std::string> warnings;
  std::size_t count = 0;
  std::string example;
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string_view id = ids[row];
    const bool may_be_other =
        id[0] == '0' || id[0] == '+' ||
        std::any_of(id.begin(), id.end(), [](char c) { return c == '.' || c == ','; });
    if (!may_be_other || id.size() > 30) continue;
    const std::string number = whole_number(id);
    if (number.empty() || ids.find(number) == absent) continue;
    if (count++ == 0) example = excerpt(number) + " and " + excerpt(id);
  }
  if (count > 0) {
    warnings.push_back(std::to_string(count) + (count == 1 ? " number is" : " numbers are") +
                       " spelled in two ways among the " + what + "s, such as " + example +
                       ", which count as different " + what + "s");
  }
  std::size_t numbers = 0, words = 0;
  example.clear();
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string_view id = ids[row];
    const bool number =
        std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
    numbers += number ? 1 : 0;
    if (number || has_digit(id)) continue;
    if (words++ == 0) example = excerpt(id);
  }
  if (words > 0 && numbers >= 9 * words) {
    warnings.push_back(std::to_string(words) + " " + what + (words == 1 ? " has" : "s have") +
                       " no digits, such as " + example +
                       ", and the others are numbers; the option missing_ids leaves out words that "
                       "are no ids, with drop_invalid");
    return warnings;
  }
  for (const std::string_view word : {"NULL", "null", "\\N", "nan", "NaN", "None", "NA", "N/A",
                                      "<NA>", "-", "--", "?", ".", "unknown", "missing"}) {
    if (ids.find(word) == absent) continue;
    warnings.push_back("there is the " + std::string(what) + " " + excerpt(word) +
                       ", which may stand for a missing one; the option missing_ids says whether "
                       "it does");
    break;
  }
  return warnings;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
