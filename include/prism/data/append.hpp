// SPDX-License-Identifier: BSD-3-Clause
// Appends new users or items to interactions; existing rows keep their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Whether two data sets have the same rows: their ids are equal, or those of `other` are row
/// numbers, as in data constructed from numbers.
[[nodiscard]] inline bool same_rows(const Ids& ids, const Ids& other) {
  if (&ids == &other || ids == other) return true;
  if (ids.size() != other.size()) return false;
  for (Index row = 0; row < other.size(); ++row) {
    if (other[row] != std::to_string(row)) return false;
  }
  return true;
}

/// @throws ArgumentError  unless the ids of `history`, `other`, stand for the same rows as `ids`
inline void check_same_rows(const Ids& ids, const Ids& other, const char* kind) {
  require(same_rows(ids, other), "history",
          "must have the same " + std::to_string(ids.size()) + " " + kind +
              " in the same rows as the training set; construct it with the training set's ids, "
              "Interactions(user_ids, item_ids, pairs), or with row numbers, "
              "Interactions(users, items, pairs)");
}

/// The ids followed by the appended ones, which must be new.
[[nodiscard]] inline std::shared_ptr<const Ids> append_ids(const Ids& ids, const Ids& appended,
                                                           const char* kind) {
  Ids all(ids);
  for (Index row = 0; row < appended.size(); ++row) {
    const Index at = all.intern(appended[row]);
    if (at == ids.size() + row) continue;
    throw ArgumentError("history", "must have only new " + std::string(kind) + ", but '" +
                                       std::string(appended[row]) +
                                       "' is already in the data, in row " + std::to_string(at));
  }
  return std::make_shared<const Ids>(std::move(all));
}

/// The interactions of both, with the rows of `history` shifted by first_user and first_item. Times
/// are kept if both have them.
[[nodiscard]] inline Interactions concatenate(std::shared_ptr<const Ids> user_ids,
                                              std::shared_ptr<const Ids> item_ids,
                                              const Interactions& data, const Interactions& history,
                                              Index first_user, Index first_item) {
  std::vector<Interaction> pairs;
  pairs.reserve(data.size() + history.size());
  for (std::size_t k = 0; k < data.size(); ++k) pairs.push_back(data[k]);
  for (std::size_t k = 0; k < history.size(); ++k) {
    pairs.push_back({history[k].user + first_user, history[k].item + first_item});
  }
  std::vector<double> times;
  const bool has_times =
      (data.empty() || !data.times().empty()) && (history.empty() || !history.times().empty());
  if (has_times) {
    times.assign(data.times().begin(), data.times().end());
    times.insert(times.end(), history.times().begin(), history.times().end());
  }
  return Interactions(std::move(user_ids), std::move(item_ids), pairs, times)
      .with_positions_as_times(data.times_are_positions() || history.times_are_positions());
}

/// The same with row numbers as ids, whatever the ids of the data.
/// @param users  true: users are appended; false: items
[[nodiscard]] inline Interactions append_rows(const Interactions& data, const Interactions& history,
                                              bool users) {
  const Index first_user = users ? data.users() : 0, first_item = users ? 0 : data.items();
  const auto numbered = [](Index first, Index count) {
    require(std::size_t{first} + count <= max_rows, "history",
            "has too many rows: with the data's, more than a table may have");
    return std::make_shared<const Ids>(Ids::numbered(first + count));
  };
  return concatenate(numbered(first_user, history.users()), numbered(first_item, history.items()),
                     data, history, first_user, first_item);
}

}  // namespace detail

/// The data with new users appended: user u of `history` becomes user data.users() + u. Times are
/// kept if both have them.
/// @param history  new users x the data's items, with the same item ids or with row numbers as ids
/// @throws ArgumentError  if the items differ, or a new user's id is one of the data's
[[nodiscard]] inline Interactions append_users(const Interactions& data,
                                               const Interactions& history) {
  detail::check_same_rows(*data.item_ids(), *history.item_ids(), "items");
  return detail::concatenate(detail::append_ids(*data.user_ids(), *history.user_ids(), "users"),
                             data.item_ids(), data, history, data.users(), 0);
}

/// The data with new items appended: item i of `history` becomes item data.items() + i.
/// @param history  the data's users x new items
/// @throws ArgumentError  if the users differ, or a new item's id is one of the data's
[[nodiscard]] inline Interactions append_items(const Interactions& data,
                                               const Interactions& history) {
  detail::check_same_rows(*data.user_ids(), *history.user_ids(), "users");
  return detail::concatenate(data.user_ids(),
                             detail::append_ids(*data.item_ids(), *history.item_ids(), "items"),
                             data, history, 0, data.items());
}

}  // namespace prism::inline PRISM_ISA
