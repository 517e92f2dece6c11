// SPDX-License-Identifier: BSD-3-Clause
// IPL's sums: of scores over the training interactions or over a batch, their deviation, and the
// gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/power.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/batch_on_host.hpp"
#include "prism/ops/ordered_sums.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t ipl_grain = 64;

/// The popularity of the item that ratio k belongs to.
struct ItemDegree {
  std::span<const Index> degree;
  std::span<const Index> item_of_ratio;  // empty: ratio k is item k's
  double gamma;

  [[nodiscard]] PRISM_HOST_DEVICE Index operator()(std::size_t k) const noexcept {
    return degree[item_of_ratio.empty() ? k : item_of_ratio[k]];
  }
  /// d^(gamma - 2)
  [[nodiscard]] PRISM_HOST_DEVICE double weight(std::size_t k) const noexcept {
    const Index d = (*this)(k);
    return d == 0 ? 0 : elementary::pow(static_cast<double>(d), gamma - 2);
  }
};

struct RatioStatistics {
  double mean = 0;
  double deviation = 0;
  double gradient_scale = 0;  // d deviation / d x = gradient_scale * (x - mean)
};

/// Over the items with a training interaction; the standard deviation with n - 1 in the
/// denominator, 0 for fewer than two items.
template <class T, Execution X>
[[nodiscard]] RatioStatistics ratio_statistics(const X& exec, Rows<const T> ratio,
                                               const ItemDegree& degree) {
  const double count = sum_over_elements(
      exec, ratio.size(),
      [=] PRISM_HOST_DEVICE(std::size_t k) -> double { return degree(k) == 0 ? 0 : 1; });
  if (count < 2) return {};
  const double sum =
      sum_over_elements(exec, ratio.size(), [=] PRISM_HOST_DEVICE(std::size_t k) -> double {
        return degree(k) == 0 ? 0 : static_cast<double>(*ratio[k]);
      });
  RatioStatistics statistics{.mean = sum / count};
  const double mean = statistics.mean;
  const double squares =
      sum_over_elements(exec, ratio.size(), [=] PRISM_HOST_DEVICE(std::size_t k) -> double {
        const double difference = static_cast<double>(*ratio[k]) - mean;
        return degree(k) == 0 ? 0 : difference * difference;
      });
  statistics.deviation = std::sqrt(squares / (count - 1));
  if (statistics.deviation > 0) {
    statistics.gradient_scale = 1 / ((count - 1) * statistics.deviation);
  }
  return statistics;
}

/// Replaces the ratios by d penalty / d c_i.
template <class T, Execution X>
void ratio_gradient(const X& exec, Rows<T> ratio, const RatioStatistics& statistics, double weight,
                    const ItemDegree& degree) {
  for_each_element(exec, ratio.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    *ratio[k] =
        static_cast<T>(weight * statistics.gradient_scale *
                       (static_cast<double>(*ratio[k]) - statistics.mean) * degree.weight(k));
  });
}

/// Calls visit(j, sig(row . partner_of(j))) for j < n, in order: dot products of a block, then
/// their sigmoids in packs. On a device a warp's lanes share each dot product.
template <class Isa, class T, class PartnerOf, class Visit>
PRISM_HOST_DEVICE void for_each_probability(const T* row, std::size_t dim, std::size_t n,
                                            const PartnerOf& partner_of, const Visit& visit) {
  if constexpr (Lanes<Isa>::are_threads) {
    for (std::size_t j = 0; j < n; ++j) visit(j, sigmoid(dot<Isa>(row, partner_of(j), dim)));
  } else {
    using P = Pack<T, Isa>;
    constexpr std::size_t block = 64;
    static_assert(block % P::width == 0);
    T scores[block];
    for (std::size_t first = 0; first < n; first += block) {
      const std::size_t count = std::min(block, n - first);
      for (std::size_t j = 0; j < count; ++j) {
        scores[j] = dot<Isa>(row, partner_of(first + j), dim);
      }
      // Up to the end of a pack.
      std::fill(scores + count, scores + (count + P::width - 1) / P::width * P::width, T{0});
      for (std::size_t j = 0; j < count; j += P::width) {
        sigmoid(P::load(scores + j)).store(scores + j);
      }
      for (std::size_t j = 0; j < count; ++j) visit(first + j, scores[j]);
    }
  }
}

