// SPDX-License-Identifier: BSD-3-Clause
// The parts of the data in an evaluation: checks, the users to evaluate, and items' popularity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate_options.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The number of interactions of each item in all parts together; an interaction that is in several
/// parts counts once.
[[nodiscard]] PRISM_INLINE std::vector<Index> total_popularity(const Interactions& relevant,
                                                               const EvaluateOptions& options);

/// @throws ArgumentError  unless each is below the next, and the last below `size`
PRISM_INLINE void check_users(std::span<const Index> users, std::size_t size);

PRISM_INLINE void check(const EvaluateOptions& options, const Interactions& relevant,
                        std::size_t users, std::size_t items);

/// The users to evaluate, ascending: those of the options that have a relevant item.
/// @throws ArgumentError  if there are none, or if no relevant item is a candidate
[[nodiscard]] PRISM_INLINE std::vector<Index> evaluated_users(const Interactions& relevant,
                                                              const EvaluateOptions& options);

/// Whether `part` has every interaction of `other`. @param other  of the same users
[[nodiscard]] inline bool has_all_of(const Interactions& part, const Interactions& other) {
  for (Index user = 0; user < other.users(); ++user) {
    if (!std::ranges::includes(part.items_of(user), other.items_of(user))) return false;
  }
  return true;
}

/// The options with which a model's scorer is evaluated: `exclude` includes the training set if
/// exclude_seen is set.
/// @throws ArgumentError  as evaluate() of a model
[[nodiscard]] PRISM_INLINE EvaluateOptions excluding_seen(EvaluateOptions options,
                                                          const Interactions& train,
                                                          const Interactions& relevant);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/evaluate/evaluated_parts.inl.hpp"
#endif
