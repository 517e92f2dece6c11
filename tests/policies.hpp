// SPDX-License-Identifier: BSD-3-Clause
// All policies of the library. A policy that stands here goes through every law of its kind; one
// that has a header and does not stand here fails `lists_test.cpp`.
#pragma once

#include <prism/prism.hpp>

namespace test {

using AllBackbones =
    prism::Types<prism::MF<prism::dynamic>, prism::MLP<prism::dynamic>,
                 prism::MLP<prism::dynamic, 3, prism::Identity>, prism::LightGCN<prism::dynamic>>;
using AllLosses = prism::Types<prism::BPR, prism::SSM, prism::DirectAU, prism::MAWU, prism::MACR,
                               prism::Cosine, prism::Dot, prism::Euclidean>;
using AllPenalties = prism::Types<prism::IPL, prism::ReSN>;
using AllRegularizers = prism::Types<prism::None, prism::BatchedWD, prism::FullWD>;
using AllInitializers =
    prism::Types<prism::Xavier, prism::PRISM<0.5>, prism::PRISM<prism::dynamic>>;
using AllOptimizers = prism::Types<prism::Adam, prism::SGD>;
using AllSamplers = prism::Types<prism::UniformNegatives, prism::UnobservedNegatives,
                                 prism::InBatchNegatives, prism::PopularityNegatives>;

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
