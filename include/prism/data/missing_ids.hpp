// SPDX-License-Identifier: BSD-3-Clause
// Words in the place of ids that stand for a missing value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

[[nodiscard]] inline bool has_digit(std::string_view field) noexcept {
  return field.find_first_of("0123456789") != std::string_view::npos;
}

/// What databases, pandas, R and spreadsheets write for a missing value, in lower case.
inline constexpr std::array<std::string_view, 28> missing_words{
    "null",   "\\n",     "nan",       "none",    "na",      "n/a",    "<na>",
    "nil",    "nat",     "(null)",    "-nan",    "#n/a",    "<null>", "[null]",
    "#null!", "#value!", "undefined", "#ref!",   "#name?",  "<none>", "-",
    "--",     "?",       ".",         "unknown", "missing", "(none)", "(not set)"};

/// Whether a text is one of missing_words, in any case.
[[nodiscard]] inline bool is_missing_word(std::string_view text) noexcept {
  constexpr std::size_t longest = 9;
  if (text.empty() || text.size() > longest || (text[0] >= '0' && text[0] <= '9')) return false;
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::any_of(missing_words, [&](std::string_view word) {
    return std::ranges::equal(text, word, {}, lower);
  });
}

/// Whether a text is one of missing_words that may also be a name among words and titles.
[[nodiscard]] inline bool may_be_name(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 6> words{"-", "--", "?", ".", "unknown", "missing"};
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::any_of(
      words, [&](std::string_view word) { return std::ranges::equal(text, word, {}, lower); });
}

/// Which ids of a column stand for a missing value.
class MissingIds {
 public:
  /// None.
  MissingIds() = default;
  /// @param words        these; unset: missing_words
  /// @param coded        whether the column's other ids have digits. Without digits, "None" may be
  ///     a name, so missing_words do not apply
  /// @param numbers      whether they are numbers. Otherwise "unknown" may be a name
  MissingIds(std::optional<std::vector<std::string>> words, bool coded, bool numbers)
      : words_(words.value_or(std::vector<std::string>())),
        known_(!words && coded),
        numbers_(numbers) {}

  [[nodiscard]] bool contain(std::string_view id) const noexcept {
    if (known_) return is_missing_word(id) && (numbers_ || !may_be_name(id));
    return !words_.empty() && std::ranges::find(words_, id) != words_.end();
  }

 private:
  std::vector<std::string> words_ = {};
  bool known_ = false, numbers_ = false;
};

/// Which ids of a column stand for a missing value, given the first of them.
/// @param words  as ReadOptions::missing_ids
[[nodiscard]] inline MissingIds missing_ids_among(
    const std::vector<std::string_view>& ids,
    const std::optional<std::vector<std::string>>& words) {
  bool any = false, coded = true, numbers = true;
  for (const std::string_view id : ids) {
    if (id.empty() || is_missing_word(id)) continue;
    any = true;
    coded &= has_digit(id);
    numbers &= id.find_first_not_of("0123456789") == id.npos;
  }
  return {words, any && coded, numbers};
}

}  // namespace prism::inline PRISM_ISA::detail
