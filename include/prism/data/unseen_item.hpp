// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Returns the item with a given rank among those that a user has no interaction with. With a rank
/// drawn uniformly below items - seen.size(), all unseen items are equally likely.
/// @param rank  the number of unseen items that precede it
/// @param seen  the user's items, ascending
[[nodiscard]] constexpr Index unseen_item(Index rank, std::span<const Index> seen) noexcept {
  // seen[k] - k unseen items precede seen[k]: find how many seen items precede the result. Each
  // half is chosen without a branch, which would be mispredicted every other time.
  std::size_t preceding = 0;
  for (std::size_t left = seen.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2, middle = preceding + half - 1;
    preceding += seen[middle] - static_cast<Index>(middle) <= rank ? half : 0;
    left -= half;
  }
  return rank + static_cast<Index>(preceding);
}

}  // namespace prism::inline PRISM_ISA::detail
