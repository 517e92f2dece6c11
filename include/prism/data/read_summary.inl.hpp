// SPDX-License-Identifier: BSD-3-Clause
// Functions that read_summary.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/read_summary.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE InvalidLines& InvalidLines::operator+=(const InvalidLines& other) noexcept {
  columns += other.columns;
  user += other.user;
  item += other.item;
  rating += other.rating;
  time += other.time;
  return *this;
}

namespace detail {

PRISM_INLINE Interactions with_counts(Interactions interactions, ReadSummary summary,
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

PRISM_INLINE std::string left_out_in_words(const ReadSummary& summary) {
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

PRISM_INLINE std::string describe(const ReadSummary& summary) {
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

PRISM_INLINE std::string doubt_about_columns(const ReadSummary& summary) {
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
