// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set at random, or keeps a published test set; temporal_split.hpp splits by time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/append.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/data/temporal_split.hpp"
#include "prism/execution/serial.hpp"

namespace prism::inline PRISM_ISA {

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
[[nodiscard]] inline std::vector<std::size_t> random_permutation(std::size_t n,
                                                                 std::uint64_t seed) {
  require(n <= std::numeric_limits<std::uint32_t>::max(), "data",
          "must have at most 4294967295 rows to be split at random");
  std::vector<std::size_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  shuffle(serial, std::span(positions), Random(seed, Stream::split));
  return positions;
}

}  // namespace detail

/// Draws the validation and test sets at random from all interactions; the rest is train. A
/// fraction of n interactions is rounded to the nearest integer, halves up: 0.1 of 25 is 3.
/// @throws ArgumentError  for a fraction outside [0, 1), or if nothing is left to train on
[[nodiscard]] inline Split random_split(const Interactions& data,
                                        const SplitOptions& options = {}) {
  const auto [validation, test] = detail::part_sizes(data.size(), options.validation, options.test);
  const std::vector<std::size_t> positions = detail::random_permutation(data.size(), options.seed);
  const std::span<const std::size_t> all(positions);
  return {.train = data.subset(all.subspan(validation + test)),
          .validation = data.subset(all.first(validation)),
          .test = data.subset(all.subspan(validation, test))};
}

/// Splits by a method chosen at run time.
/// @param options  its fractions are not used by leave_last_out, its seed only by random
/// @throws ArgumentError  as the method's function
[[nodiscard]] inline Split split_by(SplitMethod method, const Interactions& data,
                                    const SplitOptions& options = {}) {
  const TemporalSplitOptions by_time{.validation = options.validation, .test = options.test};
  switch (method) {
    case SplitMethod::random:
      return random_split(data, options);
    case SplitMethod::temporal_user:
      return temporal_user_split(data, by_time);
    case SplitMethod::temporal_global:
      return temporal_global_split(data, by_time);
    case SplitMethod::leave_last_out:
      return leave_last_out(data);
  }
  throw ArgumentError("method", "must be one of its type's enumerators");
}

/// Keeps a published test set, and takes the validation set from the published training set: at
/// random, or by time where the published test set is from a later time.
/// @throws ArgumentError  if the two have different users, items or ids; if an interaction is in
///                        both, unless drop_repeated; for a fraction outside [0, 1); if nothing is
///                        left to train on; for a method by time, if train has no times or no
///                        interactions; for temporal_global, if its times are positions in
///                        adjacency lists
[[nodiscard]] inline Split given_split(const Interactions& train, const Interactions& test,
                                       const GivenSplitOptions& options = {}) {
  require(
      *train.user_ids() == *test.user_ids() && *train.item_ids() == *test.item_ids(), "test",
      "has different users or items than train; read both together, so that they share their ids");
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < test.size(); ++k) {
    if (!train.contains(test[k].user, test[k].item)) kept.push_back(k);
  }
  require(
      options.drop_repeated || kept.size() == test.size(), "test",
      std::to_string(test.size() - kept.size()) + " of its " + std::to_string(test.size()) +
          " interactions are also in train; use the option drop_repeated to remove them from test");
  if (options.method != SplitMethod::random) detail::require_times(train, "train");
  if (options.method == SplitMethod::temporal_global) {
    detail::require_order_across_users(train, "train");
  }
  Split split = options.method == SplitMethod::leave_last_out
                    ? detail::validate_on_last(train)
                    : split_by(options.method, train,
                               {.validation = options.validation, .test = 0, .seed = options.seed});
  split.test = test.subset(kept);
  return split;
}

/// Merges the validation set into the training set and keeps the test set, to train again once
/// the hyperparameters have been chosen on the validation set. Times are kept if both have them.
[[nodiscard]] inline Split merge_validation(const Split& split) {
  const Interactions& train = split.train;
  return {.train = detail::concatenate(train.user_ids(), train.item_ids(), train, split.validation,
                                       0, 0),
          .validation = Interactions(train.user_ids(), train.item_ids(), {}),
          .test = split.test};
}

}  // namespace prism::inline PRISM_ISA
