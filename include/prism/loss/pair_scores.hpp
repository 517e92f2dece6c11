// SPDX-License-Identifier: BSD-3-Clause
// Losses that are a function of dot products: a pair's with its own item, and with its negatives.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
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

/// Carries slopes on to the rows: gradient += slope * the other row, row by row in a fixed order.
template <class T>
void add_score_gradient(const Batch& batch, Embeddings<const T> rows, Rows<const T> slope,
                        Embeddings<T> gradient) {
  const std::size_t n = batch.negatives_per_pair;
  const std::size_t dim = rows.users.dim();
  parallel_chunks(batch.user_side.own, pair_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (const Index p : batch.user_side.slots_of(k)) {
        add_scaled(gradient.users[k], slope[p][0], rows.items[batch.items[p]], dim);
        for (std::size_t j = 0; j < n; ++j) {
          add_scaled(gradient.users[k], slope[p][j + 1], rows.items[batch.negatives[p * n + j]],
                     dim);
        }
      }
    }
  });
  parallel_chunks(batch.item_side.own, pair_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      for (const Index slot : batch.item_side.slots_of(k)) {
        if (slot >= batch.pairs() && n == 0) break;  // another loss's negatives
        const std::size_t p = batch.pair_of_item_slot(slot);
        const std::size_t column = slot < batch.pairs() ? 0 : 1 + (slot - batch.pairs()) % n;
        add_scaled(gradient.items[k], slope[p][column], rows.users[batch.users[p]], dim);
      }
    }
  });
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
