// SPDX-License-Identifier: BSD-3-Clause
// Gradient check: the gradient that a loss and a backbone compute equals central differences of the
// loss's value, in double.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/evaluation.hpp"
#include "support/nan_max.hpp"

namespace test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr int draws = 10;  // fewer under sanitizers, which are slow
#else
inline constexpr int draws = 50;
#endif
inline constexpr double h = 1e-5;
inline constexpr double gradient_bound = 1e-7;

/// A small random batch for each seed: users and items repeat, sizes and dimensions vary.
struct Problem {
  prism::Interactions train;
  std::vector<prism::Interaction> pairs;
  std::vector<prism::Index> negatives;
  std::size_t dim;

  Problem(std::uint64_t seed, std::size_t negatives_per_pair) {
    using namespace prism;
    const Random random(seed, Stream::synthetic);
    std::uint64_t at = 0;
    const auto below = [&](std::uint32_t n) { return random.uniform_int(at++, n); };
    const Index users = 2 + below(8), items = 2 + below(10);
    dim = 1 + below(9);
    const std::size_t size = 1 + below(12);
    for (std::size_t p = 0; p < size; ++p) pairs.push_back({below(users), below(items)});
    for (std::size_t q = 0; q < size * negatives_per_pair; ++q) negatives.push_back(below(items));
    // In half of the problems there are training interactions outside the batch.
    std::vector<Interaction> all = pairs;
    for (std::size_t more = below(2) * below(20); more > 0; --more) {
      all.push_back({below(users), below(items)});
    }
    train = Interactions(users, items, all);
  }
};

/// The largest difference between the analytic gradient, multiplied by `spoil`, and central
/// differences, relative to the largest component; over both tables and every parameter.
template <class Backbone, class Loss>
double gradient_error(std::uint64_t seed, const Loss& loss, double spoil) {
  using namespace prism;
  const Problem problem(seed, loss_traits(loss).negatives);
  Evaluation<double, Backbone, Loss> evaluate(with_dim<Backbone>(problem.dim), loss, problem.train,
                                              problem.pairs, problem.negatives, seed);
  auto users = zeros<double>(problem.train.users(), problem.dim);
  auto items = zeros<double>(problem.train.items(), problem.dim);
  const Random random(seed, Stream::users);
  std::uint64_t at = 0;
  for (Matrix<double>* table : {&users, &items}) {
    for (double& value : *table) value = random.normal(at++);
  }
  Gradients<double> gradients;
  evaluate(users, items, &gradients);

  double largest = 0, difference = 0;
  const auto compare = [&](Rows<double> table, const Matrix<double>& gradient) {
    for (std::size_t i = 0; i < table.elements(); ++i) {
      const double kept = table.data()[i];
      table.data()[i] = kept + h;
      const double above = evaluate(users, items);
      table.data()[i] = kept - h;
      const double below = evaluate(users, items);
      table.data()[i] = kept;
      const double numeric = (above - below) / (2 * h);
      largest = std::max(largest, std::abs(numeric));
      difference = nan_max(difference, std::abs(spoil * gradient.data()[i] - numeric));
    }
  };
  compare(rows(users), gradients.users);
  compare(rows(items), gradients.items);
  const auto parameters = evaluate.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    compare(parameters[k].rows, gradients.parameters[k]);
  }
  // In one dimension the gradients of unit rows are zero; the difference is then not relative.
  return difference / std::max(largest, 1e-3);
}

/// The gradient check of a backbone and a loss for all seeds. As a control, a gradient multiplied
/// by 1.01 must fail it.
template <class Backbone, class Loss>
void check_gradient_law(const Loss& loss) {
  INFO(prism::label(with_dim<Backbone>(1)), " + ", prism::label(loss));
  int spoiled_and_caught = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    CAPTURE(seed);
    CHECK(gradient_error<Backbone>(seed, loss, 1.0) <= gradient_bound);
    if (gradient_error<Backbone>(seed, loss, 1.01) > gradient_bound) ++spoiled_and_caught;
  }
  // The control does not fail for zero gradients (one dimension, a single pair, or equal output
  // rows of LightGCN).
  CHECK(spoiled_and_caught >= draws / 2);
}

/// The names of the backbones whose gradients a test of this program checks.
inline std::set<std::string>& backbones_under_the_law() {
  static std::set<std::string> names;
  return names;
}

/// Adds a backbone to these names: `const test::UnderTheLaw<MF<dynamic>> listed;` in its test.
template <class Backbone>
struct UnderTheLaw {
  UnderTheLaw() { backbones_under_the_law().insert(std::string(Backbone::name)); }
};

/// The gradient check of every loss and every penalty with one backbone.
template <class Backbone>
void check_gradient_law_of_all_losses(const UnderTheLaw<Backbone>&) {
  for_each_policy(prism::all::Losses{}, [&]<class Loss>(std::type_identity<Loss>) {
    check_gradient_law<Backbone>(Loss{});
  });
  for_each_policy(prism::all::Penalties{}, [&]<class Penalty>(std::type_identity<Penalty>) {
    check_gradient_law<Backbone>(
        prism::Penalized<prism::Dot, Penalty>{.loss = {}, .penalty = {.weight = 0.1}});
  });
}

}  // namespace test
