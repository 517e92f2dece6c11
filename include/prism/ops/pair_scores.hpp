// SPDX-License-Identifier: BSD-3-Clause
// Losses that are functions of the scores of each pair's positive item and its negatives. A loss
// provides a function of one pair's scores; this file computes the scores and the row gradients.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/ops/device/shared_scores.hpp"
#include "prism/ops/scores.hpp"
#include "prism/ops/shared_scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t pair_grain = 256;

/// The item rows of the pairs' scores: each pair's positive item, then its negatives.
inline void list_scored_items(const Batch& batch, std::span<const Index> pairs,
                              Index* to) noexcept {
  const std::size_t n = batch.negatives_per_pair;
  for (const Index p : pairs) {
    *to++ = batch.items[p];
    to = std::copy_n(batch.negatives.data() + p * n, n, to);
  }
}

/// Computes each pair's scores, calls per_pair, which replaces them by d loss / d score, and calls
/// scatter_user(k, gradient of user row k) for each active row. Works user by user, so that the
/// scored rows are still in cache for the gradient. See for_each_score_gradient.
template <HostExecution X, class T, class PerPair, class Scatter>
double score_users(const X& exec, const Batch& batch, BatchRows<T> rows, Rows<T> d_score,
                   const PerPair& per_pair, const Scatter& scatter_user) {
  using Isa = typename X::isa;
  const BatchSide& side = batch.user_side;
  const std::size_t terms = batch.negatives_per_pair + 1;
  const std::size_t pairs_ahead = 1 + 16 / (terms + 1), items_ahead = terms * pairs_ahead;
  return parallel_sum(exec, side.num_active, pair_grain, [&](std::size_t begin, std::size_t end) {
    const std::size_t dim = rows.users.dim();
    const std::span<const Index> pairs =
        side.occurrences.subspan(side.offsets[begin], side.offsets[end] - side.offsets[begin]);
    // Data that is read soon after it is written has its own lists, in the order of the visits.
    std::vector<Index> items(pairs.size() * terms);
    std::vector<T> d_scores(items.size()), gradient(dim);
    list_scored_items(batch, pairs, items.data());
    double total = 0;
    std::size_t at = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const T* const user = rows.users[k];
      if (k + pairs_ahead < end) prefetch(rows.users[k + pairs_ahead], dim);
      const std::size_t first = at;
      for (const Index p : side.occurrence_positions(k)) {
        T* const scores = d_scores.data() + at;
        for (std::size_t j = 0; j < terms; ++j, ++at) {
          if (at + items_ahead < items.size()) {
            prefetch(rows.items[items[at + items_ahead]], dim);
          }
          scores[j] = dot<Isa>(user, rows.items[items[at]], dim);
        }
        total += pair_part<Isa>(per_pair, p, scores, terms);
      }
      weighted_sum<Isa>(
          gradient.data(), T{1}, std::span<const Index>(items).subspan(first, at - first),
          [&, first](std::size_t j) { return d_scores[first + j]; }, rows.items);
      scatter_user(k, gradient.data());
    }
    for (std::size_t s = 0; s < pairs.size(); ++s) {
      std::copy_n(d_scores.data() + s * terms, terms, d_score[pairs[s]]);
    }
    return total;
  });
}

