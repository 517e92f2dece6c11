// SPDX-License-Identifier: BSD-3-Clause
// Functions that append.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/append.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE bool same_rows(const Ids& ids, const Ids& other) {
  if (&ids == &other || ids == other) return true;
  if (ids.size() != other.size()) return false;
  for (Index row = 0; row < other.size(); ++row) {
    if (other[row] != std::to_string(row)) return false;
  }
  return true;
}

PRISM_INLINE void check_same_rows(const Ids& ids, const Ids& other, const char* kind) {
  require(same_rows(ids, other), "history",
          "must have the same " + std::to_string(ids.size()) + " " + kind +
              " in the same rows as the training set; construct it with the training set's ids, "
              "Interactions(user_ids, item_ids, pairs), or with row numbers, "
              "Interactions(users, items, pairs)");
}

PRISM_INLINE std::shared_ptr<const Ids> append_ids(const Ids& ids, const Ids& appended,
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

PRISM_INLINE Interactions concatenate(std::shared_ptr<const Ids> user_ids,
                                      std::shared_ptr<const Ids> item_ids, const Interactions& data,
                                      const Interactions& history, Index first_user,
                                      Index first_item) {
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

PRISM_INLINE Interactions append_rows(const Interactions& data, const Interactions& history,
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
}  // namespace prism::inline PRISM_ISA
