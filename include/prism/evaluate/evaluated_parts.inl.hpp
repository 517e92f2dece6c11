// SPDX-License-Identifier: BSD-3-Clause
// Functions that evaluated_parts.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/evaluated_parts.hpp"
#include "prism/kernel/ascending_rows.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<Index> total_popularity(const Interactions& relevant,
                                                 const EvaluateOptions& options) {
  if (!options.popularity.empty()) return {options.popularity.begin(), options.popularity.end()};
  const std::span<const Index> counts = relevant.item_degree();
  std::vector<Index> popularity(counts.begin(), counts.end());
  std::vector<AscendingRows> counted;
  for (Index user = 0; user < relevant.users(); ++user) {
    counted.assign(1, AscendingRows(relevant.items_of(user)));
    for (const Interactions* seen : options.exclude) {
      const std::span<const Index> items = seen->on_host().items_of(user);
      for (const Index item : items) {
        const bool anew = std::ranges::none_of(
            counted, [=](const AscendingRows& part) { return part.contains(item); });
        popularity[item] += anew ? 1 : 0;
      }
      counted.emplace_back(items);
    }
  }
  return popularity;
}

PRISM_INLINE void check_users(std::span<const Index> users, std::size_t size) {
  const auto fault = std::ranges::adjacent_find(users, std::greater_equal<>());
  if (fault != users.end()) {
    throw ArgumentError("users", "must be in ascending order without duplicates, but user " +
                                     std::to_string(fault[1]) + " follows " +
                                     std::to_string(fault[0]));
  }
  require(users.empty() || users.back() < size, "users",
          "must be below " + std::to_string(size) + ", not " +
              std::to_string(users.empty() ? 0 : users.back()));
}

PRISM_INLINE void check(const EvaluateOptions& options, const Interactions& relevant,
                        std::size_t users, std::size_t items) {
  const auto fits = [&](const Interactions& part) {
    return part.users() == users && part.items() == items;
  };
  const std::string shape =
      std::to_string(users) + " users and " + std::to_string(items) + " items, as the model has";
  require_at_least_one("k", options.k);
  require_enumerator("similarity", options.similarity, Similarity::cosine);
  require_enumerator("averaged_users", options.averaged_users, AveragedUsers::all);
  require_enumerator("recall_denominator", options.recall_denominator,
                     RecallDenominator::at_most_k);
  require(fits(relevant), "relevant", "must have " + shape);
  require(!relevant.empty(), "relevant", "has no interactions, so there is nothing to evaluate");
  for (const Interactions* seen : options.exclude) {
    require(seen != nullptr && fits(*seen), "exclude",
            "each part must be non-null and have " + shape);
  }
  require(options.popularity.empty() || options.popularity.size() == items, "popularity",
          "must have one count for each of the " + std::to_string(items) + " items");
  check_users(options.users, users);
  require(options.candidates == nullptr || fits(*options.candidates), "candidates",
          "must have " + shape);
}

PRISM_INLINE std::vector<Index> evaluated_users(const Interactions& relevant,
                                                const EvaluateOptions& options) {
  std::vector<Index> users;
  const auto add = [&](Index user) {
    if (!relevant.items_of(user).empty()) users.push_back(user);
  };
  for (const Index user : options.users) add(user);
  for (Index user = 0; options.users.empty() && user < relevant.users(); ++user) add(user);
  require(!users.empty(), "users", "must include a user with a relevant item");
  if (options.candidates == nullptr) return users;
  const Interactions& candidates = options.candidates->on_host();
  const bool any = std::ranges::any_of(users, [&](Index user) {
    return std::ranges::any_of(relevant.items_of(user), [&](Index item) {
      return std::ranges::binary_search(candidates.items_of(user), item);
    });
  });
  require(any, "candidates",
          "must include relevant items: with none of them, every metric would be 0");
  return users;
}

PRISM_INLINE EvaluateOptions excluding_seen(EvaluateOptions options, const Interactions& train,
                                            const Interactions& relevant) {
  check(options, relevant, train.users(), train.items());
  if (!options.exclude_seen) return options;
  require(!have_common_interaction(relevant.on_host(), train.on_host()), "relevant",
          "must have no interactions in common with the training set, which exclude_seen removes "
          "from the ranking; pass {.exclude_seen = false} to rank training items too");
  // A part that has all training interactions leaves them out already.
  if (std::ranges::none_of(options.exclude, [&](const Interactions* part) {
        return has_all_of(part->on_host(), train.on_host());
      })) {
    options.exclude.push_back(&train);
  }
  return options;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
