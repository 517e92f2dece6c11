// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set at random, or keeps a published test set; temporal_split.hpp splits by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/data/temporal_split.hpp"

namespace prism::inline PRISM_ISA {

/// Options of random_split().
struct SplitOptions {
  double validation = 0.1;   ///< fraction of all interactions, in [0, 1)
  double test = 0.1;         ///< fraction of all interactions, in [0, 1)
  std::uint64_t seed = 123;  ///< equal seeds give equal parts
};

/// A way to split, as a run-time choice.
enum class SplitMethod {
  random,           ///< random_split
  temporal_user,    ///< temporal_user_split
  temporal_global,  ///< temporal_global_split
  leave_last_out    ///< prism::leave_last_out
};

/// Options of given_split().
struct GivenSplitOptions {
  double validation = 0.1;  ///< fraction of the training set, in [0, 1); not for leave_last_out
  SplitMethod method = SplitMethod::random;  ///< how the validation set is chosen; leave_last_out:
                                             ///< each user's last of 2 or more interactions
  std::uint64_t seed = 123;    ///< equal seeds give equal parts; only for SplitMethod::random
  bool drop_repeated = false;  ///< remove interactions from test that are also in train; if false,
                               ///< they are an error
};

namespace detail {

/// 0, ..., n-1 in random order.
[[nodiscard]] PRISM_INLINE std::vector<std::size_t> random_permutation(std::size_t n,
                                                                       std::uint64_t seed);

}  // namespace detail

/// Draws the validation and test sets at random from all interactions; the rest is train. A
/// fraction of n interactions is rounded to the nearest integer, halves up: 0.1 of 25 is 3.
/// @throws ArgumentError  for a fraction outside [0, 1), or if nothing is left to train on
[[nodiscard]] PRISM_INLINE Split random_split(const Interactions& data,
                                              const SplitOptions& options = {});

/// Splits by a method chosen at run time.
/// @param options  its fractions are not used by leave_last_out, its seed only by random
/// @throws ArgumentError  as the method's function
[[nodiscard]] PRISM_INLINE Split split_by(SplitMethod method, const Interactions& data,
                                          const SplitOptions& options = {});

/// Keeps a published test set, and takes the validation set from the published training set: at
/// random, or by time where the published test set is from a later time.
/// @throws ArgumentError  if the two have different users, items or ids; if an interaction is in
///                        both, unless drop_repeated; for a fraction outside [0, 1); if nothing is
///                        left to train on; for a method by time, if train has no times or no
///                        interactions; for temporal_global, if its times are positions in
///                        adjacency lists
[[nodiscard]] PRISM_INLINE Split given_split(const Interactions& train, const Interactions& test,
                                             const GivenSplitOptions& options = {});

/// Merges the validation set into the training set and keeps the test set, to train again once
/// the hyperparameters have been chosen on the validation set. Times are kept if both have them.
[[nodiscard]] PRISM_INLINE Split merge_validation(const Split& split);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/split.inl.hpp"
#endif
