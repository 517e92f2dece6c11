// SPDX-License-Identifier: BSD-3-Clause
// Functions that manifest.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/serve/escaped_line.hpp"
#include "prism/serve/manifest.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE Manifest::Manifest(std::string file, std::string_view text) : file_(std::move(file)) {
  if (!text.starts_with(magic)) fail(1, "is not the manifest of a saved model");
  if (text.substr(0, text.find('\n')).ends_with('\r')) {
    fail(1, "is corrupt: its lines end in CR LF, not LF; git's autocrlf converts them");
  }
  if (text.size() > max_size)
    fail(0, "is longer than 1 MiB, the maximum for the manifest of a saved model");
  std::size_t line_number = 0;
  std::string_view left = text;
  bool summed = false;
  while (!left.empty()) {
    if (++line_number > max_lines)
      fail(line_number, "exceeds the maximum of 4096 lines for a manifest");
    const std::size_t end = left.find('\n');
    if (end == std::string_view::npos)
      fail(line_number, "is truncated: its last line has no line break");
    if (summed) fail(line_number, "has lines after its checksum");
    const std::string_view line = left.substr(0, end);
    const std::string_view before = text.substr(0, text.size() - left.size());
    left.remove_prefix(end + 1);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) fail(line_number, "has a line without \": \"");
    const std::string name(line.substr(0, colon));
    const auto value = unescaped_line(line.substr(colon + 2));
    if (!value)
      fail(line_number, "has an invalid escape; the valid ones are \\n, \\r, \\t and \\\\");
    if (find(name)) fail(line_number, "has " + name + " twice");
    if (name == "checksum") {
      summed = true;
      if (*value != hexadecimal(sum_of(before))) {
        fail(line_number, "is corrupt: its checksum does not match");
      }
      continue;
    }
    if (line_number > 1) {
      lines_.emplace_back(name, *value);
    } else if (*value != version) {
      fail(1, "has version " + *value + "; this library reads version " + version);
    }
  }
  if (!summed) fail(line_number, "is truncated: it has no checksum");
}

PRISM_INLINE FileEntry Manifest::file(const std::string& name) const {
  const std::string& value = text("file " + name);
  FileEntry entry;
  const char* const end = value.data() + value.size();
  const auto size = std::from_chars(value.data(), end, entry.size);
  const bool spaced = size.ec == std::errc() && size.ptr != end && *size.ptr == ' ';
  const auto sum = std::from_chars(spaced ? size.ptr + 1 : end, end, entry.checksum, 16);
  if (!spaced || sum.ec != std::errc() || sum.ptr != end) {
    fail(0, "has no valid size and checksum for " + name);
  }
  return entry;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
