// SPDX-License-Identifier: BSD-3-Clause
// Detects the format and the delimiter of a file from its first records.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/format.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A possible format and delimiter of a file.
struct FormatGuess {
  Format format = Format::delimited;
  std::string delimiter = {};
};

/// What to do about a record that is not read right, if backslashes may be the reason.
[[nodiscard]] inline std::string backslash_advice(std::string_view record, bool escapes) {
  if (escapes || record.find("\\\"") == record.npos) return "";
  return "; if a backslash makes a quote part of a field, set the option backslash_escapes";
}

/// Detects what the options leave open.
class FormatDetector {
 public:
  /// @param columns_chosen  whether options are set that do not apply to adjacency lists
  FormatDetector(const std::string& file, const Sample& sample, const ReadOptions& options,
                 bool columns_chosen)
      : file_(file), sample_(sample), options_(options), columns_chosen_(columns_chosen) {}

  FormatGuess detect() const {
    const Format format = options_.format;
    const std::string& delimiter = options_.delimiter;
    if (format == Format::recbole) return {format, delimiter.empty() ? "\t" : delimiter};
    if (format == Format::adjacency) return {format, delimiter.empty() ? of_lists() : delimiter};
    if (!delimiter.empty()) return {Format::delimited, delimiter};
    const std::string found = find_delimiter();
    if (format == Format::delimited) return {format, found};
    if (found == "\t") refuse_lists_after_tab();
    return found == " " ? words() : FormatGuess{Format::delimited, found};
  }

  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw DataError(file_, line, problem);
  }

  /// @throws DataError  unless all rows of the sample have as many columns as the first one
  void refuse_ragged(const std::string& delimiter) const {
    const SampleRows rows = sample_.rows(delimiter);
    const SampleRow* const other = first_ragged(rows, options_.drop_invalid);
    // Unmatched quotes are reported as such when the line is read.
    if (other == nullptr || other->fields.empty() || rows[0].fields.empty()) return;
    const bool runs = delimiter == "\t" && std::ranges::any_of(rows, [](const SampleRow& row) {
                        return row.text.find("\t\t") != std::string::npos;
                      });
    fail(other->line,
         ragged_problem(other->fields.size(), rows[0].fields.size(), options_.drop_invalid) +
             backslash_advice(other->text, options_.backslash_escapes) +
             (runs ? "; if any number of tabs separates columns, set the option "
                     "delimiter to a space, which matches them"
                   : ""));
  }

  /// @param dropping  whether such lines are left out, unless too many of the first ones are such
  static std::string ragged_problem(std::size_t columns, std::size_t expected,
                                    bool dropping = false) {
    return "has " + std::to_string(columns) + " columns, but the first line has " +
           std::to_string(expected) + "; set the option format to " + format_choice +
           (dropping ? "; the option drop_invalid does not leave out half of the first lines"
                     : ", or the option drop_invalid to leave out such lines");
  }

 private:
  static constexpr const char* format_choice =
      "adjacency (on each line, a user and all of the user's items) or delimited (columns, of "
      "which surplus ones are ignored)";
  static constexpr std::array<const char*, 6> candidates{"\t", "::", ",", ";", "|", " "};

  /// The delimiter of adjacency lists: spaces, or tabs where the first line has no spaces, or else
  /// a comma, semicolon or bar.
  std::string of_lists() const {
    for (const char* const delimiter : {" ", ",", ";", "|"}) {
      const SampleRows rows = sample_.rows(delimiter);
      if (std::ranges::none_of(rows, [](const auto& row) { return row.fields.size() > 1; }))
        continue;
      if (std::string_view(delimiter) != " ") return delimiter;
      const bool tab = rows[0].text.find('\t') != std::string::npos;
      for (const SampleRow& row : rows) {
        for (const std::string& word : row.fields) {
          if (word.find_first_of(",;|") == std::string::npos) continue;
          fail(row.line, "has " + excerpt(word) +
                             " between spaces; set the option delimiter to what separates ids");
        }
      }
      return tab && rows[0].text.find(' ') == std::string::npos ? "\t" : " ";
    }
    return " ";
  }

  /// @throws DataError  if each line is a user, a tab, and numbers between spaces
  void refuse_lists_after_tab() const {
    const SampleRows rows = sample_.rows("\t");
    bool several = false;
    for (const SampleRow& row : rows) {
      if (row.fields.size() != 2 ||
          row.fields[1].find_first_not_of("0123456789 ") != std::string::npos) {
        return;
      }
      several |= row.fields[1].find(' ') != std::string::npos;
    }
    if (!several) return;
    fail(rows[0].line,
         "has numbers between spaces after a tab, which may be one id or a list; for lists, "
         "replace the tabs by spaces; otherwise set the option format to delimited");
  }

  std::string find_delimiter() const {
    std::vector<std::string> present, even;  // in the first line; with equal columns in all lines
    for (const std::string delimiter : candidates) {
      const SampleRows rows = sample_.rows(delimiter);
      if (rows[0].fields.size() < 2) continue;
      if (delimiter == " " && !present.empty()) continue;
      present.push_back(delimiter);
      if (first_ragged(rows, options_.drop_invalid) == nullptr) even.push_back(delimiter);
    }
    if (even.empty() && options_.format == Format::automatic) refuse_title();
    if (present.empty() && std::ranges::none_of(sample_.rows(" "), [](const auto& row) {
          return row.fields.size() > 1;
        })) {
      fail(0,
           "has no tab, comma, '::' or other known delimiter in its first line; set the option "
           "delimiter to the one it has");
    }
    if (present.empty()) return " ";
    const bool any_even = !even.empty();
    // A header may have another number of columns than the lines below it.
    for (const std::string& delimiter : present) {
      const SampleRows rows = sample_.rows(delimiter);
      const SampleRows below(rows.begin() + 1, rows.end());
      const bool columns = below.size() > 1 && below[0].fields.size() > 1;
      if (any_even || !columns || first_ragged(below) != nullptr) continue;
      even.push_back(delimiter);
    }
    if (even.empty()) even = present;
    if (even.size() == 1 || even[0] == "\t") return even[0];
    std::vector<std::string> clean;
    for (const std::string& delimiter : even) {
      if (are_ids_without(delimiter, even)) clean.push_back(delimiter);
    }
    if (clean.size() == 1) return clean[0];
    std::string all;
    for (const std::string& delimiter : even) all += (all.empty() ? "" : " ") + delimiter;
    fail(0, "may be delimited by more than one of " + all +
                " ; set the option delimiter to one of them");
  }

  /// @throws DataError  if the lines are columns except for the first ones
  void refuse_title() const {
    for (const std::string delimiter : candidates) {
      const SampleRows rows = sample_.rows(delimiter);
      const std::size_t columns = rows.back().fields.size();
      if (delimiter == " " || columns < 2 || rows[0].fields.size() != 1) continue;
      std::size_t table = rows.size() - 1;
      while (rows[table - 1].fields.size() == columns) --table;
      if (rows.size() - table < 2) continue;
      fail(rows[0].line, "lines have different numbers of columns: with the delimiter " +
                             excerpt(delimiter) + ", the first has 1, but line " +
                             std::to_string(rows[table].line) + " and those below have " +
                             std::to_string(columns) +
                             "; remove what is above the table, or set the option comment to "
                             "what it begins with");
    }
  }

  /// Whether the first two columns, split at this delimiter, hold none of the others.
  bool are_ids_without(const std::string& delimiter, const std::vector<std::string>& others) const {
    for (const SampleRow& row : sample_.rows(delimiter)) {
      for (std::size_t column = 0; column < std::min<std::size_t>(row.fields.size(), 2); ++column) {
        for (const std::string& other : others) {
          if (row.fields[column].find(other) != std::string::npos) return false;
        }
      }
    }
    return true;
  }

  /// The format of a file of words between spaces.
  FormatGuess words() const {
    const SampleRows rows = sample_.rows(" ");
    const std::size_t columns = rows[0].fields.size();
    const bool even = first_ragged(rows) == nullptr;
    const bool named = !find_known(rows[0].fields, known_columns.user).empty() ||
                       !find_known(rows[0].fields, known_columns.item).empty();
    // Lines of two ids are the same interactions in both formats.
    if (columns_chosen_ || named || (even && columns == 2)) {
      return {Format::delimited, " "};
    }
    if (even) {
      fail(0, "has " + std::to_string(columns) + " words on " +
                  (rows.size() == 1 ? "its only line" : "each line") +
                  ", which may be adjacency lists or columns; set the option format to " +
                  format_choice);
    }
    refuse_no_lists(rows);
    return {Format::adjacency, " "};
  }

  /// @throws DataError  unless rows consist of whole numbers, each user has one row, and each row
  ///     has an item only once
  void refuse_no_lists(const SampleRows& rows) const {
    const std::string choice = std::string("; set the option format to ") + format_choice;
    const SampleRow& ragged = *first_ragged(rows);
    for (const SampleRow& row : rows) {
      for (const std::string& word : row.fields) {
        if (word.find_first_not_of("0123456789") == std::string::npos) continue;
        fail(ragged.line, "has " + std::to_string(ragged.fields.size()) +
                              " words, but the first line has " +
                              std::to_string(rows[0].fields.size()) + "; words such as " +
                              excerpt(word) + " are not the numbers of adjacency lists" + choice);
      }
    }
    std::map<std::string, std::size_t> lines;  // of users
    for (const SampleRow& row : rows) {
      const auto [user, is_first] = lines.emplace(row.fields[0], row.line);
      if (!is_first) {
        fail(row.line, "begins with " + excerpt(user->first) + ", as line " +
                           std::to_string(user->second) +
                           " does, but adjacency lists have one line for each user" + choice);
      }
      std::vector<std::string> items(row.fields.begin() + 1, row.fields.end());
      std::ranges::sort(items);
      const auto twice = std::ranges::adjacent_find(items);
      if (twice == items.end()) continue;
      fail(row.line,
           "has " + excerpt(*twice) + " twice, but adjacency lists have each item once" + choice);
    }
  }

  const std::string& file_;
  const Sample& sample_;
  const ReadOptions& options_;
  bool columns_chosen_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
