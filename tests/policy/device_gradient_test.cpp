// SPDX-License-Identifier: BSD-3-Clause
// A device's computations for a batch, on grids that the host runs: losses and gradients equal, up
// to the order of sums, those of one thread and plain C++, which pass the gradient check.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <prism/execution/serial_grid.hpp>
#include <prism/testing/gradient_check.hpp>

#include "policies.hpp"
#include "policy/formulas.hpp"
#include "support/nan_max.hpp"

using namespace prism;

namespace {

/// More rows than a device adds up at a time, and more numbers.
GradientProblem large_problem(std::uint64_t seed, std::size_t negatives_per_pair) {
  constexpr Index users = 300, items = 170;
  GradientProblem problem(seed, negatives_per_pair);
  const Random random(seed, Stream::search);
  std::uint64_t draw = 0;
  const auto below = [&](std::uint32_t n) { return random.uniform_int(draw++, n); };
  problem.pairs.resize(700);
  problem.negatives.resize(problem.pairs.size() * negatives_per_pair);
  // Every tenth pair has the same item: a row with many occurrences.
  for (std::size_t p = 0; p < problem.pairs.size(); ++p) {
    problem.pairs[p] = {below(users), p % 10 == 0 ? 3 : below(items)};
  }
  for (Index& negative : problem.negatives) negative = below(items);
  std::vector<Interaction> all = problem.pairs;
  for (int more = 0; more < 400; ++more) all.push_back({below(users), below(items)});
  problem.train = Interactions(users, items, all);
  return problem;
}

struct Evaluated {
  double loss;
  std::vector<double> gradients;  // of tables and parameters
};

template <Execution X, class Backbone, class Loss>
Evaluated evaluated(const Backbone& backbone, const Loss& loss, const GradientProblem& problem,
                    std::uint64_t seed) {
  BatchEvaluation<double, Backbone, Loss, X> evaluate(backbone, loss, problem.train, problem.pairs,
                                                      problem.batch_negatives(), seed);
  auto users = zeros<double>(problem.train.users(), backbone.dim());
  auto items = zeros<double>(problem.train.items(), backbone.dim());
  const Random random(seed, Stream::users);
  std::uint64_t draw = 0;
  for (Matrix<double>* table : {&users, &items}) {
    for (double& value : *table) value = standard_normal(random, draw++);
  }
  BatchGradients<double> gradients;
  Evaluated result{evaluate(users, items, &gradients), {}};
  const auto append = [&](const Matrix<double>& table) {
    result.gradients.insert(result.gradients.end(), table.begin(), table.end());
  };
  append(gradients.users);
  append(gradients.items);
  for (const Matrix<double>& parameter : gradients.parameters) append(parameter);
  return result;
}

/// The largest difference of two lists, relative to the largest number.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double apart = 0, largest = 1e-3;  // gradients of unit rows of one dimension are zero
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart = test::nan_max(apart, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return apart / largest;
}

template <class Backbone, class Loss>
void check_device(const Loss& loss) {
  INFO(label(test::with_dim<Backbone>(1)), " + ", label(loss));
  const auto check = [&](const GradientProblem& problem, std::size_t dim, std::uint64_t seed) {
    CAPTURE(dim);
    CAPTURE(seed);
    const auto backbone = test::with_dim<Backbone>(dim);
    const Evaluated device = evaluated<SerialGrid>(backbone, loss, problem, seed);
    const Evaluated host = evaluated<Serial>(backbone, loss, problem, seed);
    CHECK(difference({device.loss}, {host.loss}) <= 1e-12);
    CHECK(difference(device.gradients, host.gradients) <= 1e-12);
  };
  const LossTraits traits = loss_traits(loss);
  const auto check_shared_too = [&](GradientProblem problem, std::size_t dim, std::uint64_t seed) {
    check(problem, dim, seed);
    if (traits.negatives == 0 || !traits.takes_shared_negatives) return;
    problem.shared = true;
    problem.negatives.resize(std::min(problem.negatives.size(), std::size_t{100}));
    problem.mask = static_cast<NegativeMask>(seed % 3);
    check(problem, dim, seed);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GradientProblem problem(seed, traits.negatives);
    check_shared_too(problem, problem.dim, seed);
  }
  // A warp's 32 numbers, packs of them, and what is left over.
  std::uint64_t seed = 10;
  for (const std::size_t dim : {32U, 67U, 131U}) {
    check_shared_too(large_problem(seed, traits.negatives), dim, seed);
    ++seed;
  }
}

using Plain = MF<dynamic>;

}  // namespace

TEST_CASE("a device computes formulas without derivatives, and their gradients") {
  check_device<Plain>(test::SquaredHinge{});
  check_device<Plain>(test::Top1{});
  check_device<Plain>(test::BinaryCrossEntropy{});
}

TEST_CASE("a device computes every loss and every penalty, and their gradients") {
  test::for_each_policy(all::Losses{}, [&]<class Loss>(std::type_identity<Loss>) {
    check_device<Plain>(test::with_few_negatives<Loss>());
  });
  test::for_each_policy(all::Penalties{}, [&]<class Penalty>(std::type_identity<Penalty>) {
    check_device<Plain>(Penalized<Dot, Penalty>{.loss = {}, .penalty = {.weight = 0.1}});
  });
}

TEST_CASE("a device computes losses with other options") {
  check_device<Plain>(BPR{.negatives = 4});
  check_device<Plain>(BSL{.negatives = 3, .tau1 = 0.5, .tau2 = 0.5, .average_positives = false});
  check_device<Plain>(DirectAU{.gamma = 0.5, .duplicates = true});
  check_device<Plain>(MAWU{.pair_mean = PairMean::strict});
  check_device<Plain>(MAWU{.broadcast = true});
  check_device<Plain>(MACR{.negatives = 3, .alpha = 0.5, .beta = 0.25});
}

TEST_CASE("a device computes sums of losses and penalties") {
  check_device<Plain>(
      Penalized<BPR, IPL>{.loss = {}, .penalty = {.weight = 0.3, .sums = IPLSums::batch}});
  check_device<Plain>(Penalized<BPR, IPL>{
      .loss = {.negatives = 3}, .penalty = {.weight = 0.3, .sums = IPLSums::batch_unsorted}});
  check_device<Plain>(Penalized<BPR, ReSN>{.loss = {}, .penalty = {.weight = 0.1}});
  check_device<Plain>(Penalized<Penalized<BPR, Euclidean>, MAWU>{});
}

TEST_CASE("a device computes backbones and the gradients through them") {
  check_device<LightGCN<dynamic>>(MACR{});
  check_device<SimpleX<dynamic>>(BPR{.negatives = 2});
  check_device<Dropout<SimpleX<dynamic>>>(
      Penalized<BPR, IPL>{.loss = {}, .penalty = {.weight = 0.3}});
  check_device<Dropout<MF<dynamic>>>(BPR{.negatives = 2});
  check_device<Dropout<LightGCN<dynamic>>>(Euclidean{});
}
