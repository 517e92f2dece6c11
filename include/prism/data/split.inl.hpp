// SPDX-License-Identifier: BSD-3-Clause
// Functions that split.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/append.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/data/temporal_split.hpp"
#include "prism/execution/serial.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<std::size_t> random_permutation(std::size_t n, std::uint64_t seed) {
  require(n <= std::numeric_limits<std::uint32_t>::max(), "data",
          "must have at most 4294967295 rows to be split at random");
  std::vector<std::size_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  shuffle(serial, std::span(positions), Random(seed, Stream::split));
  return positions;
}

}  // namespace detail

PRISM_INLINE Split random_split(const Interactions& data, const SplitOptions& options) {
  const auto [validation, test] = detail::part_sizes(data.size(), options.validation, options.test);
  const std::vector<std::size_t> positions = detail::random_permutation(data.size(), options.seed);
  const std::span<const std::size_t> all(positions);
  return {.train = data.subset(all.subspan(validation + test)),
          .validation = data.subset(all.first(validation)),
          .test = data.subset(all.subspan(validation, test))};
}

PRISM_INLINE Split split_by(SplitMethod method, const Interactions& data,
                            const SplitOptions& options) {
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

PRISM_INLINE Split given_split(const Interactions& train, const Interactions& test,
                               const GivenSplitOptions& options) {
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

PRISM_INLINE Split merge_validation(const Split& split) {
  const Interactions& train = split.train;
  return {.train = detail::concatenate(train.user_ids(), train.item_ids(), train, split.validation,
                                       0, 0),
          .validation = Interactions(train.user_ids(), train.item_ids(), {}),
          .test = split.test};
}

}  // namespace prism::inline PRISM_ISA
