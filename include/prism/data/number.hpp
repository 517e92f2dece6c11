// SPDX-License-Identifier: BSD-3-Clause
// Parses numbers in text, independently of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Parses a finite number, ignoring spaces around it; nullopt if the text is not one.
[[nodiscard]] inline std::optional<double> parse_number(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  double number = 0;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
#else  // a standard library without from_chars for floating point
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  if (!(stream >> number) || stream.peek() != std::istringstream::traits_type::eof()) {
    return std::nullopt;
  }
#endif
  if (!is_finite(number)) return std::nullopt;
  return number;
}

/// Parses a finite number with a decimal comma, such as 4,5, or none; nullopt if the text is not
/// one.
[[nodiscard]] inline std::optional<double> parse_decimal_comma(std::string_view text) {
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  std::string with_point(text);
  if (const std::size_t comma = text.find(','); comma != text.npos) with_point[comma] = '.';
  return parse_number(with_point);
}

}  // namespace prism::inline PRISM_ISA::detail