/// Calls scatter_item(k, gradient of item row k) for each active row.
template <class T, HostExecution X, class Scatter>
void for_each_item_gradient(const X& exec, const Batch& batch, IndexedRows<const T> users,
                            Rows<const T> d_score, const Scatter& scatter_item) {
  const BatchSide& side = batch.item_side;
  const Index pairs = static_cast<Index>(batch.pairs());
  const Index n = static_cast<Index>(batch.negatives_per_pair);
  parallel_chunks(exec, side.num_active, pair_grain, [&](std::size_t begin, std::size_t end) {
    // One loop over all rows' occurrences: the end of a short loop per row would be mispredicted.
    const std::size_t first = side.offsets[begin];
    const std::span<const Index> occurrences =
        side.occurrences.subspan(first, side.offsets[end] - first);
    std::vector<Index> neighbours(occurrences.size());
    std::vector<T> d_scores(occurrences.size()), gradient(users.dim());
    for (std::size_t s = 0; s < occurrences.size(); ++s) {
      const bool negative = occurrences[s] >= pairs;
      const Index q = negative ? occurrences[s] - pairs : 0;
      const Index p = negative ? q / n : occurrences[s];
      neighbours[s] = batch.users[p];
      d_scores[s] = d_score[p][negative ? 1 + q % n : 0];
    }
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t from = side.offsets[k] - first;
      const std::size_t count = side.occurrence_positions(k).size();
      constexpr std::size_t prefetch_distance = 12;
      const std::size_t ahead = std::min(from + prefetch_distance, neighbours.size());
      for (const Index user : std::span<const Index>(neighbours)
                                  .subspan(ahead)
                                  .first(std::min(count, neighbours.size() - ahead))) {
        prefetch(users[user], users.dim());
      }
      weighted_sum<typename X::isa>(
          gradient.data(), T{1}, std::span<const Index>(neighbours).subspan(from, count),
          [&](std::size_t j) { return d_scores[from + j]; }, users);
      scatter_item(k, gradient.data());
    }
  });
}

/// Stores a row's gradient.
template <class T, class Isa>
struct StoreRow {
  Rows<T> to;

  PRISM_HOST_DEVICE void operator()(std::size_t k, const T* gradient) const noexcept {
    copy<Isa>(to[k], gradient, to.dim());
  }
};

}  // namespace detail

/// For each pair p, computes the scores of its positive item and its negatives as dot products of
/// `rows`, and calls per_pair(p, scores), which returns the pair's part of the loss and replaces
/// the scores by the derivatives d loss / d score. `scores` is a PairScores<T, typename X::isa>, or
/// a std::span<T> that starts with the positive item's score. Then calls scatter_user(k, gradient
/// of user row k) and scatter_item(k, gradient of item row k) once for each active row. All three
/// callbacks are called from several threads. The score of a masked negative is masked_score.
/// @return the sum of the pairs' parts
template <HostExecution X, class T, class PerPair, class ScatterUser, class ScatterItem>
double for_each_score_gradient(const X& exec, const Batch& batch, BatchRows<T> rows,
                               Scratch& scratch, const PerPair& per_pair,
                               const ScatterUser& scatter_user, const ScatterItem& scatter_item) {
  if (batch.shared_negatives) {
    const detail::SharedScores<T, typename X::isa> scores(exec, batch, rows, scratch);
    const double total = scores.score_users(exec, per_pair, scatter_user);
    scores.for_each_item_gradient(exec, scatter_item);
    return total;
  }
  const Rows<T> d_score = scratch.allocate<T>(batch.pairs(), batch.negatives_per_pair + 1);
  const double total = detail::score_users(exec, batch, rows, d_score, per_pair, scatter_user);
  detail::for_each_item_gradient<T>(exec, batch, rows.users, d_score, scatter_item);
  return total;
}

