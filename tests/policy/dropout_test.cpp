// SPDX-License-Identifier: BSD-3-Clause
// Dropout of output rows: its gradient, how many numbers it drops, and what it depends on.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "policy/gradient_law.hpp"

using namespace prism;

namespace {

template <class Backbone, class Loss>
void check_gradients_through(const Loss& loss) {
  const std::size_t n = loss_traits(loss).negatives;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const GradientProblem problem(seed, n);
    // More columns than the smallest problems have: so few could all be dropped.
    const Dropout<Backbone> backbone{.base = Backbone(problem.dim + 3), .rate = 0.3};
    CHECK(gradient_error(backbone, loss, problem, seed) <= test::gradient_bound);
    CHECK(gradient_error(backbone, loss, problem, seed, {.factor = 1.01}) > test::gradient_bound);
  }
}

const Split& split() {
  static const Split parts =
      random_split(synthetic_interactions({.users = 200, .items = 150}), {.seed = 1});
  return parts;
}

/// The items' table after an epoch.
template <class Backbone>
std::vector<float> trained(const Backbone& backbone, std::uint64_t seed = 7) {
  Recommender<Backbone, BPR> model(split().train, {.seed = seed, .backbone = backbone});
  fit(model, split(), {.learning_rate = 0.01, .batch_size = 512, .epochs = 1}, Silent());
  return {model.items().begin(), model.items().end()};
}

}  // namespace

TEST_CASE("the gradient through dropout is that of the rows with what was dropped") {
  check_gradients_through<MF<dynamic>>(BPR{.negatives = 2});
  check_gradients_through<MF<dynamic>>(SSM{.negatives = 2});
  check_gradients_through<MLP<dynamic, 2, Identity>>(BPR{});
  check_gradients_through<LightGCN<dynamic>>(BPR{});
}

TEST_CASE("dropout sets the share of numbers that its rate says to zero, and scales the others") {
  constexpr std::size_t rows_of_table = 400, dim = 50;
  const Interactions& all = synthetic_interactions({.users = 400, .items = 400});
  std::vector<Interaction> pairs;
  for (Index k = 0; k < rows_of_table; ++k) pairs.push_back({k, k});
  BatchBuilder builder(all);
  const Batch batch = builder.build(par, pairs, {});
  Matrix<double> table = zeros<double>(rows_of_table, dim);
  table.fill(3);
  for (const double rate : {0.1, 0.5, 0.9}) {
    CAPTURE(rate);
    const Dropout<MF<dim>> backbone{.rate = rate};
    const auto state = make_state<double>(backbone, StateContext{all, dim, 1});
    Scratch scratch;
    BackboneStep<double> step{{rows(table), rows(table)}, batch, scratch};
    const auto result = backbone.forward<double>(step, state);
    double dropped = 0;
    for (const auto& side : {result.output.users, result.output.items}) {
      for (std::size_t k = 0; k < side.size(); ++k) {
        for (std::size_t c = 0; c < dim; ++c) {
          dropped += side[k][c] == 0 ? 1 : 0;
          if (side[k][c] != 0) CHECK(side[k][c] == doctest::Approx(3 / (1 - rate)).epsilon(1e-4));
        }
      }
    }
    const double n = 2 * rows_of_table * dim;
    CHECK(std::abs(dropped - rate * n) <= 5 * std::sqrt(n * rate * (1 - rate)));
    // Users and items are dropped apart, and another step drops others.
    const auto first_user =
        std::vector<double>(result.output.users[0], result.output.users[0] + dim);
    CHECK(first_user != std::vector<double>(result.output.items[0], result.output.items[0] + dim));
    step.random = Random(0, Stream::dropout, 1);
    const auto next = backbone.forward<double>(step, state);
    CHECK(first_user != std::vector<double>(next.output.users[0], next.output.users[0] + dim));
  }
}

TEST_CASE("each step of training drops other numbers, and ranking none") {
  Recommender<Dropout<MF<50>>, BPR, None, Xavier, SGD> model(split().train,
                                                             {.backbone = {.rate = 0.5}});
  Trainer trainer(model);
  const std::vector<Interaction> pairs{split().train[0]};
  const auto changed_by_step = [&] {
    const Matrix<float> before = model.users();
    trainer.step(pairs, trainer.sample(pairs, Random(1, Stream::negatives), 0), 0.1);
    trainer.flush();
    std::vector<bool> changed;
    for (std::size_t c = 0; c < 50; ++c) {
      changed.push_back(model.users()(pairs[0].user, c) != before(pairs[0].user, c));
    }
    return changed;
  };
  const std::vector<bool> first = changed_by_step(), second = changed_by_step();
  CHECK(std::ranges::count(first, true) > 5);
  CHECK(std::ranges::count(first, false) > 5);
  CHECK(first != second);
  const auto output = model.output();
  for (Index user = 0; user < split().train.users(); ++user) {
    CHECK(std::equal(output.users()[user], output.users()[user] + 50, rows(model.users())[user]));
  }
}

TEST_CASE("a rate of 0 is the backbone alone, and any other is a model of its own") {
  using Backbone = MF<dynamic>;
  CHECK(trained(Dropout<Backbone>{.base = Backbone(8), .rate = 0}) == trained(Backbone(8)));
  CHECK(trained(Dropout<Backbone>{.base = Backbone(8), .rate = 0.5}) != trained(Backbone(8)));
  CHECK(label(Dropout<MF<8>>{.rate = 0}) == "MF<8>");
  CHECK(label(Dropout<MF<8>>{.rate = 0.25}) == "MF<8> with dropout 0.25");
  CHECK(describe(Dropout<MF<8>>{.rate = 0.25}) != describe(Dropout<MF<8>>{.rate = 0.5}));
  for (const double rate : {-0.1, 1.0, std::nan("")}) {
    CHECK_THROWS_AS(trained(Dropout<Backbone>{.base = Backbone(8), .rate = rate}), ArgumentError);
  }
}
