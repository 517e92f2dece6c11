// SPDX-License-Identifier: BSD-3-Clause
// Detects the layout of a file of interactions from the options, its name and its first lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/detect_columns.hpp"
#include "prism/data/detect_format.hpp"
#include "prism/data/detect_header.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/fit_header.hpp"
#include "prism/data/format.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/preamble.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Detects the layout of one file.
class LayoutFinder {
 public:
  /// @param text  the file's text after the preamble: at least 64 records, or all of it
  /// @param part  the column that says which part an interaction belongs to; null: none
  /// @param first  whether the file is the first one of its data set. A later one, a test set, may
  ///     have one line for each user, in order
  LayoutFinder(const std::string& file, std::string_view text, const Preamble& preamble,
               const ReadOptions& options, const Column* part, bool first)
      : file_(file),
        preamble_(preamble),
        options_(options),
        part_(part),
        sample_(text, preamble.lines + 1, preamble.comment, options.backslash_escapes),
        detector_(file_, sample_, options_, chooses_columns()),
        first_(first) {}

  /// @throws DataError      if the file is empty, or its format is ambiguous
  /// @throws ArgumentError  for incompatible options
  FileLayout find() {
    const SampleRows lines = sample_.rows("");
    if (lines.empty() && preamble_.entries) {
      const std::string entries = std::to_string(*preamble_.entries);
      detector_.fail(0, *preamble_.entries == 0 ? "has no interactions"
                                                : "declares " + entries + " entries, but has 0");
    }
    if (lines.empty()) {
      detector_.fail(0, preamble_.comments.empty()
                            ? "is empty"
                            : "has only comments; to read lines that begin with '" +
                                  preamble_.comment + "' as data, set the option comment to empty");
    }
    refuse_what_is_no_data(lines);
    const FormatGuess guess = find_format();
    FileLayout layout{.format = guess.format,
                      .delimiter = guess.delimiter,
                      .order_as_time = options_.time == Column(file_order),
                      .decimal_comma = options_.decimal_comma,
                      .backslash_escapes = options_.backslash_escapes,
                      .drop_invalid = options_.drop_invalid,
                      .comment = preamble_.comment,
                      .refuse_comments = !options_.comment};
    if (layout.format == Format::adjacency) {
      require(!chooses_columns(), "format",
              "adjacency lists have no header, no columns to choose and no ratings");
      refuse_header_of_lists(layout.delimiter);
      find_missing_ids_of_lists(layout);
      return layout;
    }
    if (preamble_.pattern && options_.min_rating && options_.require_rating) {
      detector_.fail(1,
                     "is a MatrixMarket matrix of kind 'pattern', which has no values, but "
                     "min_rating needs ratings; leave min_rating unset");
    }
    layout.konect = preamble_.konect;
    if (preamble_.entries) layout.matrix = {preamble_.rows, preamble_.columns};
    rows_ = sample_.rows(layout.delimiter);
    if (std::ranges::all_of(rows_[0].fields, [](const auto& field) { return field.empty(); }) &&
        !rows_[0].fields.empty()) {
      detector_.fail(0, "has no interactions: no line has any value");
    }
    const HeaderFit fit = may_have_other_header(layout)
                              ? fit_header(file_, rows_, options_, part_, layout)
                              : HeaderFit::same;
    if (fit == HeaderFit::same &&
        (options_.format == Format::automatic || layout.format == Format::recbole)) {
      detector_.refuse_ragged(layout.delimiter);
      if (!rows_[0].fields.empty()) layout.columns = rows_[0].fields.size();
    }
    if (options_.drop_invalid) {
      const std::size_t columns = layout.columns.value_or(rows_[0].fields.size());
      const auto others = std::remove_if(rows_.begin() + 1, rows_.end(), [&](const SampleRow& row) {
        return row.fields.size() != columns;
      });
      rows_.erase(others, rows_.end());
    }
    const bool recbole = layout.format == Format::recbole;
    layout.names = recbole ? std::vector<std::string>{} : names_in_comment(layout.delimiter);
    layout.header = recbole || fit != HeaderFit::same || find_header(!layout.names.empty());
    if (layout.header) {
      layout.header_text = rows_[0].text;
      if (fit != HeaderFit::unnamed) layout.names = rows_[0].fields;
    }
    if (recbole) strip_types(layout.names);
    ColumnDetector(file_, rows_, layout.header ? rows_[0].line : preamble_.lines, options_, part_)
        .detect(layout, first_);
    return layout;
  }

 private:
  /// Whether options are set that do not apply to adjacency lists.
  bool chooses_columns() const {
    return options_.header == Header::yes || options_.user || options_.item || options_.rating ||
           (options_.time && *options_.time != Column(no_column) &&
            *options_.time != Column(file_order)) ||
           (options_.min_rating && options_.require_rating) || part_;
  }

  FormatGuess find_format() const {
    if (options_.format == Format::automatic) {
      if (preamble_.konect || preamble_.entries) {
        return {Format::delimited, options_.delimiter.empty() ? " " : options_.delimiter};
      }
    }
    if (options_.format == Format::automatic || options_.format == Format::recbole) {
      for (const std::string_view delimiter : {"\t", ",", ";", " "}) {
        if (!options_.delimiter.empty() && delimiter != options_.delimiter) continue;
        const std::vector<std::string> names = sample_.rows(delimiter)[0].fields;
        if (names.size() > 1 && has_types(names)) return {Format::recbole, std::string(delimiter)};
      }
    }
    return detector_.detect();
  }

