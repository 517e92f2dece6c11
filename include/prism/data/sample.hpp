// SPDX-License-Identifier: BSD-3-Clause
// The first records of a file, from which its layout is detected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/preamble.hpp"
#include "prism/data/records.hpp"
#include "prism/data/rows_without_data.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr const char* zero_byte_problem =
    "contains a zero byte, so it is not text; if it is UTF-16 or UTF-32, convert it to UTF-8";

/// The problem with a line that begins with # or %, as comments usually do; nullopt otherwise.
[[nodiscard]] inline std::optional<std::string> unexpected_comment(std::string_view line) {
  if (!line.starts_with('#') && !line.starts_with('%')) return std::nullopt;
  const std::string sign(line.substr(0, 1));
  return "begins with '" + sign + "'; use the option comment to say whether it is a comment: '" +
         sign + "', or empty if there are no comments";
}

/// A record of the sample.
struct SampleRow {
  std::size_t line = 1;
  std::string text = {};
  std::vector<std::string> fields = {};  // none if quotes do not match
};
using SampleRows = std::vector<SampleRow>;

/// The first records of a text: at most 64, of about a megabyte together. Records without any value
/// and footers are left out, unless there are no others.
class Sample {
 public:
  /// @param text   begins with the data, and ends with a whole record or is long
  /// @param line   the number of its first line
  /// @param comment  the prefix of comments; empty: there are none
  /// @param backslash  as ReadOptions::backslash_escapes
  Sample(std::string_view text, std::size_t line, std::string comment, bool backslash)
      : text_(text), line_(line), comment_(std::move(comment)), backslash_(backslash) {}

  /// The records, with their fields split at this delimiter.
  [[nodiscard]] SampleRows rows(std::string_view delimiter) const {
    const RecordEnds ends(delimiter, comment_, backslash_);
    FieldSplitter fields(delimiter, backslash_);
    SampleRows rows, others;
    std::size_t line = line_;
    for (std::size_t begin = 0; begin < text_.size() && begin < max_bytes && rows.size() < 64;) {
      std::size_t end = ends.find(text_, begin);
      // An unclosed quote is reported when its line is read.
      if (end == RecordEnds::none) end = text_.find('\n', begin);
      const std::string_view whole = text_.substr(begin, end - begin);
      const std::string_view record = record_text(whole);
      if (!is_blank(record) && (comment_.empty() || !record.starts_with(comment_))) {
        SampleRow row{.line = line, .text = std::string(record)};
        const bool split = fields.split(row.text);
        if (split) row.fields.assign(fields.begin(), fields.end());
        const bool data = !(split && has_no_value(fields)) && !is_footer(record);
        if (data || others.empty()) (data ? rows : others).push_back(std::move(row));
      }
      line += 1 + static_cast<std::size_t>(std::ranges::count(whole, '\n'));
      if (end == std::string_view::npos) break;
      begin = end + 1;
    }
    return rows.empty() ? others : rows;
  }

 private:
  static constexpr std::size_t max_bytes = std::size_t{1} << 20;

  std::string_view text_;
  std::size_t line_;
  std::string comment_;
  bool backslash_;
};

/// The first row whose number of fields differs from row 0's; null if there is none.
/// @param tolerant  null too if less than half of the rows differ
[[nodiscard]] inline const SampleRow* first_ragged(const SampleRows& rows, bool tolerant = false) {
  const auto differs = [&](const SampleRow& row) {
    return row.fields.size() != rows[0].fields.size();
  };
  if (tolerant && 2 * std::ranges::count_if(rows, differs) < std::ssize(rows)) return nullptr;
  const auto found = std::ranges::find_if(rows, differs);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
