// SPDX-License-Identifier: BSD-3-Clause
// Lines that programs write around and below a table: rows without values, footers, DOS's
// end-of-file mark.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/data/field_splitter.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A line without a carriage return at its end.
[[nodiscard]] inline std::string_view without_return(std::string_view line) noexcept {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Whether a line has only spaces and tabs.
[[nodiscard]] inline bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// A record without byte order marks at its beginning, and without a carriage return and DOS's
/// end-of-file marks (Ctrl-Z) at its end.
[[nodiscard]] inline std::string_view record_text(std::string_view whole) noexcept {
  while (whole.ends_with('\x1A')) whole.remove_suffix(1);
  return without_mark(without_return(whole));
}

/// Whether all fields are empty.
[[nodiscard]] inline bool has_no_value(const FieldSplitter& fields) noexcept {
  return std::all_of(fields.begin(), fields.end(), [](std::string_view f) { return f.empty(); });
}

/// Whether a record is the number of rows that a database's client writes below a table, such as
/// "(2 rows affected)", "(1 row)", "2 rows in set (0.00 sec)" or "2 rows selected.".
[[nodiscard]] inline bool is_footer(std::string_view record) noexcept {
  record = trimmed(record);
  const bool bracket = record.starts_with('(');
  if (bracket) record.remove_prefix(1);
  const std::size_t digits = record.find_first_not_of("0123456789");
  if (digits == 0 || digits == record.npos) return false;
  record.remove_prefix(digits);
  const auto take = [&](std::string_view word) {
    if (!record.starts_with(word)) return false;
    record.remove_prefix(word.size());
    return true;
  };
  if (!take(" row") && !take(" record")) return false;
  (void)(take("(s)") || take("s"));
  if (record.empty() || record == "." || (bracket && record == ")")) return true;
  constexpr std::array<std::string_view, 7> endings{
      " affected", " selected", " in set", " returned", " fetched", " exported", " retrieved"};
  return std::any_of(endings.begin(), endings.end(), take);
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
