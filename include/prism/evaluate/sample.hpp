// SPDX-License-Identifier: BSD-3-Clause
// Samples: users to evaluate, and items to rank relevant ones among. The same for any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// `count` of the numbers 0, ..., size - 1, ascending; each such set has the same probability.
/// Floyd's algorithm: Bentley, Floyd, "A sample of brilliance", CACM 1987.
/// @param count  at most size
[[nodiscard]] PRISM_INLINE std::vector<Index> sample_numbers(Index count, Index size,
                                                             const Random& random);

}  // namespace detail

/// A sample of the users that have a relevant item, for EvaluateOptions::users: ascending, without
/// replacement, all samples with the same probability.
/// @param count  at least 1; all of these users if there are no more
/// @throws ArgumentError  for a count of 0
[[nodiscard]] PRISM_INLINE std::vector<Index> sample_users(const Interactions& relevant,
                                                           std::size_t count,
                                                           std::uint64_t seed = 123);

/// Candidates for EvaluateOptions::candidates: each user's relevant items, and `count` others drawn
/// uniformly, without replacement, from the items that the user has neither in `relevant` nor in
/// any of `seen`; all of these if there are no more. Users without relevant items have none. He et
/// al., "Neural collaborative filtering", WWW 2017, rank one relevant item among 100 others.
///
/// Metrics among sampled candidates are larger than those of a ranking of all items, and may order
/// models differently. Krichene, Rendle, "On sampled metrics for item recommendation", KDD 2020.
/// @throws ArgumentError  for a count of 0, or parts of other numbers of users or items
[[nodiscard]] PRISM_INLINE Interactions sample_candidates(const Interactions& relevant,
                                                          std::span<const Interactions* const> seen,
                                                          std::size_t count,
                                                          std::uint64_t seed = 123);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/sample.inl.hpp"
#endif
