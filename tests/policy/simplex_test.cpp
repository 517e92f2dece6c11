// SPDX-License-Identifier: BSD-3-Clause
// SimpleX: output rows by their definition, and the options.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/error_of.hpp"

using namespace prism;

namespace {

constexpr std::size_t columns = 5;

/// 3 users, of whom the last has no items, and 4 items.
const Interactions& histories() {
  static const Interactions train(3, 4,
                                  std::vector<Interaction>{{0, 1}, {0, 3}, {1, 0}, {1, 1}, {1, 2}});
  return train;
}

Recommender<SimpleX<columns>, DirectAU, None, Xavier, Adam, UniformNegatives, double> model_with(
    double own_weight) {
  SimpleX<columns> backbone;
  backbone.own_weight = own_weight;
  return Recommender<SimpleX<columns>, DirectAU, None, Xavier, Adam, UniformNegatives, double>(
      histories(), {.seed = 3, .backbone = backbone});
}

}  // namespace

TEST_CASE("SimpleX adds the mapped average of a user's training items to the user's row") {
  const double own_weight = 0.3;
  const auto model = model_with(own_weight);
  const auto& mapping = model.weights().backbone.weight;
  const Output<double> output = model.output();
  for (Index user = 0; user < 3; ++user) {
    std::vector<double> average(columns);
    for (const Index item : histories().items_by_user()[user]) {
      for (std::size_t c = 0; c < columns; ++c) {
        average[c] += model.items()(item, c) / histories().user_degree()[user];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      double expected = own_weight * model.users()(user, c);
      for (std::size_t k = 0; k < columns; ++k) {
        expected += (1 - own_weight) * mapping(c, k) * average[k];
      }
      CHECK(output.users()[user][c] == doctest::Approx(expected).epsilon(1e-14));
    }
  }
  for (Index item = 0; item < 4; ++item) {
    for (std::size_t c = 0; c < columns; ++c) {
      CHECK(output.items()[item][c] == model.items()(item, c));
    }
  }
}

TEST_CASE("SimpleX with an own weight of 1 trains as MF does") {
  const Split split =
      random_split(synthetic_interactions({.users = 9000, .items = 300}), {.seed = 2});
  // Steps of dense and of sparse gradients differ by rounding.
  const auto trained = [&]<class Backbone>(const Backbone& backbone) {
    Recommender<Backbone, BPR, None, Xavier, Adam, UniformNegatives, double> model(
        split.train, {.seed = 3, .backbone = backbone});
    fit(model, split, {.learning_rate = 0.01, .epochs = 1}, Silent());
    return model;
  };
  const auto close = [](double a, double b) { return std::abs(a - b) < 1e-10; };
  SimpleX<columns> backbone;
  backbone.own_weight = 1;
  const auto model = trained(backbone);
  const auto expected = trained(MF<columns>());
  CHECK(std::ranges::equal(model.users(), expected.users(), close));
  CHECK(std::ranges::equal(model.items(), expected.items(), close));
  // More users than one block of the output has.
  const Output<double> output = model.output();
  for (Index user = 0; user < split.train.users(); ++user) {
    const std::span own(rows(model.users())[user], columns);
    CHECK(std::ranges::equal(std::span(output.users()[user], columns), own));
  }
}

TEST_CASE("SimpleX refuses an own weight outside 0 to 1") {
  for (const double wrong : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string error = test::refusal([&] { return model_with(wrong); });
    CHECK(error.find("own_weight: must be from 0 to 1") == 0);
  }
}
