// SPDX-License-Identifier: BSD-3-Clause
// Functions that k_core.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/k_core.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<Index> renumber(std::span<const Index> left, Index core, const Ids& ids,
                                         Ids& kept) {
  std::vector<Index> row(left.size(), absent);
  for (std::size_t old = 0; old < left.size(); ++old) {
    if (left[old] >= core) row[old] = kept.intern(ids[static_cast<Index>(old)]);
  }
  return row;
}

PRISM_INLINE std::vector<Index> rows_below_core(std::span<const Index> left, Index core) {
  std::vector<Index> rows;
  for (std::size_t row = 0; row < left.size(); ++row) {
    if (left[row] < core) rows.push_back(static_cast<Index>(row));
  }
  return rows;
}

}  // namespace detail

PRISM_INLINE Interactions k_core(const Interactions& data, Index user_core, Index item_core) {
  std::vector<Index> user_left(data.user_degree().begin(), data.user_degree().end());
  std::vector<Index> item_left(data.item_degree().begin(), data.item_degree().end());
  std::vector<Index> users_to_drop = detail::rows_below_core(user_left, user_core);
  std::vector<Index> items_to_drop = detail::rows_below_core(item_left, item_core);
  while (!users_to_drop.empty() || !items_to_drop.empty()) {
    // A row is queued once: when its interactions first fall below the core.
    if (!users_to_drop.empty()) {
      const Index user = users_to_drop.back();
      users_to_drop.pop_back();
      for (const Index item : data.items_of(user)) {
        if (item_left[item]-- == item_core) items_to_drop.push_back(item);
      }
    } else {
      const Index item = items_to_drop.back();
      items_to_drop.pop_back();
      for (const Index user : data.users_of(item)) {
        if (user_left[user]-- == user_core) users_to_drop.push_back(user);
      }
    }
  }

  const auto user_ids = std::make_shared<Ids>();
  const auto item_ids = std::make_shared<Ids>();
  const auto user_row = detail::renumber(user_left, user_core, *data.user_ids(), *user_ids);
  const auto item_row = detail::renumber(item_left, item_core, *data.item_ids(), *item_ids);
  std::vector<Interaction> pairs;
  std::vector<double> times;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const Interaction pair{user_row[data[k].user], item_row[data[k].item]};
    if (pair.user == absent || pair.item == absent) continue;
    pairs.push_back(pair);
    if (!data.times().empty()) times.push_back(data.times()[k]);
  }
  return Interactions(user_ids, item_ids, pairs, times)
      .with_positions_as_times(data.times_are_positions());
}

}  // namespace prism::inline PRISM_ISA