/// ratio[i] = c_i / d_i^(2 - gamma), c_i the sum over the item's training interactions.
template <class T, Execution X>
void training_ratios(const X& exec, Adjacency users_of, BatchRows<T> output,
                     std::span<const Index> user_row, std::span<const Index> item_row,
                     const ItemDegree& degree, Rows<T> ratio) {
  for_each_row(exec, users_of.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t i) {
    using Isa = typename X::isa;
    const T* const item = output.items[item_row[i]];
    const std::span<const Index> users = users_of[i];
    double sum = 0;  // of a popular item's many terms
    for_each_probability<Isa>(
        item, output.users.dim(), users.size(),
        [&](std::size_t j) { return output.users[user_row[users[j]]]; },
        [&](std::size_t, T probability) { sum += static_cast<double>(probability); });
    Lanes<Isa>::once([=] { *ratio[i] = static_cast<T>(sum * degree.weight(i)); });
  });
}

/// d penalty / d c_i, for the training interactions of a side's row and those of the other side.
template <class T>
struct TrainingSumGradient {
  Rows<const T> of_item;
  bool rows_are_items;

  [[nodiscard]] PRISM_HOST_DEVICE T operator()(std::size_t row, Index partner) const noexcept {
    return *of_item[rows_are_items ? row : partner];
  }
};

/// Adds the gradient of the scores of one side's training interactions to that of its rows.
/// @param row_of, partner_row_of  the rows of ids
template <class T, Execution X>
void add_training_gradient(const X& exec, Adjacency partners_of, IndexedRows<const T> rows,
                           std::span<const Index> row_of, IndexedRows<const T> partners,
                           std::span<const Index> partner_row_of, TrainingSumGradient<T> d_sum,
                           Rows<T> gradient) {
  for_each_row(exec, partners_of.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t id) {
    using Isa = typename X::isa;
    const std::size_t dim = rows.dim();
    const Index row = row_of[id];
    const std::span<const Index> partners_of_row = partners_of[id];
    const auto partner = [&](std::size_t j) {
      return partners[partner_row_of[partners_of_row[j]]];
    };
    for_each_probability<Isa>(
        rows[row], dim, partners_of_row.size(), partner, [&](std::size_t j, T probability) {
          add_scaled<Isa>(gradient[row],
                          d_sum(id, partners_of_row[j]) * probability * (1 - probability),
                          partner(j), dim);
        });
  });
}

/// The batch's scores in one list: those of the pairs, then, of negatives too, those of every
/// pair's first negative, then of every pair's second, and so on.
struct ScoreList {
  std::span<const Index> users;
  std::span<const Index> items;
  std::span<const Index> negatives;
  std::size_t negatives_per_pair;

  ScoreList(const Batch& batch, bool with_negatives) noexcept
      : users(batch.users),
        items(batch.items),
        negatives(with_negatives ? batch.negatives : std::span<const Index>()),
        negatives_per_pair(with_negatives ? batch.negatives_per_pair : 0) {}

  [[nodiscard]] PRISM_HOST_DEVICE std::size_t size() const noexcept {
    return users.size() + negatives.size();
  }
  /// The rows of score s.
  [[nodiscard]] PRISM_HOST_DEVICE Index user(std::size_t s) const noexcept {
    return users[s % users.size()];
  }
  [[nodiscard]] PRISM_HOST_DEVICE Index item(std::size_t s) const noexcept {
    const std::size_t p = s % users.size(), j = s / users.size();
    return j == 0 ? items[p] : negatives[p * negatives_per_pair + j - 1];
  }
};

/// The sigmoid of each score of the list.
template <class T, Execution X>
[[nodiscard]] Rows<T> probabilities(const LossStep<T, X>& step, const ScoreList& list) {
  const Rows<T> to = step.scratch.template allocate<T>(list.size(), 1);
  const IndexedRows<const T> users = step.output.users, items = step.output.items;
  for_each_row(step.exec, list.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t s) {
    using Isa = typename X::isa;
    const T probability = sigmoid(dot<Isa>(users[list.user(s)], items[list.item(s)], users.dim()));
    Lanes<Isa>::once([=] { *to[s] = probability; });
  });
  return to;
}

/// ratio[i] = c_i / d_i^(2 - gamma) of the items of a batch, c_i the sum over its pairs.
template <class T, Execution X>
void batch_ratios(const X& exec, BatchSide items, Rows<const T> probability,
                  const ItemDegree& degree, Rows<T> ratio) {
  for_each_element(exec, items.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const Index item = items.unique_rows[k];
    const T weight = static_cast<T>(degree.weight(item));
    T sum = 0;
    for (const Index p : items.occurrence_positions(k)) sum += *probability[p] * weight;
    *ratio[item] = sum;
  });
}

/// How IPLSums::batch_unsorted divides the list among the batch's items: as many scores for each as
/// it has occurrences, by ascending item.
struct ScoreGroups {
  std::span<const Index> first;           // of each item row: where its group begins
  std::span<const Index> of_score;        // the item row whose group a score is in
  std::span<const Index> scores_of_item;  // the scores that are an item row's own, ascending, in
                                          // place of its occurrences

