// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/unseen_item.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

/// Uniform over the items that the pair's user has no training interaction with. One draw per
/// negative, whatever the user's number of items.
struct UnobservedNegatives {
  static constexpr std::string_view name = "UnobservedNegatives";

  /// No data: construction checks that each user has an item left to draw.
  struct State {
    /// @throws ArgumentError  if a user has interactions with all items
    State(const UnobservedNegatives&, const Interactions& train) {
      for (Index user = 0; user < train.users(); ++user) {
        if (train.user_degree()[user] < train.items()) continue;
        throw ArgumentError("train", "user '" + std::string(train.user_id(user)) + "' has all " +
                                         std::to_string(train.items()) +
                                         " items, so that no negative is left to draw; leave the "
                                         "user out, or use UniformNegatives");
      }
    }
  };

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, const State&,
                  std::span<Index> negatives) const {
    const Interactions& train = request.train;
    constexpr std::size_t grain = 4096;
    parallel_chunks(exec, negatives.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        const std::span<const Index> seen =
            train.items_of(request.pairs[q / request.negatives_per_pair].user);
        const Index left = train.items() - static_cast<Index>(seen.size());
        negatives[q] = unseen_item(request.random.uniform_int(request.first + q, left), seen);
      }
    });
  }
};

static_assert(SamplerPolicy<UnobservedNegatives>);

}  // namespace prism::inline PRISM_ISA
