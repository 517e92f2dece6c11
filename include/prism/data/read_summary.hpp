// SPDX-License-Identifier: BSD-3-Clause
// What was found in a file, or an Arrow table, of interactions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
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

  InvalidLines& operator+=(const InvalidLines& other) noexcept {
    columns += other.columns;
    user += other.user;
    item += other.item;
    rating += other.rating;
    time += other.time;
    return *this;
  }
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
[[nodiscard]] inline Interactions with_counts(Interactions interactions, ReadSummary summary,
                                              std::size_t found) {
  const auto count = [](std::span<const Index> degrees) {
    return static_cast<Index>(degrees.size()) -
           static_cast<Index>(std::count(degrees.begin(), degrees.end(), Index{0}));
  };
  summary.users = count(interactions.user_degree());
  summary.items = count(interactions.item_degree());
  summary.interactions = interactions.size();
  summary.repeated = found - interactions.size();
  const bool positions = summary.order_as_time;
  return std::move(interactions)
      .with_positions_as_times(positions)
      .with_summary(std::make_shared<const ReadSummary>(std::move(summary)));
}

/// "1 user", "2 users".
[[nodiscard]] inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What was left out, such as "2 rated below 3, 1 repeated"; "none" if nothing was.
[[nodiscard]] inline std::string left_out_in_words(const ReadSummary& summary) {
  std::string left_out;
  const auto add = [&](std::size_t count, const std::string& what, bool countable = false) {
    if (count == 0) return;
    left_out += (left_out.empty() ? "" : ", ");
    left_out += countable ? counted(count, what) : std::to_string(count) + " " + what;
  };
  add(summary.below_min_rating,
      "rated below " + (summary.min_rating ? format_number(*summary.min_rating) : ""));
  add(summary.invalid.columns, "with another number of columns");
  add(summary.invalid.user, "without a user");
  add(summary.invalid.item, "without an item");
  add(summary.invalid.rating, "without a valid rating");
  add(summary.invalid.time, "without a valid time");
  add(summary.nulls, "with nulls");
  add(summary.repeated, "repeated");
  add(summary.without_values, "without any value");
  add(summary.footers, "footer line", true);
  add(summary.comments, "comment line", true);
  add(summary.repeated_headers, "repeated header", true);
  return left_out.empty() ? "none" : left_out;
}

}  // namespace detail

/// A summary in one line, such as "ratings.dat: columns separated by '::', no header, user in
/// column 0, item in 1; 6040 users, 3706 items, 1000209 interactions; left out: none".
[[nodiscard]] inline std::string describe(const ReadSummary& summary) {
  std::string text = summary.file + ": " + (summary.gzip ? "gzip, " : "");
  if (summary.format) {
    text += summary.format == Format::adjacency ? "adjacency lists of ids"
            : summary.format == Format::recbole ? "RecBole's columns"
                                                : "columns";
    text += " separated by " + detail::delimiter_in_words(summary.delimiter);
  }
  if (summary.format != Format::adjacency) {
    if (summary.format) text += summary.header ? ", header, " : ", no header, ";
    text += "user in column " + summary.user_column + ", item in " + summary.item_column;
    text += summary.rating_column.empty() ? "" : ", rating in " + summary.rating_column;
    text += summary.time_column.empty() ? "" : ", time in " + summary.time_column;
    text += summary.dates ? " (dates)" : "";
  }
  text += summary.order_as_time ? ", in chronological order" : "";
  using detail::counted;
  text += "; " + counted(summary.users, "user") + ", " + counted(summary.items, "item") + ", " +
          counted(summary.interactions, "interaction") +
          "; left out: " + detail::left_out_in_words(summary);
  if (summary.not_in_training) {
    text += "; " + std::to_string(summary.interactions - *summary.not_in_training) +
            " of users and items of the training set, " + std::to_string(*summary.not_in_training) +
            " of others";
  }
  for (const std::string& warning : summary.warnings) text += "; warning: " + warning;
  return text;
}

/// Why the columns of a training set may not be those of users and items, in words: there are
/// up to five users, or every interaction has a user of its own. Empty if there is no reason.
[[nodiscard]] inline std::string doubt_about_columns(const ReadSummary& summary) {
  if (summary.interactions < 2) return "";
  const std::string where =
      summary.user_column.empty() ? "" : " (column " + summary.user_column + ")";
  // Adjacency lists have no columns to choose.
  const char* const advice =
      summary.user_column.empty() ? "" : "; use the option user if another column has the users";
  if (summary.users == 1) {
    return "there is only one user" + where + ", so there are no others to learn from";
  }
  if (summary.users <= 5 && summary.interactions >= 50) {
    return "there are only " + std::to_string(summary.users) + " users" + where + advice;
  }
  if (summary.users == summary.interactions) {
    return "every interaction has a user of its own" + where +
           ", so no user can be both learned and tested" + advice;
  }
  return "";
}

}  // namespace prism::inline PRISM_ISA
