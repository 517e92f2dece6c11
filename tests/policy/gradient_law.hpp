// SPDX-License-Identifier: BSD-3-Clause
// Gradient check: the gradient that a loss and a backbone compute equals central differences of the
// loss's value, in double.
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>

#include <prism/testing/gradient_check.hpp>

#include "policies.hpp"
#include "support/sanitizers.hpp"

namespace test {

inline constexpr int draws = sanitized ? 10 : 50;
inline constexpr double gradient_bound = 1e-7;

/// The error of a loss's gradient, spoiled by a factor, through a backbone of a dimension drawn for
/// the seed.
template <class Backbone, class Loss>
double gradient_error(std::uint64_t seed, const Loss& loss, double spoil, bool shared = false) {
  prism::GradientProblem problem(seed, prism::loss_traits(loss).negatives);
  problem.shared = shared;
  if (shared) problem.mask = static_cast<prism::NegativeMask>(seed % 3);
  return prism::gradient_error(with_dim<Backbone>(problem.dim), loss, problem, seed,
                               {.factor = spoil});
}

/// The gradient check of a backbone and a loss for all seeds. As a control, a gradient multiplied
/// by 1.01 must fail it.
template <class Backbone, class Loss>
void check_gradient_law(const Loss& loss, bool shared = false) {
  INFO(prism::label(with_dim<Backbone>(1)), " + ", prism::label(loss),
       std::string(shared ? ", shared negatives" : ""));
  int spoiled_and_caught = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    CAPTURE(seed);
    CHECK(gradient_error<Backbone>(seed, loss, 1.0, shared) <= gradient_bound);
    if (gradient_error<Backbone>(seed, loss, 1.01, shared) > gradient_bound) ++spoiled_and_caught;
  }
  // The control does not fail for zero gradients (one dimension, a single pair, or equal output
  // rows of LightGCN).
  CHECK(spoiled_and_caught >= draws / 2);
  const prism::LossTraits traits = prism::loss_traits(loss);
  if (!shared && traits.negatives > 0 && traits.takes_shared_negatives) {
    check_gradient_law<Backbone>(loss, true);
  }
}

/// The names of the backbones whose gradients a test of this program checks.
inline std::set<std::string>& backbones_under_the_law() {
  static std::set<std::string> names;
  return names;
}

/// Adds a backbone to these names: `const test::UnderTheLaw<MF<dynamic>> mf;` in its test.
template <class Backbone>
struct UnderTheLaw {
  UnderTheLaw() { backbones_under_the_law().insert(std::string(Backbone::name)); }
};

/// The gradient check of every loss and every penalty with one backbone.
template <class Backbone>
void check_gradient_law_of_all_losses(const UnderTheLaw<Backbone>&) {
  for_each_policy(prism::all::Losses{}, [&]<class Loss>(std::type_identity<Loss>) {
    check_gradient_law<Backbone>(with_few_negatives<Loss>());
  });
  for_each_policy(prism::all::Penalties{}, [&]<class Penalty>(std::type_identity<Penalty>) {
    check_gradient_law<Backbone>(
        prism::Penalized<prism::Dot, Penalty>{.loss = {}, .penalty = {.weight = 0.1}});
  });
}

}  // namespace test
