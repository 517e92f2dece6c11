// SPDX-License-Identifier: BSD-3-Clause
// The records of a text: its lines, unless a quoted field has a line break.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Whether fields between this delimiter may be in double quotes.
[[nodiscard]] inline bool has_quotes(std::string_view delimiter) noexcept {
  return delimiter == "," || delimiter == ";";
}

/// A text without the UTF-8 byte order marks at its beginning. Concatenated files have them at the
/// beginning of later lines too.
[[nodiscard]] inline std::string_view without_mark(std::string_view text) noexcept {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  while (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Finds where records end.
class RecordEnds {
 public:
  /// @param delimiter  of the fields; empty: each line is a record
  /// @param comment    the prefix of comments, in which quotes have no meaning; empty: there are
  ///     none. Must outlive the object
  /// @param backslash  whether a backslash makes the character behind it part of the field
  explicit RecordEnds(std::string_view delimiter, std::string_view comment = {},
                      bool backslash = false) noexcept
      : delimiter_(has_quotes(delimiter) ? delimiter[0] : '\0'),
        backslash_(backslash),
        comment_(comment) {}

  static constexpr std::size_t none = std::string_view::npos;

  /// The line break that ends the record beginning at `begin`; none if the text ends first.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t begin) const noexcept {
    if (backslash_) return find_behind_backslashes(text, begin);
    const std::size_t line_break = text.find('\n', begin);
    if (delimiter_ == '\0') return line_break;
    const std::string_view line = text.substr(begin, line_break - begin);
    if (line.find('"') == none || is_comment(line)) return line_break;
    return find_behind_quotes(text, text.size() - without_mark(text.substr(begin)).size());
  }

  /// Cuts a text at the ends of records into chunks of about chunk_bytes; returns the positions
  /// where they end. The text after the last one is not a whole record.
  /// @param whole  whether the end of the text ends a record
  [[nodiscard]] std::vector<std::size_t> cut(std::string_view text, std::size_t chunk_bytes,
                                             bool whole) const {
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    if (!backslash_ && (delimiter_ == '\0' || text.find('"') == none)) {
      const std::size_t last = text.rfind('\n');
      const std::size_t end = whole ? text.size() : last == none ? 0 : last + 1;
      while (begin < end) {
        const std::size_t least = begin + std::max<std::size_t>(chunk_bytes, 1) - 1;
        const std::size_t line_break = least < end ? text.find('\n', least) : none;
        begin = line_break == none ? end : std::min(line_break + 1, end);
        ends.push_back(begin);
      }
      return ends;
    }
    std::size_t chunk = 0;  // where the chunk begins
    for (;;) {
      const std::size_t end = find(text, begin);
      if (end == none) break;
      begin = end + 1;
      if (begin - chunk >= chunk_bytes) ends.push_back(chunk = begin);
    }
    if (whole) begin = text.size();
    if (begin > chunk) ends.push_back(begin);
    return ends;
  }

 private:
  [[nodiscard]] bool is_comment(std::string_view line) const noexcept {
    return !comment_.empty() && without_mark(line).starts_with(comment_);
  }
  [[nodiscard]] std::size_t find_behind_backslashes(std::string_view text,
                                                    std::size_t begin) const noexcept {
    if (is_comment(text.substr(begin, text.find('\n', begin) - begin))) {
      return text.find('\n', begin);
    }
    bool in_quotes = false, field_begins = true;
    begin = text.size() - without_mark(text.substr(begin)).size();
    for (std::size_t at = begin; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '\n' && !in_quotes) return at;
      if (c == '\\') {
        ++at;
      } else if (c == '"' && delimiter_ != '\0' && (in_quotes || field_begins)) {
        in_quotes = !in_quotes;  // a doubled quote ends and begins them again
        field_begins = true;
        continue;
      }
      field_begins = c == delimiter_ || (field_begins && c == ' ');
    }
    return none;
  }
  [[nodiscard]] std::size_t find_behind_quotes(std::string_view text,
                                               std::size_t begin) const noexcept {
    const char stops[] = {delimiter_, '\n'};
    for (;;) {
      const std::size_t field = text.find_first_not_of(' ', begin);
      if (field == none) return none;
      begin = field;
      while (text[field] == '"') {  // a doubled quote is part of the field
        const std::size_t quote = text.find('"', begin + 1);
        if (quote == none) return none;
        begin = quote + 1;
        if (begin == text.size() || text[begin] != '"') break;
      }
      const std::size_t stop = text.find_first_of({stops, 2}, begin);
      if (stop == none || text[stop] == '\n') return stop;
      begin = stop + 1;
    }
  }

  char delimiter_;  // zero: no quotes
  bool backslash_;
  std::string_view comment_;
};

}  // namespace prism::inline PRISM_ISA::detail
