// SPDX-License-Identifier: BSD-3-Clause
// Recognises the names of columns.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/format.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A name's ASCII letters in lower case, and its digits; non-ASCII characters are kept as they are.
[[nodiscard]] inline std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_other = static_cast<unsigned char>(c) >= 0x80;
    if (is_upper) plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || is_other) plain += c;
  }
  return plain;
}

/// Whether the name is one of a list of known_columns.
template <std::size_t N>
[[nodiscard]] bool is_known(std::string_view name, const std::array<std::string_view, N>& known) {
  const std::string plain = plain_name(name);
  for (const std::string_view each : known) {
    if (plain_name(each) == plain) return true;
  }
  return false;
}

/// The columns with the first of the known names, if there are any; or else all columns with a
/// known name.
template <std::size_t N>
[[nodiscard]] std::vector<std::size_t> find_known(const std::vector<std::string>& names,
                                                  const std::array<std::string_view, N>& known) {
  std::vector<std::size_t> first, all;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (plain_name(names[column]) == plain_name(known[0])) first.push_back(column);
    if (is_known(names[column], known)) all.push_back(column);
  }
  return first.empty() ? all : first;
}

/// Whether a name is known for a column that is neither a user nor an item.
[[nodiscard]] inline bool is_no_id(std::string_view name) {
  return is_known(name, known_columns.rating) || is_known(name, known_columns.time) ||
         is_known(name, known_columns.other);
}

/// The names as one text, for messages.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
