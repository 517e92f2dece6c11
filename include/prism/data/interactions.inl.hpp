// SPDX-License-Identifier: BSD-3-Clause
// Functions that interactions.hpp declares; it includes them unless PRISM_COMPILED is defined.
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
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE Interactions::Interactions(std::shared_ptr<const Ids> user_ids,
                                        std::shared_ptr<const Ids> item_ids,
                                        std::span<const Interaction> pairs,
                                        std::span<const double> times)
    : user_ids_(std::move(user_ids)), item_ids_(std::move(item_ids)) {
  require(user_ids_ != nullptr, "user_ids", "must not be null");
  require(item_ids_ != nullptr, "item_ids", "must not be null");
  check(pairs, times);
  Lists lists;
  sort_and_merge(pairs, times, lists);
  transpose(lists);
  lists_ = std::make_shared<const Lists>(std::move(lists));
}

PRISM_INLINE Interactions Interactions::subset(std::span<const std::size_t> positions) const {
  std::vector<Interaction> pairs;
  std::vector<double> times;
  pairs.reserve(positions.size());
  const bool timed = !lists_->times.empty();
  times.reserve(timed ? positions.size() : 0);
  for (const std::size_t k : positions) {
    if (k >= size()) {
      throw ArgumentError("positions",
                          "must be below " + std::to_string(size()) + ", not " + std::to_string(k));
    }
    pairs.push_back((*this)[k]);
    if (timed) times.push_back(lists_->times[k]);
  }
  return Interactions(user_ids_, item_ids_, pairs, times)
      .with_positions_as_times(times_are_positions_);
}

PRISM_INLINE void Interactions::check(std::span<const Interaction> pairs,
                                      std::span<const double> times) const {
  for (const Interaction& pair : pairs) {
    if (pair.user >= user_ids_->size() || pair.item >= item_ids_->size()) {
      throw ArgumentError("pairs", "user " + std::to_string(pair.user) + ", item " +
                                       std::to_string(pair.item) + " is out of range: there are " +
                                       std::to_string(user_ids_->size()) + " users and " +
                                       std::to_string(item_ids_->size()) + " items");
    }
  }
  if (!times.empty() && times.size() != pairs.size()) {
    throw ArgumentError("times", "must have one time for each of the " +
                                     std::to_string(pairs.size()) + " pairs, not " +
                                     std::to_string(times.size()));
  }
  const bool finite =
      std::all_of(times.begin(), times.end(), [](double time) { return detail::is_finite(time); });
  require(finite, "times", "must be finite numbers");
}

PRISM_INLINE void Interactions::sort_and_merge(std::span<const Interaction> pairs,
                                               std::span<const double> times, Lists& lists) const {
  struct Entry {
    Index item;
    std::size_t position;  // in pairs
  };
  std::vector<Index> count(user_ids_->size());
  for (const Interaction& pair : pairs) ++count[pair.user];
  const TableVector<std::size_t> begin = prefix_sums(count);
  TableVector<std::size_t> next(begin);
  std::vector<Entry> entries(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    entries[next[pairs[k].user]++] = {pairs[k].item, k};
  }

  lists.user_of.reserve(pairs.size());
  lists.item_of.reserve(pairs.size());
  lists.times.reserve(times.size());
  lists.user_degree.assign(count.size(), 0);
  lists.item_degree.assign(item_ids_->size(), 0);
  for (std::size_t user = 0; user < count.size(); ++user) {
    const std::span row = std::span(entries).subspan(begin[user], count[user]);
    std::sort(row.begin(), row.end(),
              [](const Entry& a, const Entry& b) { return a.item < b.item; });
    const std::size_t first = lists.item_of.size();
    for (const Entry& entry : row) {
      if (lists.item_of.size() > first && lists.item_of.back() == entry.item) {
        if (!times.empty()) {
          lists.times.back() = std::min(lists.times.back(), times[entry.position]);
        }
        continue;
      }
      lists.user_of.push_back(static_cast<Index>(user));
      lists.item_of.push_back(entry.item);
      if (!times.empty()) lists.times.push_back(times[entry.position]);
      ++lists.item_degree[entry.item];
    }
    lists.user_degree[user] = static_cast<Index>(lists.item_of.size() - first);
  }
  lists.user_begin = prefix_sums(lists.user_degree);
}

PRISM_INLINE void Interactions::transpose(Lists& lists) {
  lists.item_begin = prefix_sums(lists.item_degree);
  lists.users_by_item.resize(lists.item_of.size());
  TableVector<std::size_t> next(lists.item_begin);
  for (std::size_t k = 0; k < lists.item_of.size(); ++k) {
    lists.users_by_item[next[lists.item_of[k]]++] = lists.user_of[k];
  }
}

}  // namespace prism::inline PRISM_ISA