  /// Whether row 0 is a header even if it has another number of columns than the rows below.
  bool may_have_other_header(const FileLayout& layout) const {
    if (options_.header != Header::automatic) return options_.header == Header::yes;
    if (names_a_column(options_, part_) || layout.format == Format::recbole) return true;
    return !preamble_.konect && !preamble_.entries &&
           judge_first_record(rows_) == FirstRecord::names;
  }

  static bool has_types(const std::vector<std::string>& names) {
    const auto has_type = [](const std::string& name) {
      return name.ends_with(":token") || name.ends_with(":token_seq") || name.ends_with(":float") ||
             name.ends_with(":float_seq");
    };
    return std::ranges::all_of(names, has_type);
  }
  void strip_types(std::vector<std::string>& names) const {
    if (!has_types(names)) {
      detector_.fail(
          rows_[0].line,
          "must be the header of a RecBole file, such as user_id:token<tab>item_id:token; if it is "
          "separated by something else, set the option delimiter");
    }
    for (std::string& name : names) name.resize(std::min(name.find(':'), name.size()));
  }

  /// @throws DataError  for binary data, comments further down, and a table whose lines are drawn
  ///     with characters, as in Markdown and terminals
  void refuse_what_is_no_data(const SampleRows& lines) const {
    for (const SampleRow& line : lines) {
      if (!options_.comment) {
        if (const auto problem = unexpected_comment(line.text)) detector_.fail(line.line, *problem);
      }
      if (line.text.find('\0') != std::string::npos) detector_.fail(line.line, zero_byte_problem);
      const bool ruled = line.text.find_first_not_of("-|+:= \t") == std::string::npos;
      if (options_.format != Format::automatic || !ruled) continue;
      if (line.text.find("---") == std::string::npos) continue;
      detector_.fail(
          line.line,
          "is a line of a table formatted for Markdown or a terminal; save the table as CSV");
    }
  }

  /// @throws DataError  for adjacency lists below a header, whose words would be read as ids
  void refuse_header_of_lists(const std::string& delimiter) const {
    if (options_.header != Header::automatic) return;
    const SampleRows rows = sample_.rows(delimiter);
    for (const std::string& word : rows[0].fields) {
      if (!is_known(word, known_columns.user) && !is_known(word, known_columns.item)) continue;
      detector_.fail(rows[0].line, "has the column name " + excerpt(word) +
                                       ", but adjacency lists have no header; remove the line, or "
                                       "use the option header to say that it is not one");
    }
  }

  void find_missing_ids_of_lists(FileLayout& layout) const {
    std::vector<std::string_view> users, items;
    const SampleRows rows = sample_.rows(layout.delimiter);
    for (const SampleRow& row : rows) {
      for (std::size_t k = 0; k < row.fields.size(); ++k) {
        (k == 0 ? users : items).push_back(row.fields[k]);
      }
    }
    layout.missing_users = missing_ids_among(users, options_.missing_ids);
    layout.missing_items = missing_ids_among(items, options_.missing_ids);
  }

  /// @param names_known  whether a comment gives the columns' names
  bool find_header(bool names_known) const {
    if (options_.header != Header::automatic) return options_.header == Header::yes;
    if (preamble_.konect || preamble_.entries) return false;
    if (names_a_column(options_, part_) && !names_known) return true;
    const FirstRecord first = judge_first_record(rows_);
    if (first == FirstRecord::unclear && !names_known) {
      detector_.fail(
          rows_[0].line,
          "may be a header or an interaction: it has neither a number nor a known column "
          "name; set the option header to say whether it is one");
    }
    if (first == FirstRecord::mixed && !names_known) {
      detector_.fail(rows_[0].line,
                     "may be a header or an interaction: it has a known column name, but also a "
                     "number; set the option header to say whether it is one");
    }
    if (first == FirstRecord::numbering && !names_known) {
      detector_.fail(rows_[0].line,
                     "may be a header or an interaction: it has the numbers from 0 to " +
                         rows_[0].fields.back() +
                         ", as pandas numbers columns without names; set the option header to say "
                         "whether it is one");
    }
    return first == FirstRecord::names;
  }

  /// The names in the last comment above the data, if it is a header after a comment sign.
  std::vector<std::string> names_in_comment(const std::string& delimiter) const {
    if (preamble_.comments.empty() || preamble_.konect || preamble_.entries) return {};
    std::string_view text = preamble_.comments.back();
    const char sign = text[0];
    text.remove_prefix(std::min(text.find_first_not_of(sign), text.size()));
    const bool apart = text.starts_with(' ') || text.starts_with('\t');
    FieldSplitter fields(delimiter);
    if (!fields.split(trimmed(text)) || fields.size() < 2) return {};
    if (fields.size() != rows_[0].fields.size()) return {};
    std::vector<std::string> names(fields.begin(), fields.end());
    if (!find_known(names, known_columns.user).empty() ||
        !find_known(names, known_columns.item).empty()) {
      return names;
    }
    if (!options_.comment && !apart && delimiter != " ") {
      detector_.fail(preamble_.lines,
                     "may be a comment, or an interaction with an id that begins with '" +
                         std::string(1, sign) + "'; use the option comment to say which: '" +
                         std::string(1, sign) + "', or empty for no comments");
    }
    return {};
  }

  const std::string& file_;
  const Preamble& preamble_;
  const ReadOptions& options_;
  const Column* part_;
  Sample sample_;
  FormatDetector detector_;
  SampleRows rows_;
  bool first_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
