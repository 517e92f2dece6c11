// SPDX-License-Identifier: BSD-3-Clause
// Checks the gradients of a loss and a backbone against central differences of the loss's value, in
// double. For tests of user-defined policies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/normal.hpp"
#include "prism/policy/loss.hpp"
#include "prism/testing/batch_evaluation.hpp"

namespace prism::inline PRISM_ISA {

/// A batch of a small problem, drawn for each seed: ids repeat, and sizes vary.
struct GradientProblem {
  Interactions train;
  std::vector<Interaction> pairs;
  std::vector<Index> negatives;
  bool shared = false;  ///< whether all pairs share the negatives
  NegativeMask mask = NegativeMask::none;
  std::size_t dim;  ///< 1 to 9, for backbones of any dimension

  GradientProblem(std::uint64_t seed, std::size_t negatives_per_pair) {
    const Random random(seed, Stream::synthetic);
    std::uint64_t draw = 0;
    const auto below = [&](std::uint32_t n) { return random.uniform_int(draw++, n); };
    const Index users = 2 + below(8), items = 2 + below(10);
    dim = 1 + below(9);
    const std::size_t size = 1 + below(12);
    for (std::size_t p = 0; p < size; ++p) pairs.push_back({below(users), below(items)});
    for (std::size_t q = 0; q < size * negatives_per_pair; ++q) negatives.push_back(below(items));
    // Half of the batches are a part of the training interactions, the others all of them.
    std::vector<Interaction> all = pairs;
    const bool only_pairs = below(2) == 0;
    const std::size_t others = below(20);
    for (std::size_t more = only_pairs ? 0 : others; more > 0; --more) {
      all.push_back({below(users), below(items)});
    }
    train = Interactions(users, items, all);
  }

  [[nodiscard]] BatchNegatives batch_negatives() const {
    return shared ? BatchNegatives(negatives, mask) : BatchNegatives(negatives);
  }
};

/// Options of check_gradients().
struct GradientCheckOptions {
  std::size_t draws = 50;  ///< problems
  double h = 1e-5;         ///< step of the central differences
  double bound = 1e-7;     ///< largest error that passes; near a kink (ReLU, hinge) no bound holds
  double factor = 1;       ///< scales the gradient: 1.01 must fail, which shows that the check can
};

/// The largest difference between the gradient and central differences, relative to the largest
/// component, over both tables and every parameter, at random normal tables; NaN if either has a
/// NaN.
template <class Backbone, class Loss>
[[nodiscard]] double gradient_error(const Backbone& backbone, const Loss& loss,
                                    const GradientProblem& problem, std::uint64_t seed,
                                    const GradientCheckOptions& options = {}) {
  BatchEvaluation<double, Backbone, Loss> evaluate(backbone, loss, problem.train, problem.pairs,
                                                   problem.batch_negatives(), seed);
  auto users = zeros<double>(problem.train.users(), backbone.dim());
  auto items = zeros<double>(problem.train.items(), backbone.dim());
  const Random random(seed, Stream::users);
  std::uint64_t draw = 0;
  for (Matrix<double>* table : {&users, &items}) {
    for (double& value : *table) value = standard_normal(random, draw++);
  }
  BatchGradients<double> gradients;
  evaluate(users, items, &gradients);

  double largest = 0, error = 0;
  const auto compare = [&](Rows<double> values, const Matrix<double>& gradient) {
    for (std::size_t i = 0; i < values.num_elements(); ++i) {
      double& value = values.data()[i];
      const double at = value;
      value = at + options.h;
      const double above = evaluate(users, items);
      value = at - options.h;
      const double below = evaluate(users, items);
      value = at;
      const double numeric = (above - below) / (2 * options.h);
      largest = std::max(largest, std::abs(numeric));
      const double difference = std::abs(options.factor * gradient.data()[i] - numeric);
      // NaN counts as the largest error, and stays.
      if (detail::is_nan(difference) || difference > error) error = difference;
    }
  };
  compare(rows(users), gradients.users);
  compare(rows(items), gradients.items);
  const auto parameters = evaluate.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    compare(parameters[k].rows, gradients.parameters[k]);
  }
  // All gradients may be zero (unit rows of one dimension): the lower bound avoids a quotient of
  // rounding errors.
  return error / std::max(largest, 1e-3);
}

/// What check_gradients found.
struct GradientCheck {
  double error = 0;        ///< the largest gradient_error
  std::uint64_t seed = 0;  ///< of its problem
  bool passes = true;      ///< whether every error is at most options.bound

  explicit operator bool() const noexcept { return passes; }
};

/// Checks the gradients of a loss through a backbone on random problems, and also with shared
/// negatives if the loss's traits say that it takes them:
///   CHECK(check_gradients(MF<8>(), MyLoss()));
/// @throws ArgumentError  if options.draws is 0
template <class Backbone, class Loss>
[[nodiscard]] GradientCheck check_gradients(const Backbone& backbone, const Loss& loss,
                                            const GradientCheckOptions& options = {}) {
  require_at_least_one("draws", options.draws);
  GradientCheck found;
  const auto check = [&](const GradientProblem& problem, std::uint64_t seed) {
    const double error = gradient_error(backbone, loss, problem, seed, options);
    if (!(error <= options.bound)) found.passes = false;
    if (detail::is_nan(error) || error > found.error) found = {error, seed, found.passes};
  };
  for (std::uint64_t seed = 0; seed < options.draws; ++seed) {
    GradientProblem problem(seed, loss_traits(loss).negatives);
    check(problem, seed);
    if (loss_traits(loss).negatives == 0 || !loss_traits(loss).takes_shared_negatives) continue;
    problem.shared = true;
    problem.mask = static_cast<NegativeMask>(seed % 3);
    check(problem, seed);
  }
  return found;
}

}  // namespace prism::inline PRISM_ISA
