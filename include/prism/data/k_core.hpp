// SPDX-License-Identifier: BSD-3-Clause
// k-core: the largest subset in which every user and every item has enough interactions.
#pragma once

#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Maps each old row with at least `core` interactions left to its new row, in the old order, and
/// others to `absent`. Adds the ids of the remaining rows to `kept`.
[[nodiscard]] PRISM_INLINE std::vector<Index> renumber(std::span<const Index> left, Index core,
                                                       const Ids& ids, Ids& kept);

/// The rows with fewer than `core` interactions left.
[[nodiscard]] PRISM_INLINE std::vector<Index> rows_below_core(std::span<const Index> left,
                                                              Index core);

}  // namespace detail

/// Removes users with fewer than `user_core` interactions and items with fewer than `item_core`,
/// repeatedly, until all that remain have enough; possibly none. Rows are renumbered in their old
/// order; ids and times are kept. A core of 0 removes nothing, a core of 1 only rows without
/// interactions. Takes linear time.
[[nodiscard]] PRISM_INLINE Interactions k_core(const Interactions& data, Index user_core,
                                               Index item_core);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/k_core.inl.hpp"
#endif
