// SPDX-License-Identifier: BSD-3-Clause
// What the theorem predicts for each item of a model in training.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "prism/backbone/mf.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/row.hpp"
#include "prism/optimizer/sgd.hpp"
#include "prism/theory/gradient_sums.hpp"
#include "prism/theory/magnitude.hpp"
#include "prism/training/observer.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The expected change of an item's |i|^2 in an epoch.
struct ExpectedEpochChange {
  double at_most_one = 0;
  double every_pair = 0;
};

template <class Backbone>
inline constexpr bool rows_are_outputs = false;
template <std::size_t Dim>
inline constexpr bool rows_are_outputs<MF<Dim>> = true;

/// A model that the theorem covers: rows trained as they are, towards their pairs' users, by
/// gradient descent.
template <class Model>
concept TheoremModel = rows_are_outputs<typename Model::backbone_type> &&
                       std::same_as<typename Model::optimizer_type, SGD> && requires {
                         { Model::loss_type::pair_loss } -> std::convertible_to<PairLoss>;
                       };

/// Sums over the item's gradients from its pairs, at the current rows.
template <class T>
GradientSums gradient_sums(PairLoss pair_loss, Index item, const Interactions& train,
                           Embeddings<const T> tables) {
  const std::size_t dim = tables.items.dim();
  const T* const i = tables.items[item];
  const double ii = static_cast<double>(dot(i, i, dim));
  GradientSums sums;
  std::vector<double> gradient_sum(dim);
  for (const Index user : train.users_of(item)) {
    const T* const u = tables.users[user];
    const auto [user_coefficient, item_coefficient] = gradient_coefficients(
        pair_loss, static_cast<double>(dot(u, u, dim)), static_cast<double>(dot(u, i, dim)), ii);
    for (std::size_t k = 0; k < dim; ++k) {
      const double g = user_coefficient * static_cast<double>(u[k]) +
                       item_coefficient * static_cast<double>(i[k]);
      sums.dot_item += g * static_cast<double>(i[k]);
      sums.squared_norm += g * g;
      gradient_sum[k] += g;
    }
  }
  sums.squared_norm_of_sum =
      std::inner_product(gradient_sum.begin(), gradient_sum.end(), gradient_sum.begin(), 0.0);
  return sums;
}

/// For each item; empty if the theorem does not cover the model.
template <class Model>
std::vector<ExpectedEpochChange> expected_epoch_change(const Model& model, const FitInfo& info) {
  if constexpr (TheoremModel<Model>) {
    if (!info.constant_rate) return {};
    const Interactions& train = model.train();
    const auto& regularizer = model.options().regularizer;
    // The theorem covers decay of the batch's rows only, or of all rows alike.
    const auto fits = [&](Index degree) {
      const double inactive = prism::weight_decay(regularizer, false, degree);
      return inactive == 0 || inactive == prism::weight_decay(regularizer, true, degree);
    };
    if (!std::ranges::all_of(train.item_degree(), fits)) return {};
    const std::size_t full_batches = train.size() / info.batch_size;
    const std::size_t remainder = train.size() % info.batch_size;
    std::vector<ExpectedEpochChange> growth(train.items());
    constexpr std::size_t grain = 64;
    parallel_chunks(par, growth.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t item = begin; item < end; ++item) {
        const auto id = static_cast<Index>(item);
        const Index degree = train.item_degree()[item];
        TheoremSetting setting{.pair_loss = Model::loss_type::pair_loss,
                               .learning_rate = info.learning_rate,
                               .lambda = prism::weight_decay(regularizer, true, degree),
                               .popularity = degree,
                               .batches = {.pairs = static_cast<std::int64_t>(train.size())}};
        if (prism::weight_decay(regularizer, false, degree) == 0) setting.decay = Decay::batched;
        setting.pair.item = std::max(
            static_cast<double>(norm(model.tables().items[item], model.tables().items.dim())),
            min_norm);
        const GradientSums gradients = gradient_sums(setting.pair_loss, id, train, model.tables());
        const auto steps = [&](std::size_t count, std::size_t pairs) {
          if (count == 0 || pairs == 0) return;
          setting.batches.batch_size = static_cast<std::int64_t>(pairs);
          setting.pair_weight = 1 / static_cast<double>(pairs);  // losses are means
          const double n = static_cast<double>(count);
          growth[item].at_most_one += n * expected_change(setting, gradients, Updates::at_most_one);
          growth[item].every_pair += n * expected_change(setting, gradients, Updates::every_pair);
        };
        steps(full_batches, info.batch_size);
        steps(1, remainder);
      }
    });
    return growth;
  } else {
    return {};
  }
}

}  // namespace prism::inline PRISM_ISA::detail