  template <class T, Execution X>
  ScoreGroups(const LossStep<T, X>& step, const ScoreList& list) {
    // Sorting is the host's work.
    const BatchOnHost<X> on_host(step.exec, step.batch);
    const BatchSide& items = on_host.batch().item_side;
    const ScoreList scores_on_host(on_host.batch(), list.negatives_per_pair > 0);
    std::vector<Index> ascending(items.num_active);
    std::iota(ascending.begin(), ascending.end(), Index{0});
    std::ranges::sort(ascending, {}, [&](Index k) { return items.unique_rows[k]; });
    std::vector<Index> begin(items.num_active), groups(list.size());
    std::size_t end = 0;
    for (const Index k : ascending) {
      begin[k] = static_cast<Index>(end);
      const std::size_t size = items.occurrence_positions(k).size();
      std::fill_n(groups.begin() + static_cast<std::ptrdiff_t>(end), size, k);
      end += size;
    }

    std::vector<Index> scores(list.size());
    const std::span<const Index> starts = items.offsets.first(items.num_active);
    std::vector<Index> next(starts.begin(), starts.end());
    for (std::size_t s = 0; s < list.size(); ++s) {
      scores[next[scores_on_host.item(s)]++] = static_cast<Index>(s);
    }
    const auto given_back = [&](std::span<const Index> numbers) -> std::span<const Index> {
      const Rows<Index> to = step.scratch.template allocate<Index>(numbers.size(), 1);
      const std::span<Index> copy(to.data(), numbers.size());
      copy_across(device_memory(memory_of(step.exec)), numbers, copy);
      return copy;
    };
    first = given_back(begin);
    of_score = given_back(groups);
    scores_of_item = given_back(scores);
  }
};

/// ratio[k] = c_i / d_i^(2 - gamma) of item row k, c_i the sum over its group.
/// @param first  where the groups begin in `probability`
template <class T, Execution X>
void group_ratios(const X& exec, BatchSide items, std::span<const Index> first,
                  Rows<const T> probability, const ItemDegree& degree, Rows<T> ratio) {
  for_each_element(exec, items.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const std::size_t size = items.occurrence_positions(k).size();
    T sum = 0;
    for (std::size_t s = first[k]; s < first[k] + size; ++s) sum += *probability[s];
    *ratio[k] = sum * static_cast<T>(degree.weight(k));
  });
}

/// d penalty / d score, times the sigmoid's derivative, of each score of the list.
/// @param d_sum     d penalty / d c_i
/// @param sum_of    empty, or where the c_i of a group is in d_sum
/// @param group_of  of each score
template <class T, Execution X>
[[nodiscard]] Rows<T> score_gradients(const LossStep<T, X>& step, Rows<const T> d_sum,
                                      std::span<const Index> sum_of,
                                      std::span<const Index> group_of, Rows<const T> probability) {
  const Rows<T> to = step.scratch.template allocate<T>(probability.size(), 1);
  for_each_element(step.exec, to.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t s) {
    const Index group = group_of[s];
    *to[s] =
        *d_sum[sum_of.empty() ? group : sum_of[group]] * *probability[s] * (1 - *probability[s]);
  });
  return to;
}

/// Adds the gradient of the scores to that of the rows, score by score in the order of the list.
/// @param scores_of_item  the scores of each item row, ascending, in place of its occurrences; for
///                        the others see score_gradients
template <class T, Execution X>
void add_batch_gradient(const LossStep<T, X>& step, const ScoreList& list, Rows<const T> d_sum,
                        std::span<const Index> sum_of, std::span<const Index> group_of,
                        Rows<const T> probability, std::span<const Index> scores_of_item) {
  const Rows<const T> d_score = score_gradients(step, d_sum, sum_of, group_of, probability);
  const BatchSide user_side = step.batch.user_side, item_side = step.batch.item_side;
  const IndexedRows<const T> users = step.output.users, items = step.output.items;
  const Rows<T> to_users = step.gradient.users, to_items = step.gradient.items;
  const std::size_t pairs = list.users.size();
  for_each_row(step.exec, user_side.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    for (std::size_t begin = 0; begin < list.size(); begin += pairs) {
      for (const Index p : user_side.occurrence_positions(k)) {
        const std::size_t s = begin + p;
        add_scaled<typename X::isa>(to_users[k], *d_score[s], items[list.item(s)], items.dim());
      }
    }
  });
  for_each_row(step.exec, item_side.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    for (std::size_t t = item_side.offsets[k]; t < item_side.offsets[k + 1]; ++t) {
      const std::size_t s = scores_of_item[t];
      add_scaled<typename X::isa>(to_items[k], *d_score[s], users[list.user(s)], users.dim());
    }
  });
}

}  // namespace prism::inline PRISM_ISA::detail
