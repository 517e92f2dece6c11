// SPDX-License-Identifier: BSD-3-Clause
// Functions that sample.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<Index> sample_numbers(Index count, Index size, const Random& random) {
  // Marks take a pass over all numbers, and a sorted list moves its entries for each draw.
  if (count > 256) {
    std::vector<bool> marked(size);
    for (Index last = size - count; last < size; ++last) {
      const Index drawn = random.uniform_int(last, last + 1);
      marked[marked[drawn] ? last : drawn] = true;
    }
    std::vector<Index> chosen;
    chosen.reserve(count);
    for (Index number = 0; number < size; ++number) {
      if (marked[number]) chosen.push_back(number);
    }
    return chosen;
  }
  std::vector<Index> chosen;  // ascending
  chosen.reserve(count);
  for (Index last = size - count; last < size; ++last) {
    const Index drawn = random.uniform_int(last, last + 1);
    const auto place = std::ranges::lower_bound(chosen, drawn);
    if (place != chosen.end() && *place == drawn) {
      chosen.push_back(last);  // above all that were drawn before
    } else {
      chosen.insert(place, drawn);
    }
  }
  return chosen;
}

}  // namespace detail

PRISM_INLINE std::vector<Index> sample_users(const Interactions& relevant, std::size_t count,
                                             std::uint64_t seed) {
  require_at_least_one("count", count);
  const Interactions& part = relevant.on_host();
  std::vector<Index> users;
  for (Index user = 0; user < part.users(); ++user) {
    if (!part.items_of(user).empty()) users.push_back(user);
  }
  if (count >= users.size()) return users;
  std::vector<Index> sample =
      detail::sample_numbers(static_cast<Index>(count), static_cast<Index>(users.size()),
                             Random(seed, Stream::user_sample));
  for (Index& position : sample) position = users[position];
  return sample;
}

PRISM_INLINE Interactions sample_candidates(const Interactions& relevant,
                                            std::span<const Interactions* const> seen,
                                            std::size_t count, std::uint64_t seed) {
  require_at_least_one("count", count);
  const Interactions& part = relevant.on_host();
  for (const Interactions* other : seen) {
    require(other != nullptr && other->users() == part.users() && other->items() == part.items(),
            "seen",
            "each part must be non-null and have " + std::to_string(part.users()) + " users and " +
                std::to_string(part.items()) + " items, as `relevant` has");
  }
  const Random random(seed, Stream::candidates);
  std::vector<Interaction> pairs;
  std::vector<Index> known;  // ascending, without duplicates
  for (Index user = 0; user < part.users(); ++user) {
    const std::span<const Index> own = part.items_of(user);
    if (own.empty()) continue;
    for (const Index item : own) pairs.push_back({user, item});
    known.assign(own.begin(), own.end());
    for (const Interactions* other : seen) {
      const std::span<const Index> items = other->on_host().items_of(user);
      known.insert(known.end(), items.begin(), items.end());
    }
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const auto others = static_cast<Index>(part.items() - known.size());
    const auto drawn = static_cast<Index>(std::min<std::size_t>(count, others));
    // The draws of a user begin at a position that no other user's reach.
    const Random of_user = random.from(std::uint64_t{user} << 32);
    Index skipped = 0;
    for (const Index number : detail::sample_numbers(drawn, others, of_user)) {
      // The item with this many unknown ones before it.
      while (skipped < known.size() && known[skipped] <= number + skipped) ++skipped;
      pairs.push_back({user, number + skipped});
    }
  }
  return {part.user_ids(), part.item_ids(), pairs};
}

}  // namespace prism::inline PRISM_ISA