namespace detail {

/// The row gradients of both sides, from the derivatives of the scores.
template <class T, DeviceExecution X, class ScatterUser, class ScatterItem>
void scatter_score_gradients(const X& exec, const Batch& batch, BatchRows<T> rows,
                             Rows<const T> d_score, Scratch& scratch,
                             const ScatterUser& scatter_user, const ScatterItem& scatter_item) {
  const std::size_t dim = rows.users.dim(), terms = d_score.dim();
  const std::span<const Index> items = batch.items, negatives = batch.negatives;
  const std::span<const Index> users = batch.users;
  const Rows<T> user_gradient = scratch.allocate<T>(batch.user_side.num_active, dim);
  const BatchSide user_side = batch.user_side, item_side = batch.item_side;
  for_each_row(exec, user_side.num_active, pair_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const std::span<const Index> pairs = user_side.occurrence_positions(k);
    weighted_sum<typename X::isa>(
        user_gradient[k], T{1}, pairs.size() * terms,
        [=](std::size_t s) -> std::size_t {
          const std::size_t p = pairs[s / terms], j = s % terms;
          return j == 0 ? items[p] : negatives[p * (terms - 1) + j - 1];
        },
        [=](std::size_t s) { return d_score[pairs[s / terms]][s % terms]; }, rows.items);
    scatter_user(k, user_gradient[k]);
  });
  const Rows<T> item_gradient = scratch.allocate<T>(batch.item_side.num_active, dim);
  const std::size_t pairs = batch.pairs();
  for_each_row(exec, item_side.num_active, pair_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const std::span<const Index> occurrences = item_side.occurrence_positions(k);
    const auto pair_of = [=](std::size_t s) -> std::size_t {
      return occurrences[s] < pairs ? occurrences[s] : (occurrences[s] - pairs) / (terms - 1);
    };
    weighted_sum<typename X::isa>(
        item_gradient[k], T{1}, occurrences.size(),
        [=](std::size_t s) -> std::size_t { return users[pair_of(s)]; },
        [=](std::size_t s) {
          const bool positive = occurrences[s] < pairs;
          return d_score[pair_of(s)][positive ? 0 : 1 + (occurrences[s] - pairs) % (terms - 1)];
        },
        rows.users);
    scatter_item(k, item_gradient[k]);
  });
}

}  // namespace detail

/// for_each_score_gradient on a device: computes the scores of all pairs, then the gradients of all
/// rows.
template <DeviceExecution X, class T, class PerPair, class ScatterUser, class ScatterItem>
double for_each_score_gradient(const X& exec, const Batch& batch, BatchRows<T> rows,
                               Scratch& scratch, const PerPair& per_pair,
                               const ScatterUser& scatter_user, const ScatterItem& scatter_item) {
  if (batch.shared_negatives) {
    return detail::for_each_shared_score_gradient(exec, batch, rows, scratch, per_pair,
                                                  scatter_user, scatter_item);
  }
  const Rows<T> d_score = scratch.allocate<T>(batch.pairs(), batch.negatives_per_pair + 1);
  const std::span<const Index> users = batch.users, items = batch.items,
                               negatives = batch.negatives;
  const std::size_t per_pair_negatives = batch.negatives_per_pair;
  const double total = sum_over_rows(
      exec, batch.pairs(), detail::pair_grain, [=] PRISM_HOST_DEVICE(std::size_t p) -> double {
        using Isa = typename X::isa;
        const T* const user = rows.users[users[p]];
        const std::size_t dim = rows.users.dim();
        T* const scores = d_score[p];
        for (std::size_t j = 0; j <= per_pair_negatives; ++j) {
          const Index item = j == 0 ? items[p] : negatives[p * per_pair_negatives + j - 1];
          const T score = dot<Isa>(user, rows.items[item], dim);
          Lanes<Isa>::once([=] { scores[j] = score; });
        }
        return detail::pair_part<Isa>(per_pair, p, scores, per_pair_negatives + 1);
      });
  detail::scatter_score_gradients<T>(exec, batch, rows, d_score, scratch, scatter_user,
                                     scatter_item);
  return total;
}

/// A loss of dot products: sets step.gradient of every active row.
/// @param per_pair  as in for_each_score_gradient
/// @return the sum of the pairs' parts
template <class T, Execution X, class PerPair>
double loss_over_scores(const LossStep<T, X>& step, const PerPair& per_pair) {
  using Isa = typename X::isa;
  return for_each_score_gradient(step.exec, step.batch, step.output, step.scratch, per_pair,
                                 detail::StoreRow<T, Isa>{step.gradient.users},
                                 detail::StoreRow<T, Isa>{step.gradient.items});
}

}  // namespace prism::inline PRISM_ISA
