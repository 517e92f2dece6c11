// SPDX-License-Identifier: BSD-3-Clause
// A trainer tells a regularizer how popular each row's user or item is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

/// All that is trained after a step of SGD on a batch of a few pairs, and before it.
template <class Regularizer>
struct OneStep {
  using Model = Recommender<MF<4>, MAWU, Regularizer, Xavier, SGD, UniformNegatives, double>;
  struct Parameter {
    ParameterRows reached;
    std::vector<double> before, after;
  };
  std::vector<Parameter> parameters;

  OneStep(const Interactions& train, double learning_rate, Regularizer regularizer) {
    Model model(train, {.seed = 3, .regularizer = regularizer});
    const auto visit = [&](const auto& of) {
      of({rows(model.weights().users), ParameterRows::users});
      of({rows(model.weights().items), ParameterRows::items});
      model.weights().loss.for_each_parameter(of);
    };
    visit([&](const ParameterView<double>& view) {
      const std::span values(view.rows.data(), view.rows.num_elements());
      parameters.push_back({view.reached, {values.begin(), values.end()}, {}});
    });
    Trainer trainer(model);
    const std::vector<Interaction> pairs{train[0], train[1], train[20]};
    trainer.step(pairs, {}, learning_rate);
    trainer.flush();
    std::size_t k = 0;
    visit([&](const ParameterView<double>& view) {
      const std::span values(view.rows.data(), view.rows.num_elements());
      parameters[k++].after.assign(values.begin(), values.end());
    });
  }
};

}  // namespace

TEST_CASE("each row decays by the popularity of its own user or item") {
  const Interactions train =
      synthetic_interactions({.users = 30, .items = 50, .interactions_per_user = 6});
  const double rate = 1e-3, lambda = 1e-2;
  const OneStep<None> without(train, rate, {});
  const OneStep<test::PopularityWD> with(train, rate, {.lambda = lambda});
  REQUIRE(with.parameters.size() == 4);  // two tables, two lists of margins
  const std::vector<Interaction> pairs{train[0], train[1], train[20]};
  for (std::size_t k = 0; k < with.parameters.size(); ++k) {
    const auto& [reached, before, after] = with.parameters[k];
    const bool of_users = reached == ParameterRows::users;
    const std::span<const Index> popularity = of_users ? train.user_degree() : train.item_degree();
    const std::size_t dim = before.size() / popularity.size();
    CAPTURE(k);
    std::size_t checked = 0;
    REQUIRE(before.size() == popularity.size() * dim);
    for (std::size_t r = 0; r < popularity.size(); ++r) {
      const bool active = std::ranges::any_of(
          pairs, [&](Interaction pair) { return (of_users ? pair.user : pair.item) == r; });
      for (std::size_t i = r * dim; i < (r + 1) * dim; ++i) {
        const bool margin = k >= 2;
        if (margin && (before[i] < 0.01 || before[i] > 0.99)) continue;  // clamped to [0, 1]
        const double decayed = before[i] * rate * (active ? 2 : 1) * lambda * popularity[r];
        CHECK(without.parameters[k].after[i] - after[i] ==
              doctest::Approx(decayed).epsilon(1e-6).scale(1e-9));
        ++checked;
      }
    }
    CHECK(checked >= before.size() / 4);
  }
}

TEST_CASE("a step clamps all rows that have bounds, those outside the batch too") {
  const Interactions train =
      synthetic_interactions({.users = 30, .items = 50, .interactions_per_user = 6});
  const OneStep<None> step(train, 1e-3, {});
  for (std::size_t k = 2; k < 4; ++k) {  // MAWU's margins, which Xavier starts on both sides of 0
    CHECK(std::ranges::any_of(step.parameters[k].before, [](double m) { return m < 0; }));
    CHECK(std::ranges::none_of(step.parameters[k].after, [](double m) { return m < 0; }));
  }
}
