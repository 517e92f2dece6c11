// SPDX-License-Identifier: BSD-3-Clause
// The policies that the tests run their laws over: the library's own lists, and variants.
#pragma once

#include <prism/prism.hpp>

namespace test {

/// Losses that a recommender can be trained with: the theorem's three have nothing that pushes rows
/// apart.
using RankingLosses =
    prism::Types<prism::BPR, prism::SSM, prism::DirectAU, prism::MAWU, prism::MACR>;

/// Calls visit(std::type_identity<Policy>) for each.
template <class... Policies, class Visit>
void for_each_policy(prism::Types<Policies...>, const Visit& visit) {
  (visit(std::type_identity<Policies>{}), ...);
}

/// A backbone of the dimension.
template <class Backbone>
Backbone with_dim(std::size_t dim) {
  return Backbone(dim);
}

}  // namespace test
