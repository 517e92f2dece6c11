// SPDX-License-Identifier: BSD-3-Clause
// All policies of the library. A policy that stands here goes through every law of its kind.
#pragma once

#include <prism/prism.hpp>

namespace test {

using AllBackbones = prism::Types<prism::MF<prism::dynamic>>;
using AllLosses = prism::Types<prism::BPR, prism::DirectAU>;
using AllRegularizers = prism::Types<prism::None, prism::BatchedWD, prism::FullWD>;
using AllInitializers =
    prism::Types<prism::Xavier, prism::PRISM<0.5>, prism::PRISM<prism::dynamic>>;
using AllOptimizers = prism::Types<prism::Adam, prism::SGD>;
using AllSamplers = prism::Types<prism::UniformNegatives>;

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
