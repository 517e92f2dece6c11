// SPDX-License-Identifier: BSD-3-Clause
// What was found in a file, or an Arrow table, of interactions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// The lines that ReadOptions::drop_invalid left out, by the first thing that is wrong with each.
struct InvalidLines {
  std::size_t columns = 0;  ///< another number of columns, or a quote that does not end
  std::size_t user = 0;     ///< no user, or a word that stands for a missing one
  std::size_t item = 0;     ///< the same of the item; of adjacency lists, items
  std::size_t rating = 0;   ///< a rating that is not a number
  std::size_t time = 0;     ///< a time that is neither a number nor a date, as the first one is

  [[nodiscard]] std::size_t total() const noexcept { return columns + user + item + rating + time; }

  InvalidLines& operator+=(const InvalidLines& other) noexcept;
};

/// What a reader found in a file or an Arrow table, and how it was interpreted. Columns are given
/// as "2" or, with a name, "2 'rating'".
struct ReadSummary {
  std::string file;  ///< its name, or "Arrow data"
  bool gzip = false;
  /// Never automatic; unset: Arrow, which has no delimiter, header or comments.
  std::optional<Format> format = Format::delimited;
  std::string delimiter;
  bool header = false;
  std::string user_column, item_column;    ///< empty for adjacency lists
  std::string rating_column, time_column;  ///< empty: not read
  bool dates = false;  ///< times were dates (in Arrow, timestamps too), now seconds since 1970
  bool order_as_time = false;  ///< times are positions in the file
  std::optional<double> min_rating;

  Index users = 0;  ///< that have an interaction in this part
  Index items = 0;  ///< that have an interaction in this part
  std::size_t interactions = 0;

  // Left out:
  std::size_t comments = 0;
  std::size_t repeated_headers = 0;
  std::size_t below_min_rating = 0;
  std::size_t without_values = 0;  ///< lines with delimiters alone, or DOS's end-of-file mark
  std::size_t footers = 0;         ///< lines such as "(2 rows affected)"
  InvalidLines invalid = {};       ///< with drop_invalid
  std::size_t nulls = 0;           ///< rows of an Arrow table, with ArrowNulls::drop
  std::size_t repeated = 0;        ///< interactions that repeat an earlier one
  /// For a test set: interactions whose user or item is not in the training set. They are kept.
  /// Unset for other parts.
  std::optional<std::size_t> not_in_training = {};
  std::vector<std::string> warnings = {};  ///< about ids that may not be what they seem
};

namespace detail {

[[nodiscard]] inline std::string delimiter_in_words(const std::string& delimiter) {
  if (delimiter == "\t") return "tabs";
  if (delimiter == " ") return "spaces";
  return "'" + delimiter + "'";
}

/// Interactions with a summary, whose counts are filled in.
/// @param found  the number of interactions before repeated ones were merged
[[nodiscard]] PRISM_INLINE Interactions with_counts(Interactions interactions, ReadSummary summary,
                                                    std::size_t found);

/// "1 user", "2 users".
[[nodiscard]] inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What was left out, such as "2 rated below 3, 1 repeated"; "none" if nothing was.
[[nodiscard]] PRISM_INLINE std::string left_out_in_words(const ReadSummary& summary);

}  // namespace detail

/// A summary in one line, such as "ratings.dat: columns separated by '::', no header, user in
/// column 0, item in 1; 6040 users, 3706 items, 1000209 interactions; left out: none".
[[nodiscard]] PRISM_INLINE std::string describe(const ReadSummary& summary);

/// Why the columns of a training set may not be those of users and items, in words: there are
/// up to five users, or every interaction has a user of its own. Empty if there is no reason.
[[nodiscard]] PRISM_INLINE std::string doubt_about_columns(const ReadSummary& summary);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/read_summary.inl.hpp"
#endif
