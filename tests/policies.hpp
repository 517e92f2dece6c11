// SPDX-License-Identifier: BSD-3-Clause
// The policies that the tests check their laws for: the library's own lists, and variants.
#pragma once

#include <prism/prism.hpp>
#include <string_view>

namespace test {

/// Losses that a recommender can be trained with: the three of the theorem have no term that
/// separates rows.
using RankingLosses =
    prism::Types<prism::BPR, prism::SSM, prism::DirectAU, prism::MAWU, prism::MACR>;

/// Decays rows by their popularity, those of the batch twice as much.
struct PopularityWD {
  static constexpr std::string_view name = "PopularityWD";

  double lambda = 1e-4;

  [[nodiscard]] double weight_decay(bool active, prism::Index popularity) const {
    return (active ? 2 : 1) * lambda * popularity;
  }
};

/// Calls visit(std::type_identity<Policy>) for each policy.
template <class... Policies, class Visit>
void for_each_policy(prism::Types<Policies...>, const Visit& visit) {
  (visit(std::type_identity<Policies>{}), ...);
}

/// A loss with few enough negatives for a test, and with terms of about 1, because central
/// differences of a larger value have larger rounding errors.
template <class Loss>
Loss with_few_negatives() {
  Loss loss;
  if constexpr (requires { loss.negatives; }) {
    if (loss.negatives > 10) loss.negatives = 3;
  }
  if constexpr (requires { loss.tau1; }) loss.tau1 = loss.tau2 = 0.5;
  if constexpr (requires { loss.margin; }) {
    loss.margin = 0.1;
    loss.weight = 1;
  }
  return loss;
}

/// A backbone of this dimension.
template <class Backbone>
Backbone with_dim(std::size_t dim) {
  if constexpr (requires(Backbone backbone) { backbone.rate; }) {
    return {.base = with_dim<decltype(Backbone::base)>(dim), .rate = 0.25};
  } else {
    return Backbone(dim);
  }
}

}  // namespace test
