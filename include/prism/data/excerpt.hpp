// SPDX-License-Identifier: BSD-3-Clause
// Excerpts of a file for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A field as quoted in an error message: a tab as \t, other control characters replaced.
[[nodiscard]] inline std::string excerpt(std::string_view field) {
  constexpr std::size_t max_length = 60;
  std::string text = "'";
  for (const char c : field.substr(0, max_length)) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '\t') {
      text += "\\t";
    } else {
      text += is_control ? '?' : c;
    }
  }
  text += field.size() > max_length ? "...'" : "'";
  return text;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
