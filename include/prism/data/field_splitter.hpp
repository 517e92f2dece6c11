// SPDX-License-Identifier: BSD-3-Clause
// The fields of a record.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/records.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A text without the spaces and tabs around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Splits records at a delimiter; an empty delimiter never matches. A space as delimiter matches
/// any run of spaces and tabs. Spaces around a field are dropped. Between commas or semicolons a
/// field may be in double quotes (RFC 4180), in which a doubled quote is a literal one. Between
/// tabs too, but there a tab always ends the field, and unmatched quotes are part of it; between
/// spaces too, where quotes may hold spaces, and unmatched quotes are part of the field.
class FieldSplitter {
 public:
  /// @param backslash  whether a backslash makes a quote, a delimiter, a line break or a backslash
  ///     behind it part of the field; other characters keep it. Not between spaces
  explicit FieldSplitter(std::string_view delimiter, bool backslash = false)
      : delimiter_(delimiter),
        quotes_(has_quotes(delimiter)),
        tabs_(delimiter == "\t"),
        backslash_(backslash) {}

  /// Splits a record. The fields are valid as long as the record, until the next split(). Returns
  /// false if a quoted field does not end in a quote and a delimiter.
  [[nodiscard]] bool split(std::string_view record) {
    fields_.clear();
    had_quotes_ = quotes_ && record.find('"') != std::string_view::npos;
    if (delimiter_ == " ") {
      split_at_blanks(record);
      return true;
    }
    if (delimiter_.empty()) {
      fields_.push_back(record);
      return true;
    }
    if (backslash_ && record.find('\\') != std::string_view::npos) return split_escaped(record);
    if (had_quotes_) return split_quoted(record);
    for (std::size_t begin = 0;;) {
      const std::size_t end = delimiter_.size() == 1 ? record.find(delimiter_[0], begin)
                                                     : record.find(delimiter_, begin);
      const std::string_view field = trimmed(record.substr(begin, end - begin));
      if (!tabs_ || !field.starts_with('"') || !take_whole(field, record.size())) {
        fields_.push_back(field);
      }
      if (end == std::string_view::npos) return true;
      begin = end + delimiter_.size();
    }
  }

  /// Drops empty fields at the end of those from `count` on.
  void drop_empty_from(std::size_t count) {
    while (fields_.size() > count && fields_.back().empty()) fields_.pop_back();
  }

