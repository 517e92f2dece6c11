// SPDX-License-Identifier: BSD-3-Clause
// Recognises files that are not tables of interactions by how they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/format.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Whether a text begins as a bzip2 file does: "BZh" alone may begin an id. The signature goes on
/// with the block size and the magic number of a block or, in an empty file, of its end.
[[nodiscard]] inline bool is_bzip2(std::string_view text) noexcept {
  if (!text.starts_with("BZh") || text.size() < 10 || text[3] < '1' || text[3] > '9') return false;
  const std::string_view magic = text.substr(4, 6);
  return magic == "1AY&SY" || magic == "\x17\x72\x45\x38\x50\x90";
}

/// Whether a text begins as a Parquet file does: "PAR1" alone may begin an id. The header of a
/// page, which follows, begins with binary numbers.
[[nodiscard]] inline bool is_parquet(std::string_view text) noexcept {
  if (!text.starts_with("PAR1")) return false;
  return std::ranges::any_of(text.substr(4, 8), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

/// What a file is that is not plain text, and what to do with it; nullopt for text.
[[nodiscard]] inline std::optional<std::string> binary_problem(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"PK\x03\x04"sv, "is a zip archive; unpack it first"},
      {"\xFD"
       "7zXZ"sv,
       "is an xz file; unpack it first"},
      {"\x28\xB5\x2F\xFD"sv, "is a zstd file; unpack it first"},
      {"7z\xBC\xAF"sv, "is a 7z archive; unpack it first"},
      {"\x1F\x8B"sv, "is a gzip file within a gzip file; unpack it first"},
      {"\x93NUMPY"sv, "is a NumPy array; save it as CSV"},
      {"\xFF\xFE\0\0"sv, "is text in UTF-32; convert it to UTF-8"},
      {"\0\0\xFE\xFF"sv, "is text in UTF-32; convert it to UTF-8"},
      {"\xFF\xFE"sv, "is text in UTF-16; convert it to UTF-8"},
      {"\xFE\xFF"sv, "is text in UTF-16; convert it to UTF-8"},
  };
  for (const auto& [magic, problem] : known) {
    if (text.starts_with(magic)) return problem;
  }
  if (is_bzip2(text)) return "is a bzip2 file; unpack it first";
  if (is_parquet(text)) return "is a Parquet file; save it as CSV";
  // A tar archive begins with 257 bytes of its first file's name, size and so on, zero-padded.
  constexpr std::size_t tar_magic = 257;
  if (text.size() > tar_magic && text.substr(tar_magic).starts_with("ustar") &&
      text.substr(0, tar_magic).find('\0') != std::string_view::npos) {
    return "is a tar archive; unpack it first";
  }
  return std::nullopt;
}

/// The first line of a text, without its line break and spaces around it.
[[nodiscard]] inline std::string_view first_line(std::string_view text) noexcept {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return trimmed(line);
}

/// What a text that begins with a brace or a bracket is.
[[nodiscard]] inline std::string bracket_problem(std::string_view text) {
  if (text.starts_with("{\\rtf")) return "is an RTF document; save its table as CSV";
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  const std::string_view values = text[0] == '{' ? "\"'{[}" : "\"'{[]-0123456789";
  if (next != std::string_view::npos && values.find(text[next]) != std::string_view::npos) {
    return "is JSON; save it as CSV, one line per interaction";
  }
  if (text[0] == '[' && first_line(text).ends_with(']')) {
    return "begins with a section, like an INI or TOML file, and is not a table of interactions";
  }
  return "begins with '" + std::string(1, text[0]) + "' and is not a table of interactions";
}

/// Whether one of the first lines shows that the text is an SQL dump of a table.
[[nodiscard]] inline bool is_sql(std::string_view text) noexcept {
  for (std::size_t line = 0; line < 64 && !text.empty(); ++line) {
    for (const std::string_view begin :
         {"INSERT INTO ", "insert into ", "CREATE TABLE ", "-- MySQL dump", "-- MariaDB dump",
          "-- PostgreSQL database dump"}) {
      if (text.starts_with(begin)) return true;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return false;
}

/// Whether a text begins with a line of digits and a colon, above a line of comma-separated
/// columns.
[[nodiscard]] inline bool is_netflix(std::string_view text) noexcept {
  std::string_view movie = first_line(text);
  if (movie.size() < 2 || !movie.ends_with(':')) return false;
  movie.remove_suffix(1);
  if (movie.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos &&
         first_line(text.substr(end + 1)).find(',') != std::string_view::npos;
}

/// @throws DataError  for text in UTF-16, archives and other files that are known not to be tables
inline void refuse_what_is_no_table(const std::string& file, std::string_view text,
                                    const ReadOptions& options) {
  const auto fail = [&](const std::string& problem) { throw DataError(file, 0, problem); };
  if (const auto problem = binary_problem(text)) fail(*problem);
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    fail("is a Git LFS pointer: the file itself was not fetched; run 'git lfs pull'");
  }
  if (options.format != Format::automatic) return;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return;
  text.remove_prefix(first);
  const std::string unless = "; if it is a table nevertheless, set the option format";
  if (text[0] == '<') fail("is HTML or XML, not a table" + unless);
  if (text[0] == '{' || text[0] == '[') fail(bracket_problem(text) + unless);
  if (first_line(text) == "---" || text.starts_with("%YAML")) {
    fail("begins like YAML and is not a table of interactions" + unless);
  }
  if (is_sql(text)) fail("is SQL, such as a database dump; save the table as CSV" + unless);
  if (is_netflix(text)) {
    fail(
        "is a Netflix Prize file, with a line 'movie:' above the movie's ratings; convert it to "
        "lines of user, item, rating");
  }
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
