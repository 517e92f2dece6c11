// SPDX-License-Identifier: BSD-3-Clause
// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Whether the bytes are well-formed UTF-8: no code point above 10FFFF, no surrogate, no overlong
/// encoding. Source: the Unicode Standard, table 3-7.
[[nodiscard]] inline bool is_utf8(std::string_view bytes) noexcept {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto byte = [&](std::size_t k) {
      return std::uint32_t{static_cast<unsigned char>(bytes[at + k])};
    };
    const std::uint32_t first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4) return false;
    if (bytes.size() - at < length) return false;
    std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xC0) != 0x80) return false;
      code = code << 6 | (byte(k) & 0x3F);
    }
    if (length == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) return false;
    if (length == 4 && (code < 0x1'0000 || code > 0x10'FFFF)) return false;
    at += length;
  }
  return true;
}

}  // namespace prism::inline PRISM_ISA::detail
