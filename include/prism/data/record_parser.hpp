// SPDX-License-Identifier: BSD-3-Clause
// Parses a chunk of a file independently of the others, into pairs of users and items that do not
// have rows yet.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/date.hpp"
#include "prism/data/detect_format.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/missing_ids.hpp"
#include "prism/data/number.hpp"
#include "prism/data/preamble.hpp"
#include "prism/data/read_summary.hpp"
#include "prism/data/record_problems.hpp"
#include "prism/data/records.hpp"
#include "prism/data/rows_without_data.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Pairs of rows, or of positions in a chunk's lists of ids, with their times.
struct Pairs {
  std::vector<Interaction> pairs = {};
  std::vector<double> times = {};  // empty if none are read
};

/// What a chunk holds.
struct ParsedChunk {
  std::vector<std::string_view> users = {}, items = {};  // ids, into the text or `unquoted`
  std::deque<std::string> unquoted = {};
  Pairs rest, test;  // test: those that have the test column's value
  std::size_t lines = 0;
  std::size_t records = 0;  // interactions, or users of adjacency lists
  std::size_t comments = 0, repeated_headers = 0, below_min_rating = 0;
  std::size_t without_values = 0, footers = 0;
  InvalidLines invalid = {};
  std::optional<std::string> error = {};  // the first one; nothing is parsed after it
  std::size_t error_line = 0;             // from 1 in the chunk
};

/// Parses chunks of files of one layout. Thread-safe.
class RecordParser {
 public:
  /// @param min_rating   used if the layout has a rating
  /// @param test_value   used if the layout has a part
  RecordParser(const FileLayout& layout, double min_rating, std::string_view test_value)
      : layout_(layout),
        least_columns_(std::max(layout.columns_to_read(), layout.columns.value_or(0))),
        most_columns_(layout.columns.value_or(std::numeric_limits<std::size_t>::max())),
        may_have_breaks_(has_quotes(layout.delimiter) || layout.backslash_escapes),
        between_blanks_(layout.delimiter == " "),
        min_rating_(min_rating),
        test_value_(test_value) {}

