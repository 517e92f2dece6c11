// SPDX-License-Identifier: BSD-3-Clause
// The manifest of a saved model: lines of "name: value", and the size and checksum of each file.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/serve/escaped_line.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A file as a manifest lists it.
struct FileEntry {
  std::uint64_t size = 0;      ///< bytes
  std::uint64_t checksum = 0;  ///< Checksum of all bytes
};

/// "name: value" lines in a fixed order, each name once.
class Manifest {
 public:
  static constexpr std::string_view magic = "prism model: ";
  static constexpr std::size_t max_size = std::size_t{1} << 20;   // bytes; both limit the time and
  static constexpr std::size_t max_lines = std::size_t{1} << 12;  // memory for a damaged file

  Manifest() = default;

  /// @param file  its name in errors
  /// @throws DataError  if the text is not a manifest, or of another version, cut off or changed
  Manifest(std::string file, std::string_view text);

  /// @throws ArgumentError  if there is such a line already, or the name has a colon or line break
  void add(const std::string& name, const std::string& value) {
    require(name.find_first_of(":\r\n") == std::string::npos, "name",
            "must have no colon and no line break: " + name);
    require(!find(name), "name", "must not be the name of another line: " + name);
    lines_.emplace_back(name, value);
  }

  [[nodiscard]] const std::string* find(std::string_view name) const {
    for (const auto& [line_name, value] : lines_) {
      if (line_name == name) return &value;
    }
    return nullptr;
  }

  /// @throws DataError  if there is no such line
  [[nodiscard]] const std::string& text(std::string_view name) const {
    const std::string* const value = find(name);
    if (value == nullptr) fail(0, "has no line " + std::string(name));
    return *value;
  }

  /// @throws DataError  if there is no such line, or its value is not a number of this type
  template <class T>
  [[nodiscard]] T number(std::string_view name) const {
    const std::string& value = text(name);
    T result{};
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, result);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      fail(0, "has " + std::string(name) + ": " + value +
                  ", which is not a valid number for this line");
    }
    return result;
  }

  void add_file(const std::string& name, const FileEntry& entry) {
    add("file " + name, std::to_string(entry.size) + " " + hexadecimal(entry.checksum));
  }
  /// @throws DataError  if there is no such file
  [[nodiscard]] FileEntry file(const std::string& name) const;

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& lines() const noexcept {
    return lines_;
  }

  /// The text of the manifest, with its checksum.
  [[nodiscard]] std::string to_text() const {
    std::string text = std::string(magic) + version + "\n";
    for (const auto& [name, value] : lines_) text += name + ": " + escaped_line(value) + "\n";
    return text + "checksum: " + hexadecimal(sum_of(text)) + "\n";
  }

  /// @param line  0 for the whole file
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw DataError(file_, line, problem);
  }

 private:
  static constexpr const char* version = "1";  // incremented with each change of files or meaning

  [[nodiscard]] static std::uint64_t sum_of(std::string_view text) {
    Checksum sum;
    sum.add(text);
    return sum.value();
  }
  [[nodiscard]] static std::string hexadecimal(std::uint64_t number) {
    char digits[17];
    const auto end = std::to_chars(digits, digits + 16, number, 16).ptr;
    return {digits, end};
  }

  std::string file_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/serve/manifest.inl.hpp"
#endif
