// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// What IPL's c_i sums, and over which items its deviation is taken.
enum class IPLSums {
  /// The scores of the item's training pairs; the items with a training interaction.
  training,
  /// The scores of the item's pairs in the batch; the same items.
  batch,
  /// As in the published code of the PRISM paper (KDD 2025): the items that occur in the batch, as
  /// positives or as negatives. c_i has as many terms as item i has occurrences, but they are not
  /// its own: the list of all scores is cut into one group for each item, by ascending item,
  /// without having been sorted by item. The list has the scores of the pairs, then those of every
  /// pair's first negative, then of every pair's second, and so on.
  batch_unsorted,
};

/// Penalty on popularity bias at the level of interactions: weight times the standard deviation of
/// c_i / d_i^(2 - gamma) over the items with a training interaction, where d_i is the popularity of
/// item i and c_i the sum of sig(u . i) over the users of its training interactions. It penalises
/// scores that grow with popularity. Each step costs a pass over all training interactions, or with
/// other sums one over the batch.
/// Liu et al.: "Popularity debiasing from exposure to interaction in collaborative filtering",
/// SIGIR 2023.
struct IPL {
  static constexpr std::string_view name = "IPL";

  double weight = 0.1;
  double gamma = 1.285;
  IPLSums sums = IPLSums::training;

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_non_negative("weight", weight);
    require(is_finite(gamma), "gamma", "must be a finite number");
    require_enumerator("sums", sums, IPLSums::batch_unsorted);
  }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.needs_all_rows = sums == IPLSums::training,
            .sees_negatives = sums == IPLSums::batch_unsorted};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    switch (sums) {
      case IPLSums::batch:
        return over_batch(step);
      case IPLSums::batch_unsorted:
        return over_unsorted_batch(step);
      default:
        return over_training(step);
    }
  }

 private:
  static constexpr std::size_t grain = 64;

  template <class T, Execution X>
  double over_training(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const Interactions& train = step.batch.train;
    const BatchSide& users = step.batch.user_side;
    const BatchSide& items = step.batch.item_side;
    Scratch& scratch = step.scratch;
    const std::size_t dim = step.output.users.dim();
    const Rows<T> ratio = scratch.allocate<T>(train.items(), 1);
    parallel_chunks(step.exec, train.items(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const T* const item = step.output.items[items.inverse_index[i]];
        T sum = 0;
        for (const Index u : train.users_of(static_cast<Index>(i))) {
          sum += sigmoid(dot<Isa>(step.output.users[users.inverse_index[u]], item, dim));
        }
        *ratio[i] = sum * static_cast<T>(degree_weight(train.item_degree()[i]));
      }
    });
    const auto degree = [&](std::size_t i) { return train.item_degree()[i]; };
    const RatioStatistics statistics =
        ratio_statistics(std::span<const T>(ratio.data(), train.items()), degree);
    if (statistics.gradient_scale == 0) return weight * statistics.deviation;

    const Rows<T> d_sums = ratio_gradient(ratio, statistics, degree);
    const auto add = [dim](T* gradient, const T* anchor, const T* partner, T d_sum) {
      const T probability = sigmoid(dot<Isa>(anchor, partner, dim));
      add_scaled<Isa>(gradient, d_sum * probability * (1 - probability), partner, dim);
    };
    parallel_chunks(step.exec, train.items(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Index row = items.inverse_index[i];
        for (const Index u : train.users_of(static_cast<Index>(i))) {
          add(step.gradient.items[row], step.output.items[row],
              step.output.users[users.inverse_index[u]], *d_sums[i]);
        }
      }
    });
    parallel_chunks(step.exec, train.users(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t u = begin; u < end; ++u) {
        const Index row = users.inverse_index[u];
        for (const Index i : train.items_of(static_cast<Index>(u))) {
          add(step.gradient.users[row], step.output.users[row],
              step.output.items[items.inverse_index[i]], *d_sums[i]);
        }
      }
    });
    return weight * statistics.deviation;
  }

  template <class T, Execution X>
  double over_batch(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    const Interactions& train = batch.train;
    Scratch& scratch = step.scratch;
    const std::size_t dim = step.output.users.dim();
    const Rows<T> probability = scratch.allocate<T>(batch.pairs(), 1);
    const Rows<T> ratio = scratch.allocate_zeros<T>(step.exec, train.items(), 1);
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      *probability[p] = sigmoid(
          dot<Isa>(step.output.users[batch.users[p]], step.output.items[batch.items[p]], dim));
      const Index item = batch.item_side.unique_rows[batch.items[p]];
      *ratio[item] += *probability[p] * static_cast<T>(degree_weight(train.item_degree()[item]));
    }
    const auto degree = [&](std::size_t i) { return train.item_degree()[i]; };
    const RatioStatistics statistics =
        ratio_statistics(std::span<const T>(ratio.data(), train.items()), degree);
    const Rows<T> d_sums = ratio_gradient(ratio, statistics, degree);
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      const Index u = batch.users[p], i = batch.items[p];
      const T d_score =
          *d_sums[batch.item_side.unique_rows[i]] * *probability[p] * (1 - *probability[p]);
      add_scaled<Isa>(step.gradient.users[u], d_score, step.output.items[i], dim);
      add_scaled<Isa>(step.gradient.items[i], d_score, step.output.users[u], dim);
    }
    return weight * statistics.deviation;
  }

  template <class T, Execution X>
  double over_unsorted_batch(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    const BatchSide& items = batch.item_side;
    Scratch& scratch = step.scratch;
    const std::size_t dim = step.output.users.dim();
    const auto item_of = [&](std::size_t k) { return items.unique_rows[k]; };
    const auto degree = [&](std::size_t k) { return batch.train.item_degree()[item_of(k)]; };

    const Rows<Index> by_item = scratch.allocate<Index>(items.num_active, 1);
    const std::span<Index> ascending(by_item.data(), items.num_active);
    std::iota(ascending.begin(), ascending.end(), Index{0});
    std::ranges::sort(ascending, {}, item_of);

    // Calls visit(s, user, item, group) for every score s in the order of the list.
    const auto for_each_score = [&](const auto& visit) {
      std::size_t s = 0;
      for (const Index group : ascending) {
        const std::size_t end = s + items.occurrence_positions(group).size();
        for (; s < end; ++s) {
          const std::size_t p = s % batch.pairs(), j = s / batch.pairs();
          const Index item = j == 0 ? batch.items[p] : batch.negatives_of(p)[j - 1];
          visit(s, batch.users[p], item, group);
        }
      }
    };

    const Rows<T> probability = scratch.allocate<T>(batch.pairs() + batch.negatives.size(), 1);
    const Rows<T> ratio = scratch.allocate_zeros<T>(step.exec, items.num_active, 1);
    for_each_score([&](std::size_t s, Index user, Index item, Index group) {
      *probability[s] = sigmoid(dot<Isa>(step.output.users[user], step.output.items[item], dim));
      *ratio[group] += *probability[s];
    });
    for (std::size_t k = 0; k < items.num_active; ++k) {
      *ratio[k] *= static_cast<T>(degree_weight(degree(k)));
    }
    const RatioStatistics statistics =
        ratio_statistics(std::span<const T>(ratio.data(), items.num_active), degree);
    const Rows<T> d_sums = ratio_gradient(ratio, statistics, degree);
    for_each_score([&](std::size_t s, Index user, Index item, Index group) {
      const T d_score = *d_sums[group] * *probability[s] * (1 - *probability[s]);
      add_scaled<Isa>(step.gradient.users[user], d_score, step.output.items[item], dim);
      add_scaled<Isa>(step.gradient.items[item], d_score, step.output.users[user], dim);
    });
    return weight * statistics.deviation;
  }

  struct RatioStatistics {
    double mean = 0;
    double deviation = 0;
    double gradient_scale = 0;  // d deviation / d x = gradient_scale * (x - mean)
  };

  /// Replaces the items' ratios by d penalty / d c_i.
  /// @param degree  of the item that ratio k belongs to, Index(std::size_t k)
  template <class T, class Degree>
  Rows<T> ratio_gradient(Rows<T> ratio, const RatioStatistics& statistics,
                         const Degree& degree) const {
    for (std::size_t i = 0; i < ratio.size(); ++i) {
      *ratio[i] = static_cast<T>(weight * statistics.gradient_scale *
                                 (static_cast<double>(*ratio[i]) - statistics.mean) *
                                 degree_weight(degree(i)));
    }
    return ratio;
  }

  /// d^(gamma - 2)
  [[nodiscard]] double degree_weight(Index degree) const {
    return degree == 0 ? 0 : std::pow(static_cast<double>(degree), gamma - 2);
  }

  /// Over the items with a training interaction; the standard deviation with n - 1 in the
  /// denominator, 0 for fewer than two items.
  template <class T, class Degree>
  static RatioStatistics ratio_statistics(std::span<const T> ratio, const Degree& degree) {
    double count = 0, sum = 0;
    for (std::size_t i = 0; i < ratio.size(); ++i) {
      if (degree(i) == 0) continue;
      ++count;
      sum += static_cast<double>(ratio[i]);
    }
    if (count < 2) return {};
    RatioStatistics statistics{.mean = sum / count};
    double squares = 0;
    for (std::size_t i = 0; i < ratio.size(); ++i) {
      if (degree(i) == 0) continue;
      const double difference = static_cast<double>(ratio[i]) - statistics.mean;
      squares += difference * difference;
    }
    statistics.deviation = std::sqrt(squares / (count - 1));
    if (statistics.deviation > 0) {
      statistics.gradient_scale = 1 / ((count - 1) * statistics.deviation);
    }
    return statistics;
  }
};

static_assert(LossPolicy<IPL>);

}  // namespace prism::inline PRISM_ISA
