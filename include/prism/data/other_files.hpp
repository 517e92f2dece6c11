// SPDX-License-Identifier: BSD-3-Clause
// Recognises files that are not tables of interactions by how they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

/// Whether the characters behind the first `count` include control characters other than white
/// space: binary numbers. The letters of a signature alone may begin an id.
[[nodiscard]] inline bool is_binary_behind(std::string_view text, std::size_t count) noexcept {
  return std::ranges::any_of(text.substr(count, 8), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

/// What a zip archive is, by the name of its first file.
[[nodiscard]] inline std::string zip_problem(std::string_view text) {
  constexpr std::size_t name_begin = 30;
  const std::string_view name = text.substr(std::min(name_begin, text.size()), 64);
  for (const std::string_view part : {"[Content_Types].xml", "_rels/", "xl/", "docProps/"}) {
    if (name.starts_with(part)) return "is an Excel workbook (xlsx); save its sheet as CSV";
  }
  if (name.starts_with("mimetypeapplication/vnd.oasis.opendocument")) {
    return "is an OpenDocument spreadsheet (ods); save its sheet as CSV";
  }
  if (name.find(".npy") != std::string_view::npos) {
    return "is an archive of NumPy arrays (npz); save users and items as columns of a CSV file, a "
           "sparse matrix as MatrixMarket with scipy.io.mmwrite";
  }
  return "is a zip archive; unpack it first";
}

/// What a file is that is not plain text, and what to do with it; nullopt for text.
[[nodiscard]] inline std::optional<std::string> binary_problem(std::string_view text) {
  using namespace std::string_view_literals;
  struct Kind {
    std::string_view magic;
    const char* problem;
    bool letters = false;  // which may begin an id, unless binary numbers follow
  };
  constexpr const char* pandas = "; save it as CSV, with pandas' to_csv(..., index=False)";
  constexpr Kind known[] = {
      {"\xFD"
       "7zXZ"sv,
       "is an xz file; unpack it first"},
      {"\x28\xB5\x2F\xFD"sv, "is a zstd file; unpack it first"},
      {"\x04\x22\x4D\x18"sv, "is an lz4 file; unpack it first"},
      {"7z\xBC\xAF"sv, "is a 7z archive; unpack it first"},
      {"Rar!\x1A\x07"sv, "is a rar archive; unpack it first"},
      {"\x1F\x8B"sv, "is a gzip file within a gzip file; unpack it first"},
      {"\x1F\x9D"sv, "is a file of compress (.Z); unpack it first"},
      {"PK\x05\x06"sv, "is a zip archive; unpack it first"},
      {"\x93NUMPY"sv,
       "is a NumPy array; save it as CSV, with numpy.savetxt(..., delimiter=',', fmt='%.15g')"},
      {"\xFF\xFE\0\0"sv, "is text in UTF-32; convert it to UTF-8"},
      {"\0\0\xFE\xFF"sv, "is text in UTF-32; convert it to UTF-8"},
      {"\xFF\xFF\xFF\xFF"sv, "is an Arrow stream; save it as CSV, or pass its table to read_arrow"},
      {"\xFF\xFE"sv, "is text in UTF-16; convert it to UTF-8"},
      {"\xFE\xFF"sv, "is text in UTF-16; convert it to UTF-8"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv,
       "is an Excel workbook (xls) or another Office document; save its sheet as CSV"},
      {"ARROW1\0\0"sv,
       "is a Feather or Arrow file; save it as CSV, or pass its table to read_arrow"},
      {"\x89HDF\r\n\x1A\n"sv, "is an HDF5 file"},
      {"SQLite format 3\0"sv,
       "is an SQLite database; export the table as CSV, with sqlite3 -header -csv"},
      {"%PDF-"sv, "is a PDF document; a table of interactions has to be text, such as CSV"},
      {"<stata_dta>"sv, "is a Stata file; save it as CSV"},
      {"RDX2\n"sv, "is an R data file (RData)", true},
      {"RDX3\n"sv, "is an R data file (RData)", true},
      {"X\n\0"sv, "is an R object (rds)"},
      {"MATLAB 5.0 MAT-file"sv, "is a MATLAB file; save it as CSV"},
      {"$FL2@(#)"sv, "is an SPSS file; save it as CSV"},
      {"FEA1"sv, "is a Feather file of version 1", true},
      {"ORC"sv, "is an ORC file", true},
      {"PAR1"sv, "is a Parquet file", true},
      {"Obj\x01"sv, "is an Avro file; save it as CSV"},
  };
  if (text.starts_with("PK\x03\x04")) return zip_problem(text);
  for (const auto& [magic, problem, letters] : known) {
    if (!text.starts_with(magic) || (letters && !is_binary_behind(text, magic.size()))) continue;
    const std::string_view words(problem);
    if (words.find(';') != words.npos) return std::string(words);
    return std::string(words) + (magic.starts_with("RDX") || magic.starts_with("X\n")
                                     ? "; save it as CSV, with write.csv(..., row.names = FALSE)"
                                     : pandas);
  }
  // Protocols 2 to 5; 0x80 begins no character of UTF-8.
  if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) {
    return std::string("is a Python pickle") + pandas;
  }
  if (is_bzip2(text)) return "is a bzip2 file; unpack it first";
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
    return "is JSON; save it as CSV, one line per interaction, such as with "
           "jq -r '[.user_id, .item_id] | @csv'";
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