  /// @param text   whole records
  [[nodiscard]] ParsedChunk parse(std::string_view text) const {
    ParsedChunk chunk;
    const bool lists = layout_.format == Format::adjacency;
    const RecordEnds ends(lists ? "" : layout_.delimiter, layout_.comment,
                          layout_.backslash_escapes);
    FieldSplitter fields(layout_.delimiter, layout_.backslash_escapes);
    // One search of the chunk takes less time than one of each record.
    const bool odd_characters = text.find('\0') != text.npos || text.find('\r') != text.npos;
    try {
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(ends.find(text, begin), text.size());
        const std::string_view whole = text.substr(begin, end - begin);
        chunk.error_line = chunk.lines + 1;
        const std::string_view record = record_text(whole);
        if (is_data(record, whole, odd_characters, chunk)) parse_record(record, fields, chunk);
        chunk.lines += 1 + count_breaks(whole);
        begin = end + 1;
      }
    } catch (const Problem& problem) {
      chunk.error = problem.text;
    }
    return chunk;
  }

 private:
  struct Problem {
    std::string text;
  };
  [[noreturn]] static void fail(std::string problem) { throw Problem{std::move(problem)}; }

  std::size_t count_breaks(std::string_view record) const noexcept {
    if (!may_have_breaks_) return 0;
    return static_cast<std::size_t>(std::count(record.begin(), record.end(), '\n'));
  }

  /// Whether a record is data; counts comments and repeated headers.
  /// @param odd_characters  whether the chunk has zero bytes or carriage returns
  bool is_data(std::string_view record, std::string_view whole, bool odd_characters,
               ParsedChunk& chunk) const {
    if (is_blank(record)) {
      const bool empty_fields = layout_.delimiter == "\t" && record.find('\t') != record.npos;
      if (empty_fields || whole.ends_with('\x1A')) ++chunk.without_values;
      return false;
    }
    if (!layout_.comment.empty() && record.starts_with(layout_.comment)) {
      ++chunk.comments;
      return false;
    }
    if (layout_.refuse_comments) {
      if (auto problem = unexpected_comment(record)) fail(std::move(*problem));
    }
    if (odd_characters) refuse_odd_characters(record);
    if (layout_.header && record == layout_.header_text) {
      ++chunk.repeated_headers;
      return false;
    }
    return true;
  }

  static void refuse_odd_characters(std::string_view record) {
    if (record.find('\0') != std::string_view::npos) {
      fail(zero_byte_problem);
    }
    for (std::size_t at = record.find('\r'); at != std::string_view::npos;
         at = record.find('\r', at + 1)) {
      if (at + 1 == record.size() || record[at + 1] != '\n') {
        fail("has a carriage return within the line; lines must end in \\n or \\r\\n");
      }
    }
  }

  /// Whether a record that cannot be read is left out; fails otherwise.
  // Out of line: the text of errors would keep the compiler from inlining what each record needs.
  template <class InWords>
  [[gnu::cold, gnu::noinline]] void leave_out(std::size_t InvalidLines::* reason,
                                              ParsedChunk& chunk, const InWords& problem) const {
    if (!layout_.drop_invalid) fail(problem());
    ++(chunk.invalid.*reason);
  }

  void parse_record(std::string_view record, FieldSplitter& fields, ParsedChunk& chunk) const {
    if (!fields.split(record)) {
      const std::string problem =
          "a quoted field does not end with a quote followed by a delimiter" +
          backslash_advice(record, layout_.backslash_escapes);
      // A quote that does not end may take many lines into its record.
      if (count_breaks(record) > 0) fail(problem);
      return leave_out(&InvalidLines::columns, chunk, [&] { return problem; });
    }
    if (fields.size() == 0 || (fields[0].empty() && has_no_value(fields))) {
      ++chunk.without_values;
    } else if (layout_.format == Format::adjacency) {
      parse_list(record, fields, chunk);
    } else {
      parse_columns(record, fields, chunk);
    }
  }

  void parse_list(std::string_view record, const FieldSplitter& fields, ParsedChunk& chunk) const {
    if (layout_.delimiter == " " && record.find('\t') != std::string_view::npos) {
      fail("has a tab, but the users and items of these adjacency lists are separated by spaces");
    }
    std::size_t size = fields.size();
    while (fields[size - 1].empty()) --size;  // delimiters at the end
    if (const char* const problem = problem_of(fields[0], layout_.missing_users)) {
      return leave_out(&InvalidLines::user, chunk,
                       [&] { return id_problem("the user", fields[0], problem); });
    }
    const Index user = add(chunk.users, fields[0], fields, chunk);
    for (std::size_t k = 1; k < size; ++k) {
      if (const char* const problem = problem_of(fields[k], layout_.missing_items)) {
        leave_out(&InvalidLines::item, chunk,
                  [&] { return id_problem("an item", fields[k], problem); });
      } else {
        chunk.rest.pairs.push_back({user, add(chunk.items, fields[k], fields, chunk)});
      }
    }
    ++chunk.records;
  }

  void parse_columns(std::string_view record, FieldSplitter& fields, ParsedChunk& chunk) const {
    if (layout_.empty_columns) fields.drop_empty_from(*layout_.columns);
    const bool may_be_footer = between_blanks_ || record[0] == '(';
    if (fields.size() < least_columns_ || fields.size() > most_columns_ ||
        (may_be_footer && is_footer(record))) [[unlikely]] {
      return leave_out_other_columns(record, fields, chunk);
    }
    ++chunk.records;
    if (layout_.matrix) check_indices(fields);
    if (layout_.rating) {
      const std::optional<double> rating = number(fields[*layout_.rating]);
      if (!rating) {
        return leave_out(&InvalidLines::rating, chunk,
                         [&] { return rating_problem(layout_, fields[*layout_.rating]); });
      }
      if (*rating < min_rating_) {
        ++chunk.below_min_rating;
        return;
      }
    }
    const std::string_view user = fields[layout_.user], item = fields[layout_.item];
    if (const char* const problem = problem_of(user, layout_.missing_users)) {
      return leave_out(&InvalidLines::user, chunk,
                       [&] { return id_problem("the user", user, problem); });
    }
    if (const char* const problem = problem_of(item, layout_.missing_items)) {
      return leave_out(&InvalidLines::item, chunk,
                       [&] { return id_problem("the item", item, problem); });
    }
    const bool in_test = layout_.part && fields[*layout_.part] == test_value_;
    Pairs& part = in_test ? chunk.test : chunk.rest;
    if (layout_.time) {
      const std::string_view field = fields[*layout_.time];
      const std::optional<double> time = layout_.dates ? parse_date(field) : number(field);
      if (!time) {
        return leave_out(&InvalidLines::time, chunk, [&] { return time_problem(layout_, field); });
      }
      part.times.push_back(*time);
    }
    part.pairs.push_back(
        {add(chunk.users, user, fields, chunk), add(chunk.items, item, fields, chunk)});
  }

  /// Leaves out a footer, or a record with another number of columns.
  [[gnu::cold, gnu::noinline]] void leave_out_other_columns(std::string_view record,
                                                            const FieldSplitter& fields,
                                                            ParsedChunk& chunk) const {
    if (is_footer(record)) {
      ++chunk.footers;
    } else if (layout_.columns && fields.size() != *layout_.columns) {
      leave_out(&InvalidLines::columns, chunk, [&] {
        return FormatDetector::ragged_problem(fields.size(), *layout_.columns) +
               backslash_advice(record, layout_.backslash_escapes);
      });
    } else {
      leave_out(&InvalidLines::columns, chunk,
                [&] { return too_few_columns(layout_, record, fields.size()); });
    }
  }

  /// Fails unless a MatrixMarket record is within the matrix.
  void check_indices(const FieldSplitter& fields) const {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::string_view text = fields[side];
      std::size_t index = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
      const std::size_t size = (*layout_.matrix)[side];
      if (read.ec == std::errc() && read.ptr == text.data() + text.size() && index >= 1 &&
          index <= size) {
        continue;
      }
      fail("the " + std::string(side == 0 ? "row" : "column") + " is " + excerpt(text) +
           ", but must be from 1 to MatrixMarket's size, " + std::to_string(size));
    }
  }

  /// Adds an id to a list; returns its position.
  static Index add(std::vector<std::string_view>& ids, std::string_view id,
                   const FieldSplitter& fields, ParsedChunk& chunk) {
    if (fields.had_quotes()) id = chunk.unquoted.emplace_back(id);
    ids.push_back(id);
    return static_cast<Index>(ids.size() - 1);
  }

  /// What is wrong with an id; null if nothing is.
  const char* problem_of(std::string_view id, const MissingIds& missing) const noexcept {
    if (id.empty()) return " is empty";
    if (may_have_breaks_ && id.find('\n') != id.npos) return " contains a line break: ";
    return missing.contain(id) ? " is missing: " : nullptr;
  }

  std::optional<double> number(std::string_view field) const {
    return layout_.decimal_comma ? parse_decimal_comma(field) : parse_number(field);
  }

  const FileLayout& layout_;
  std::size_t least_columns_, most_columns_;  // of a record
  bool may_have_breaks_;                      // records may have line breaks
  bool between_blanks_;                       // the delimiter is a space
  double min_rating_;
  std::string_view test_value_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
