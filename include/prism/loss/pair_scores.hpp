// SPDX-License-Identifier: BSD-3-Clause
// Losses that are a function of dot products: a pair's with its own item, and with its negatives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t pair_grain = 256;

/// Scores pair p with its own item and its negatives.
template <class T>
void score_pair(const Batch& batch, Embeddings<const T> rows, std::size_t p,
                std::span<T> scores) noexcept {
  const T* const user = rows.users[batch.users[p]];
  const std::size_t dim = rows.users.dim();
  scores[0] = dot(user, rows.items[batch.items[p]], dim);
  for (std::size_t j = 1; j < scores.size(); ++j) {
    scores[j] = dot(user, rows.items[batch.negatives_of(p)[j - 1]], dim);
  }
}

/// Scores each pair, has per_pair turn the scores into slopes, and calls deposit_user(k, gradient
/// of user row k) for each of the batch's own: user by user, because the rows that have just been
/// scored are at hand for the gradient. See for_each_score_gradient.
template <class T, class PerPair, class Deposit>
double score_users(const Batch& batch, Embeddings<const T> rows, Rows<T> slope,
                   const PerPair& per_pair, const Deposit& deposit_user) {
  const BatchSide& side = batch.user_side;
  return parallel_sum(side.own, pair_grain, [&](std::size_t begin, std::size_t end) {
    double total = 0;
    std::vector<Index> met;
    std::vector<T> slopes, gradient(rows.users.dim());
    for (std::size_t k = begin; k < end; ++k) {
      met.clear();
      slopes.clear();
      for (const Index p : side.slots_of(k)) {
        const std::span<T> scores(slope[p], slope.dim());
        const std::span<const Index> negatives = batch.negatives_of(p);
        score_pair(batch, rows, p, scores);
        total += per_pair(p, scores);
        met.push_back(batch.items[p]);
        met.insert(met.end(), negatives.begin(), negatives.end());
        slopes.insert(slopes.end(), scores.begin(), scores.end());
      }
      weighted_sum(
          gradient.data(), T{1}, std::span<const Index>(met),
          [&](std::size_t j) { return slopes[j]; }, rows.items);
      deposit_user(k, gradient.data());
    }
    return total;
  });
}

/// Calls deposit_item(k, gradient of item row k) for each of the batch's own.
template <class T, class Deposit>
void for_each_item_gradient(const Batch& batch, Rows<const T> users, Rows<const T> slope,
                            const Deposit& deposit_item) {
  const BatchSide& side = batch.item_side;
  const std::size_t n = batch.negatives_per_pair;
  parallel_chunks(side.own, pair_grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> met;
    std::vector<T> slopes, gradient(users.dim());
    for (std::size_t k = begin; k < end; ++k) {
      met.clear();
      slopes.clear();
      for (const Index slot : side.slots_of(k)) {
        if (slot >= batch.pairs() && n == 0) continue;  // another loss's negatives
        const std::size_t p = batch.pair_of_item_slot(slot);
        const std::size_t column = slot < batch.pairs() ? 0 : 1 + (slot - batch.pairs()) % n;
        met.push_back(batch.users[p]);
        slopes.push_back(slope[p][column]);
      }
      weighted_sum(
          gradient.data(), T{1}, std::span<const Index>(met),
          [&](std::size_t j) { return slopes[j]; }, users);
      deposit_item(k, gradient.data());
    }
  });
}

/// Scores each pair with its own item and its negatives, in this order, and has per_pair(p, scores)
/// turn the scores into slopes, d loss / d score, in place; it returns the pair's part of the loss.
/// Carries the slopes on to the rows: deposit_user(k, gradient of user row k) is called once for
/// each of the batch's own, and so is deposit_item. All three are called from several threads.
/// @return the sum of the pairs' parts
template <class T, class PerPair, class DepositUser, class DepositItem>
double for_each_score_gradient(const Batch& batch, Embeddings<const T> rows, Scratch& scratch,
                               const PerPair& per_pair, const DepositUser& deposit_user,
                               const DepositItem& deposit_item) {
  const Rows<T> slope = scratch.take<T>(batch.pairs(), batch.negatives_per_pair + 1);
  const double total = score_users(batch, rows, slope, per_pair, deposit_user);
  for_each_item_gradient<T>(batch, rows.users, slope, deposit_item);
  return total;
}

/// The same, with the gradient added to `step.gradient`.
template <class T, class PerPair>
double add_score_gradient(const LossStep<T>& step, const PerPair& per_pair) {
  const auto add_to = [](Rows<T> to) {
    return [to](std::size_t k, const T* sum) { add_scaled(to[k], T{1}, sum, to.dim()); };
  };
  return for_each_score_gradient(step.batch, step.output, step.scratch, per_pair,
                                 add_to(step.gradient.users), add_to(step.gradient.items));
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
