// SPDX-License-Identifier: BSD-3-Clause
// Reads files into parts of one data set, parsing chunks of them in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/check_ids.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/find_layout.hpp"
#include "prism/data/format.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/other_files.hpp"
#include "prism/data/preamble.hpp"
#include "prism/data/read_summary.hpp"
#include "prism/data/record_parser.hpp"
#include "prism/data/records.hpp"
#include "prism/data/text_buffer.hpp"
#include "prism/execution/host.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A part of a data set while its files are read.
struct Part {
  Pairs pairs = {};
  ReadSummary summary = {};
};

/// Sizes for reading a file. They do not affect the result.
struct ReadSizes {
  std::size_t block = std::size_t{8} << 20;  ///< bytes read at once; a sample of 2 MB has to fit
  std::size_t chunk = std::size_t{1} << 20;  ///< bytes parsed by one task
  std::size_t max_record = std::size_t{256} << 20;  ///< bounds the memory
};

inline namespace PRISM_ZLIB {

/// Reads files into parts of one data set.
class PartsReader {
 public:
  explicit PartsReader(const ReadOptions& options, const ReadSizes& sizes = {})
      : options_(options), sizes_(sizes) {
    require(!options.min_rating || is_finite(*options.min_rating), "min_rating",
            "must be a finite number");
  }

  /// Reads the file's interactions into `rest`, and those with the test column's value into `test`.
  void read(const std::filesystem::path& path, Part& rest, const TestColumn* column = nullptr,
            Part* test = nullptr) {
    const bool first = users_->size() == 0;
    TextBuffer buffer(path, sizes_.block);
    const Preamble preamble = read_preamble(buffer);
    buffer.use(preamble.bytes);
    if (preamble.bytes > 0 && !buffer.at_end()) buffer.fill();  // a whole sample below comments
    const std::string_view text = buffer.text();
    const std::size_t whole = buffer.at_end() ? text.size() : text.rfind('\n') + 1;
    ReadOptions options = options_;
    if (options.delimiter.empty()) options.delimiter = preamble.delimiter;
    const FileLayout layout = LayoutFinder(buffer.name(), text.substr(0, whole), preamble, options,
                                           column == nullptr ? nullptr : &column->column, first)
                                  .find();
    rest.summary = summary_of(layout, buffer);
    rest.summary.comments = preamble.comments.size();
    Part unused;
    Part& other = test == nullptr ? unused : *test;
    const std::size_t records =
        parse(buffer, layout, preamble.lines, column == nullptr ? "" : column->value, rest, other);
    other.summary = rest.summary;

    const auto fail = [&](const std::string& problem) {
      throw DataError(buffer.name(), 0, problem);
    };
    const bool filtered = rest.summary.below_min_rating + rest.summary.invalid.total() > 0;
    if (first && options_.training && !filtered) {
      rest.summary.warnings =
          check_other_columns(buffer.name(), layout, *users_, *items_,
                              rest.pairs.pairs.size() + other.pairs.pairs.size());
    }
    if (preamble.entries && *preamble.entries != records) {
      fail("declares " + std::to_string(*preamble.entries) + " entries, but has " +
           std::to_string(records));
    }
    if (rest.pairs.pairs.empty() && other.pairs.pairs.empty()) {
      if (rest.summary.invalid.total() > 0) {
        fail("has no valid interaction; left out: " + left_out_in_words(rest.summary));
      }
      fail(layout.rating
               ? "has no interaction rated " + format_number(*options_.min_rating) +
                     " or higher in column " + std::to_string(*layout.rating) + " (from 0)"
               : "has no interactions");
    }
    if (test != nullptr && (rest.pairs.pairs.empty() || test->pairs.pairs.empty())) {
      fail("has " + std::string(test->pairs.pairs.empty() ? "no" : "every") +
           " interaction in the test set, that is, with " + excerpt(column->value) +
           " in the test column; set the option test_value to the value that marks it");
    }
  }

  /// Converts a part to Interactions, once all files have been read and all ids are known. Warnings
  /// about the ids are in the summary of the first part that is converted.
  Interactions to_interactions(Part&& part) {
    Part taken = std::move(part);
    if (!std::exchange(warned_, true)) {
      for (const auto& [ids, what] : {std::pair(users_, "user"), std::pair(items_, "item")}) {
        for (std::string& warning : warnings_about(*ids, what)) {
          taken.summary.warnings.push_back(std::move(warning));
        }
      }
    }
    return with_counts(Interactions(users_, items_, taken.pairs.pairs, taken.pairs.times),
                       std::move(taken.summary), taken.pairs.pairs.size());
  }

 private:
  /// Reads the first block, with the first record of data in it.
  Preamble read_preamble(TextBuffer& buffer) const {
    buffer.fill();
    buffer.use(buffer.text().size() - without_mark(buffer.text()).size());
    refuse_what_is_no_table(buffer.name(), buffer.text(), options_);
    for (;;) {
      std::optional<Preamble> preamble =
          PreambleReader(buffer.name(), buffer.text(), buffer.at_end(), options_).read();
      if (preamble) return *std::move(preamble);
      if (buffer.text().find('\n') == std::string_view::npos) refuse_long(buffer, 1);
      if (buffer.text().size() > sizes_.max_record) {
        throw DataError(buffer.name(), 0,
                        "has no whole line of data in its first " +
                            std::to_string(sizes_.max_record) +
                            " bytes; remove comments above the data");
      }
      buffer.fill();
    }
  }

  void refuse_long(const TextBuffer& buffer, std::size_t line) const {
    if (buffer.text().size() <= sizes_.max_record) return;
    throw DataError(buffer.name(), line,
                    "is longer than " + std::to_string(sizes_.max_record) +
                        " bytes; it may have an unclosed quoted field");
  }

  ReadSummary summary_of(const FileLayout& layout, const TextBuffer& buffer) const {
    const auto named = [&](std::optional<std::size_t> column) -> std::string {
      if (!column) return "";
      const bool has_name = *column < layout.names.size();
      return std::to_string(*column) + (has_name ? " " + excerpt(layout.names[*column]) : "");
    };
    const bool lists = layout.format == Format::adjacency;
    return {.file = buffer.name(),
            .gzip = buffer.is_gzip(),
            .format = layout.format,
            .delimiter = layout.delimiter,
            .header = layout.header,
            .user_column = lists ? "" : named(layout.user),
            .item_column = lists ? "" : named(layout.item),
            .rating_column = named(layout.rating),
            .time_column = named(layout.time),
            .dates = layout.dates,
            .order_as_time = layout.order_as_time,
            .min_rating = options_.min_rating};
  }

  /// Parses the rest of a file. Returns how many records of data it has.
  std::size_t parse(TextBuffer& buffer, const FileLayout& layout, std::size_t lines,
                    std::string_view test_value, Part& rest, Part& test) {
    const RecordParser parser(layout, options_.min_rating.value_or(0), test_value);
    const RecordEnds ends(layout.format == Format::adjacency ? "" : layout.delimiter,
                          layout.comment, layout.backslash_escapes);
    std::size_t records = 0;
    for (;;) {
      const std::string_view text = buffer.text();
      const std::vector<std::size_t> chunk_ends = ends.cut(text, sizes_.chunk, buffer.at_end());
      if (chunk_ends.empty()) {
        if (buffer.at_end()) break;
        refuse_long(buffer, lines + 1);
        buffer.fill();
        continue;
      }
      std::vector<ParsedChunk> chunks(chunk_ends.size());
      parallel_tasks(par, chunks.size(), [&](std::size_t k) {
        const std::size_t begin = k == 0 ? 0 : chunk_ends[k - 1];
        chunks[k] = parser.parse(text.substr(begin, chunk_ends[k] - begin));
      });
      for (const ParsedChunk& chunk : chunks) {
        if (chunk.error) throw DataError(buffer.name(), lines + chunk.error_line, *chunk.error);
        lines += chunk.lines;
        records += chunk.records;
        rest.summary.comments += chunk.comments;
        rest.summary.repeated_headers += chunk.repeated_headers;
        rest.summary.below_min_rating += chunk.below_min_rating;
        rest.summary.without_values += chunk.without_values;
        rest.summary.footers += chunk.footers;
        rest.summary.invalid += chunk.invalid;
      }
      append(chunks, rest.pairs, test.pairs);
      if (layout.order_as_time) {
        number(rest.pairs);
        number(test.pairs);
      }
      buffer.use(chunk_ends.back());
    }
    if (layout.header) --rest.summary.repeated_headers;  // the first one
    return records;
  }

  /// Appends the chunks' pairs in order, translated to the rows of the data set.
  void append(std::vector<ParsedChunk>& chunks, Pairs& rest, Pairs& test) {
    std::vector<std::vector<Index>> rows[2];  // of the users and the items of each chunk
    parallel_tasks(par, 2, [&](std::size_t side) {
      Ids& ids = side == 0 ? *users_ : *items_;
      for (const ParsedChunk& chunk : chunks) {
        rows[side].push_back(ids.intern(side == 0 ? chunk.users : chunk.items));
      }
    });
    parallel_tasks(par, chunks.size(), [&](std::size_t k) {
      for (Pairs* const pairs : {&chunks[k].rest, &chunks[k].test}) {
        for (Interaction& pair : pairs->pairs) {
          pair = {rows[0][k][pair.user], rows[1][k][pair.item]};
        }
      }
    });
    for (const ParsedChunk& chunk : chunks) {
      const auto join = [](Pairs& all, const Pairs& own) {
        all.pairs.insert(all.pairs.end(), own.pairs.begin(), own.pairs.end());
        all.times.insert(all.times.end(), own.times.begin(), own.times.end());
      };
      join(rest, chunk.rest);
      join(test, chunk.test);
    }
  }

  /// Numbers the times of the pairs that have none yet.
  static void number(Pairs& pairs) {
    while (pairs.times.size() < pairs.pairs.size()) {
      pairs.times.push_back(static_cast<double>(pairs.times.size()));
    }
  }

  ReadOptions options_;
  ReadSizes sizes_;
  std::shared_ptr<Ids> users_ = std::make_shared<Ids>();
  std::shared_ptr<Ids> items_ = std::make_shared<Ids>();
  bool warned_ = false;
};

}  // namespace PRISM_ZLIB

/// The test set with count_not_in_training() in its summary.
[[nodiscard]] inline Interactions with_new_counted(Interactions&& test, std::size_t count) {
  ReadSummary summary = *test.read_summary();
  summary.not_in_training = count;
  return std::move(test).with_summary(std::make_shared<const ReadSummary>(std::move(summary)));
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
