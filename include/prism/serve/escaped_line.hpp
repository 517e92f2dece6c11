// SPDX-License-Identifier: BSD-3-Clause
// Texts of any bytes, in files with one text per line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Any text as one line: line break, carriage return and backslash are written as \n, \r and \\.
[[nodiscard]] inline std::string escaped_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\r') {
      line += "\\r";
    } else if (c == '\\') {
      line += "\\\\";
    } else {
      line += c;
    }
  }
  return line;
}

/// The text of such a line; nullopt if a backslash is followed by anything else.
[[nodiscard]] inline std::optional<std::string> unescaped_line(std::string_view line) {
  std::string text;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != '\\') {
      text += line[k];
      continue;
    }
    if (++k == line.size()) return std::nullopt;
    if (line[k] == 'n') {
      text += '\n';
    } else if (line[k] == 'r') {
      text += '\r';
    } else if (line[k] == '\\') {
      text += '\\';
    } else {
      return std::nullopt;
    }
  }
  return text;
}

/// A file of ids: the id of row r in line r + 1, escaped.
[[nodiscard]] inline std::string id_lines(const Ids& ids) {
  std::string lines;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    lines += escaped_line(ids[static_cast<Index>(row)]) + '\n';
  }
  return lines;
}

}  // namespace prism::inline PRISM_ISA::detail