  /// Whether the fields are valid only until the next split(), and not as long as the record.
  [[nodiscard]] bool had_quotes() const noexcept { return had_quotes_; }

  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t k) const noexcept { return fields_[k]; }
  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }

 private:
  static constexpr const char* blanks = " \t";

  void split_at_blanks(std::string_view record) {
    for (std::size_t end = 0;;) {
      const std::size_t begin = record.find_first_not_of(blanks, end);
      if (begin == std::string_view::npos) return;
      if (record[begin] == '"' && take_quoted_word(record, begin, end)) continue;
      end = std::min(record.find_first_of(blanks, begin), record.size());
      fields_.push_back(record.substr(begin, end - begin));
    }
  }

  /// Reads a word between blanks if it is in quotes, and may hold blanks; returns false if it is
  /// not.
  bool take_quoted_word(std::string_view record, std::size_t begin, std::size_t& end) {
    start_unquoted(record.size());
    const std::size_t behind = take_quoted(record, begin + 1);
    if (behind == std::string_view::npos) return false;
    if (behind == record.size() || record[behind] == ' ' || record[behind] == '\t') {
      end = behind;
      return true;
    }
    fields_.pop_back();
    return false;
  }

  void start_unquoted(std::size_t record_size) {
    if (had_quotes_) return;
    unquoted_.clear();
    unquoted_.reserve(record_size);  // keeps views into it valid
    had_quotes_ = true;
  }

  bool split_escaped(std::string_view record) {
    had_quotes_ = false;
    start_unquoted(record.size());
    for (std::size_t at = 0;;) {
      while (at < record.size() && record[at] == ' ') ++at;
      const std::size_t start = unquoted_.size(), begin = at;
      bool quoted = (quotes_ || tabs_) && at < record.size() && record[at] == '"';
      if (!take_escaped(record, at, quoted)) {
        if (!tabs_) return false;
        // Between tabs, unmatched quotes are part of the field.
        unquoted_.resize(start);
        at = begin;
        quoted = false;
        (void)take_escaped(record, at, quoted);
      }
      const std::string_view field = std::string_view(unquoted_).substr(start);
      fields_.push_back(quoted ? field : trimmed(field));
      if (at >= record.size()) return true;
      at += delimiter_.size();
    }
  }

  /// Appends the field at `at` to unquoted_, and moves `at` behind it. Returns false if its quotes
  /// do not enclose all of it.
  bool take_escaped(std::string_view record, std::size_t& at, bool quoted) {
    bool closed = false;
    for (at += quoted ? 1 : 0; at < record.size(); ++at) {
      const std::string_view rest = record.substr(at);
      if (rest[0] == '\\' && rest.size() > 1) {
        const char next = rest[1];
        const bool escaped = next == '"' || next == '\\' || next == '\n' || next == delimiter_[0];
        if (!escaped) unquoted_ += '\\';
        unquoted_ += next;
        ++at;
      } else if (quoted && !closed && rest[0] == '"') {
        closed = !rest.starts_with("\"\"");
        if (closed) continue;
        unquoted_ += '"';
        ++at;
      } else if (rest.starts_with(delimiter_) && (!quoted || closed || tabs_)) {
        return !quoted || closed;
      } else if (closed && rest[0] != ' ') {
        return false;
      } else if (!closed) {
        unquoted_ += rest[0];
      }
    }
    return !quoted || closed;
  }

  bool split_quoted(std::string_view record) {
    unquoted_.clear();
    unquoted_.reserve(record.size());  // keeps views into it valid
    for (std::size_t begin = 0;;) {
      const std::size_t field = record.find_first_not_of(' ', begin);
      std::size_t end = record.size();
      if (field < record.size() && record[field] == '"') {
        end = take_quoted(record, field + 1);
        if (end == std::string_view::npos) return false;
        end = std::min(record.find_first_not_of(' ', end), record.size());
        if (end != record.size() && record[end] != delimiter_[0]) return false;
      } else {
        end = std::min(record.find(delimiter_[0], begin), record.size());
        fields_.push_back(trimmed(record.substr(begin, end - begin)));
      }
      if (end == record.size()) return true;
      begin = end + 1;
    }
  }

  /// Reads a field between tabs if quotes enclose all of it; returns false if they do not.
  bool take_whole(std::string_view field, std::size_t record_size) {
    start_unquoted(record_size);
    const std::size_t end = take_quoted(field, 1);
    if (end == field.size()) return true;
    if (end != std::string_view::npos) fields_.pop_back();
    return false;
  }

  /// Reads a quoted field from `begin`, after its opening quote. Returns the position after the
  /// closing quote; npos if there is none.
  std::size_t take_quoted(std::string_view record, std::size_t begin) {
    const std::size_t start = unquoted_.size();
    for (;;) {
      const std::size_t quote = record.find('"', begin);
      if (quote == std::string_view::npos) return quote;
      unquoted_ += record.substr(begin, quote - begin);
      begin = quote + 2;
      if (quote + 1 == record.size() || record[quote + 1] != '"') break;
      unquoted_ += '"';
    }
    fields_.push_back(std::string_view(unquoted_).substr(start));
    return begin - 1;
  }

  std::string delimiter_;
  bool quotes_;
  bool tabs_;
  bool backslash_;
  bool had_quotes_ = false;
  std::vector<std::string_view> fields_;
  std::string unquoted_;
};

}  // namespace prism::inline PRISM_ISA::detail
