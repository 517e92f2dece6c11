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

/// Uniform over the items with which the pair's user has no training interaction. One draw per
/// negative, however many items the user has.
struct UnobservedNegatives {
  static constexpr std::string_view name = "UnobservedNegatives";

  /// No data: construction checks that each user has an item left to draw.
  struct State {
    /// @throws ArgumentError  if a user has interactions with all items
    State(const UnobservedNegatives&, const Interactions& train) {
      const std::span<const Index> items_of_user = train.on_host().user_degree();
      for (Index user = 0; user < train.users(); ++user) {
        if (items_of_user[user] < train.items()) continue;
        throw ArgumentError("train", "user '" + std::string(train.user_id(user)) +
                                         "' has interacted with all " +
                                         std::to_string(train.items()) +
                                         " items, so there are no negatives to draw; remove the "
                                         "user, or use UniformNegatives");
      }
    }
  };

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, const State&,
                  std::span<Index> negatives) const {
    const Adjacency seen = request.train.items_by_user();
    const Index items = request.train.items();
    const std::span<const Interaction> pairs = request.pairs;
    const std::size_t per_pair = request.negatives_per_pair;
    const Random random = request.random.from(request.first);
    constexpr std::size_t grain = 4096;
    for_each_element(exec, negatives.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t q) {
      const std::span<const Index> user_items = seen[pairs[q / per_pair].user];
      const Index left = items - static_cast<Index>(user_items.size());
      negatives[q] = detail::unseen_item(random.uniform_int(q, left), user_items);
    });
  }
};

static_assert(SamplerPolicy<UnobservedNegatives>);

}  // namespace prism::inline PRISM_ISA
