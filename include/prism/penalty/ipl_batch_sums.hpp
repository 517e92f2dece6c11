// SPDX-License-Identifier: BSD-3-Clause
// IPL over the scores of a batch: their sums by item or by group, and the gradient.
#pragma once

#include <algorithm>
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
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/batch_on_host.hpp"
#include "prism/penalty/ipl_ratios.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The batch's scores in one list: those of the pairs, then (with negatives) those of each pair's
/// first negative, then of each pair's second, and so on.
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
  /// The user and item rows of score s.
  [[nodiscard]] PRISM_HOST_DEVICE Index user(std::size_t s) const noexcept {
    return users[s % users.size()];
  }
  [[nodiscard]] PRISM_HOST_DEVICE Index item(std::size_t s) const noexcept {
    const std::size_t p = s % users.size(), j = s / users.size();
    return j == 0 ? items[p] : negatives[p * negatives_per_pair + j - 1];
  }
};

/// The sigmoid of each score of the list, and its derivative.
template <class T>
struct ScoreSigmoids {
  Rows<T> probability, derivative;
};
template <class T, Execution X>
[[nodiscard]] ScoreSigmoids<T> sigmoids(const LossStep<T, X>& step, const ScoreList& list) {
  const ScoreSigmoids<T> to{step.scratch.template allocate<T>(list.size(), 1),
                            step.scratch.template allocate<T>(list.size(), 1)};
  const IndexedRows<const T> users = step.output.users, items = step.output.items;
  for_each_row(step.exec, list.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t s) {
    using Isa = typename X::isa;
    const T score = dot<Isa>(users[list.user(s)], items[list.item(s)], users.dim());
    Lanes<Isa>::once([=] {
      *to.probability[s] = sigmoid(score);
      *to.derivative[s] = sigmoid_derivative(score);
    });
  });
  return to;
}

/// ratio[i] = c_i / d_i^(2 - gamma) of the items of a batch, where c_i sums over the batch's pairs.
template <class T, Execution X>
void batch_ratios(const X& exec, BatchSide items, Rows<const T> probability,
                  const ItemDegree& degree, Rows<T> ratio) {
  for_each_element(exec, items.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const Index item = items.unique_rows[k];
    double sum = 0;
    for (const Index p : items.occurrence_positions(k)) {
      sum += static_cast<double>(*probability[p]);
    }
    *ratio[item] = static_cast<T>(sum * degree.weight(item));
  });
}

/// How IPLSums::batch_unsorted divides the list among the batch's items: in ascending order, each
/// item gets as many scores as it has occurrences.
struct ScoreGroups {
  std::span<const Index> first;           // where each item row's group begins
  std::span<const Index> group_of_score;  // the item row whose group has each score
  std::span<const Index> scores_of_item;  // each item row's own scores, ascending, at the
                                          // offsets of its occurrences

  template <class T, Execution X>
  ScoreGroups(const LossStep<T, X>& step, const ScoreList& list) {
    // Sorting runs on the host.
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
    group_of_score = given_back(groups);
    scores_of_item = given_back(scores);
  }
};

/// ratio[k] = c_i / d_i^(2 - gamma) of item row k, where c_i sums over the row's group.
/// @param first  where the groups begin in `probability`
template <class T, Execution X>
void group_ratios(const X& exec, BatchSide items, std::span<const Index> first,
                  Rows<const T> probability, const ItemDegree& degree, Rows<T> ratio) {
  for_each_element(exec, items.num_active, ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const std::size_t size = items.occurrence_positions(k).size();
    double sum = 0;
    for (std::size_t s = first[k]; s < first[k] + size; ++s) {
      sum += static_cast<double>(*probability[s]);
    }
    *ratio[k] = static_cast<T>(sum * degree.weight(k));
  });
}

/// d penalty / d score of each score of the list.
/// @param d_sum     d penalty / d c_i
/// @param sum_of    empty, or the position in d_sum of each group's c_i
/// @param group_of  the group of each score
/// @param derivative  of each score's sigmoid
template <class T, Execution X>
[[nodiscard]] Rows<T> score_gradients(const LossStep<T, X>& step, Rows<const T> d_sum,
                                      std::span<const Index> sum_of,
                                      std::span<const Index> group_of, Rows<const T> derivative) {
  const Rows<T> to = step.scratch.template allocate<T>(derivative.size(), 1);
  for_each_element(step.exec, to.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t s) {
    const Index group = group_of[s];
    *to[s] = *d_sum[sum_of.empty() ? group : sum_of[group]] * *derivative[s];
  });
  return to;
}

/// Adds the gradient of the scores to the rows' gradient, score by score in the order of the list.
/// @param scores_of_item  the scores of each item row, ascending, at the offsets of its
///                        occurrences; see score_gradients for the other parameters
template <class T, Execution X>
void add_batch_gradient(const LossStep<T, X>& step, const ScoreList& list, Rows<const T> d_sum,
                        std::span<const Index> sum_of, std::span<const Index> group_of,
                        Rows<const T> derivative, std::span<const Index> scores_of_item) {
  const Rows<const T> d_score = score_gradients(step, d_sum, sum_of, group_of, derivative);
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
