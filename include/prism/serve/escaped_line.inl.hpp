// SPDX-License-Identifier: BSD-3-Clause
// Functions that escaped_line.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/serve/escaped_line.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE std::string escaped_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const std::size_t which = escaped_characters.find(c);
    if (which == std::string_view::npos) {
      line += c;
    } else {
      line += {'\\', escape_letters[which]};
    }
  }
  return line;
}

PRISM_INLINE std::optional<std::string> unescaped_line(std::string_view line) {
  std::string text;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != '\\') {
      text += line[k];
      continue;
    }
    if (++k == line.size()) return std::nullopt;
    const std::size_t which = escape_letters.find(line[k]);
    if (which == std::string_view::npos) return std::nullopt;
    text += escaped_characters[which];
  }
  return text;
}

PRISM_INLINE std::string id_lines(const Ids& ids) {
  std::string lines;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    lines += escaped_line(ids[static_cast<Index>(row)]) + '\n';
  }
  return lines;
}

}  // namespace prism::inline PRISM_ISA::detail
