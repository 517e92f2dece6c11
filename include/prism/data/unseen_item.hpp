// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// Returns the item with a given rank among those that a user has no interaction with. With a rank
/// drawn uniformly below items - seen.size(), all unseen items are equally likely.
/// @param rank  the number of unseen items that precede it
/// @param seen  the user's items, ascending
[[nodiscard]] constexpr Index unseen_item(Index rank, std::span<const Index> seen) noexcept {
  // seen[k] - k unseen items precede seen[k]: find how many seen items precede the result.
  std::size_t low = 0, high = seen.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (seen[middle] - static_cast<Index>(middle) <= rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return rank + static_cast<Index>(low);
}

}  // namespace prism::inline PRISM_ISA
