// SPDX-License-Identifier: BSD-3-Clause
// The fields of a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Splits lines at a delimiter. A run of spaces counts as one delimiter. Between commas or
/// semicolons a field may be in double quotes (RFC 4180, within one line); a doubled quote is a
/// literal one.
class FieldSplitter {
 public:
  static constexpr std::size_t all = static_cast<std::size_t>(-1);

  explicit FieldSplitter(std::string_view delimiter)
      : delimiter_(delimiter), quotes_(delimiter == "," || delimiter == ";") {}

  /// Splits off the line's first fields, at most `max_fields`; they are valid as long as the line,
  /// until the next split(). False if a quoted field does not end in a quote.
  [[nodiscard]] bool split(std::string_view line, std::size_t max_fields = all) {
    fields_.clear();
    unquoted_.clear();
    unquoted_.reserve(quotes_ ? line.size() : 0);  // keeps views into it valid
    if (delimiter_ == " ") {
      split_at_spaces(line, max_fields);
      return true;
    }
    for (std::size_t begin = 0; fields_.size() < max_fields;) {
      std::size_t end = begin;
      if (quotes_ && line.substr(begin).starts_with('"')) {
        end = take_quoted(line, begin + 1);
        if (end != line.size() && (end > line.size() || line[end] != delimiter_[0])) return false;
      } else {
        end = std::min(line.find(delimiter_, begin), line.size());
        fields_.push_back(line.substr(begin, end - begin));
      }
      if (end == line.size()) break;
      begin = end + delimiter_.size();
    }
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t k) const noexcept { return fields_[k]; }
  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }

 private:
  void split_at_spaces(std::string_view line, std::size_t max_fields) {
    for (std::size_t end = 0; fields_.size() < max_fields;) {
      const std::size_t begin = line.find_first_not_of(' ', end);
      if (begin == std::string_view::npos) return;
      end = std::min(line.find(' ', begin), line.size());
      fields_.push_back(line.substr(begin, end - begin));
    }
  }

  /// Reads a quoted field from `begin`, after its opening quote. Returns the position after the
  /// closing quote; npos if there is none.
  std::size_t take_quoted(std::string_view line, std::size_t begin) {
    const std::size_t start = unquoted_.size();
    for (;;) {
      const std::size_t quote = line.find('"', begin);
      if (quote == std::string_view::npos) return quote;
      unquoted_ += line.substr(begin, quote - begin);
      begin = quote + 2;
      if (quote + 1 == line.size() || line[quote + 1] != '"') break;
      unquoted_ += '"';
    }
    fields_.push_back(std::string_view(unquoted_).substr(start));
    return begin - 1;
  }

  std::string delimiter_;
  bool quotes_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;
};

}  // namespace prism::inline PRISM_ISA
