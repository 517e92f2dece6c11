// SPDX-License-Identifier: BSD-3-Clause
// Losses that are a function of dot products: a pair's with its own item, and with its negatives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t pair_grain = 256;

/// Scores each pair with its own item (column 0) and its negatives (columns 1..n), and has
/// per_pair(p, scores) turn the scores into slopes, d loss / d score, in place; it returns the
/// pair's part of the loss.
///
/// @param slope  pairs x (n + 1), overwritten
/// @return the sum of the pairs' parts
template <class T, class PerPair>
double score_pairs(const Batch& batch, Embeddings<const T> rows, Rows<T> slope,
                   const PerPair& per_pair) {
  const std::size_t n = batch.negatives_per_pair;
  const std::size_t dim = rows.users.dim();
  return parallel_sum(batch.pairs(), pair_grain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t p = begin; p < end; ++p) {
      const T* const user = rows.users[batch.users[p]];
      const std::span<T> scores(slope[p], n + 1);
      scores[0] = dot(user, rows.items[batch.items[p]], dim);
      for (std::size_t j = 0; j < n; ++j) {
        scores[j + 1] = dot(user, rows.items[batch.negatives[p * n + j]], dim);
      }
      sum += per_pair(p, scores);
    }
    return sum;
  });
}

/// The gradient of each row of a side: the sum over its slots of slope * the other side's row.
/// Calls deposit(k, sum) for each, from several threads; rows that stand in no slot are left out.
/// @param other_of  other_of(slot, add) calls add(row of `others`, slope) for all that a slot meets
template <class T, class OtherOf, class Deposit>
void for_each_row_gradient(const BatchSide& side, Rows<const T> others, const OtherOf& other_of,
                           const Deposit& deposit) {
  parallel_chunks(side.own, pair_grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> met;
    std::vector<T> slopes, sum(others.dim());
    for (std::size_t k = begin; k < end; ++k) {
      met.clear();
      slopes.clear();
      for (const Index slot : side.slots_of(k)) {
        other_of(slot, [&](Index row, T slope) {
          met.push_back(row);
          slopes.push_back(slope);
        });
      }
      if (met.empty()) continue;
      weighted_sum(
          sum.data(), T{1}, std::span<const Index>(met), [&](std::size_t j) { return slopes[j]; },
          others);
      deposit(k, sum.data());
    }
  });
}

/// Carries slopes on to the rows: deposit_user(k, gradient of user row k), and so for items.
template <class T, class DepositUser, class DepositItem>
void for_each_score_gradient(const Batch& batch, Embeddings<const T> rows, Rows<const T> slope,
                             const DepositUser& deposit_user, const DepositItem& deposit_item) {
  const std::size_t n = batch.negatives_per_pair;
  for_each_row_gradient(
      batch.user_side, rows.items,
      [&](Index p, const auto& add) {
        add(batch.items[p], slope[p][0]);
        for (std::size_t j = 0; j < n; ++j) add(batch.negatives[p * n + j], slope[p][j + 1]);
      },
      deposit_user);
  for_each_row_gradient(
      batch.item_side, rows.users,
      [&](Index slot, const auto& add) {
        if (slot >= batch.pairs() && n == 0) return;  // another loss's negatives
        const std::size_t p = batch.pair_of_item_slot(slot);
        const std::size_t column = slot < batch.pairs() ? 0 : 1 + (slot - batch.pairs()) % n;
        add(batch.users[p], slope[p][column]);
      },
      deposit_item);
}

/// The same, added to `gradient`.
template <class T>
void add_score_gradient(const Batch& batch, Embeddings<const T> rows, Rows<const T> slope,
                        Embeddings<T> gradient) {
  const auto add_to = [](Rows<T> to) {
    return [to](std::size_t k, const T* sum) { add_scaled(to[k], T{1}, sum, to.dim()); };
  };
  for_each_score_gradient(batch, rows, slope, add_to(gradient.users), add_to(gradient.items));
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
