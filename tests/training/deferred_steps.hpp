// SPDX-License-Identifier: BSD-3-Clause
// An optimizer that defers the steps of rows without a gradient, beside one that takes every step
// on every row.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/nan_max.hpp"

namespace test {

template <class T>
double relative_difference(const prism::Matrix<T>& a, const prism::Matrix<T>& b) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = nan_max(difference, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
    largest = std::max(largest, static_cast<double>(std::abs(b.data()[i])));
  }
  return difference / largest;
}

/// Everything that is trained.
template <class Model>
auto trained_tables(Model& model) {
  std::vector<prism::Matrix<typename Model::scalar_type>> tables{model.users(), model.items()};
  const auto collect = [&](const auto& parameter) {
    tables.push_back(
        prism::zeros<typename Model::scalar_type>(parameter.rows.size(), parameter.rows.dim()));
    std::copy_n(parameter.rows.data(), parameter.rows.num_elements(), tables.back().data());
  };
  model.weights().backbone.for_each_parameter(collect);
  model.weights().loss.for_each_parameter(collect);
  return tables;
}

/// Trains a model on batches that leave most rows alone most of the time, some for longer than any
/// momentum lasts.
template <class Model>
auto train_on_few_rows(std::size_t steps, const typename Model::optimizer_type& optimizer = {}) {
  const prism::Interactions all =
      prism::synthetic_interactions({.users = 300, .items = 400, .interactions_per_user = 6});
  Model model(all,
              {.backbone = with_dim<typename Model::backbone_type>(19), .optimizer = optimizer});
  prism::Trainer trainer(model);
  const prism::Random order(4, prism::Stream::shuffle), negatives(4, prism::Stream::negatives);
  std::vector<prism::Interaction> pairs(5);
  for (std::size_t s = 0; s < steps; ++s) {
    // Most batches come from the first few interactions, so that other rows wait.
    const std::size_t from = s % 10 == 0 ? all.size() : 20;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      pairs[p] = all[order.uniform_int(s * pairs.size() + p, static_cast<std::uint32_t>(from))];
    }
    const double learning_rate = s < steps / 2 ? 0.01 : 0.003;
    trainer.step(pairs, trainer.sample(pairs, negatives, s * pairs.size()), learning_rate);
    if (s == steps / 3) trainer.flush();
  }
  trainer.flush();
  return trained_tables(model);
}

/// Both optimizers end with the same weights.
/// @param bound  on the relative difference of each table
template <class Backbone, class Loss, class Regularizer, class T, class Lazy, class Dense>
void check_same(std::size_t steps, double bound, const Lazy& lazily = {},
                const Dense& densely = {}) {
  using LazyModel = prism::Recommender<Backbone, Loss, Regularizer, prism::PRISM<1.0>, Lazy,
                                       prism::UniformNegatives, T>;
  using DenseModel = prism::Recommender<Backbone, Loss, Regularizer, prism::PRISM<1.0>, Dense,
                                        prism::UniformNegatives, T>;
  INFO(std::string(Backbone::name), " + ", std::string(Loss::name), " + ",
       std::string(Regularizer::name), " in ", sizeof(T), " bytes");
  const auto lazy = train_on_few_rows<LazyModel>(steps, lazily);
  const auto dense = train_on_few_rows<DenseModel>(steps, densely);
  REQUIRE(lazy.size() == dense.size());
  for (std::size_t k = 0; k < lazy.size(); ++k) {
    CAPTURE(k);
    CHECK(relative_difference(lazy[k], dense[k]) <= bound);
  }
}

}  // namespace test
