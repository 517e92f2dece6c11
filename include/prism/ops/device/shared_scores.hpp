// SPDX-License-Identifier: BSD-3-Clause
// Scores of a batch whose pairs share their negatives, on a device: matrix products, with the
// scores of all pairs in memory.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/ops/device/matrix_product.hpp"
#include "prism/ops/scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The parts of a batch with shared negatives that a device needs.
struct SharedNegativesView {
  std::span<const Index> users;      // of pairs
  std::span<const Index> items;      // of pairs
  std::span<const Index> negatives;  // that all pairs share
  BatchSide user_side;
  BatchSide item_side;
  NegativeMask mask;
  Adjacency seen;  // items by user

  explicit SharedNegativesView(const Batch& batch)
      : users(batch.users),
        items(batch.items),
        negatives(batch.negatives),
        user_side(batch.user_side),
        item_side(batch.item_side),
        mask(batch.mask),
        seen(batch.train.items_by_user()) {}

  [[nodiscard]] constexpr std::size_t pairs() const noexcept { return users.size(); }

  /// Masks the negatives that do not count for pair p. Called by a whole warp.
  /// @param scores  of the negatives
  template <class Isa, class T>
  PRISM_HOST_DEVICE void mask_pair(std::size_t p, T* scores) const noexcept {
    if (mask == NegativeMask::none) return;
    Lanes<Isa>::synchronise();
    mask_item(items[p], scores, Lanes<Isa>::first(), Lanes<Isa>::step());
    if (mask == NegativeMask::seen_items) {
      const std::span<const Index> seen_by_user = seen[user_side.unique_rows[users[p]]];
      for (std::size_t s = Lanes<Isa>::first(); s < seen_by_user.size(); s += Lanes<Isa>::step()) {
        const Index k = item_side.inverse_index[seen_by_user[s]];
        if (k != absent && k < item_side.num_active) mask_item(k, scores, 0, 1);
      }
    }
    Lanes<Isa>::synchronise();
  }

 private:
  /// Masks the negatives whose item is row k: every stride-th of its occurrences.
  template <class T>
  PRISM_HOST_DEVICE void mask_item(std::size_t k, T* scores, std::size_t first,
                                   std::size_t stride) const noexcept {
    const std::span<const Index> occurrences = item_side.occurrence_positions(k);
    for (std::size_t s = first; s < occurrences.size(); s += stride) {
      if (occurrences[s] >= pairs()) scores[occurrences[s] - pairs()] = masked_score<T>;
    }
  }
};

/// rows[positions[k]]
template <class T>
struct RowsAt {
  IndexedRows<const T> rows;
  std::span<const Index> positions;

  [[nodiscard]] PRISM_HOST_DEVICE const T* operator[](std::size_t k) const noexcept {
    return rows[positions[k]];
  }
};

/// The columns of a matrix from `first` on.
template <class T>
struct ColumnsFrom {
  Rows<T> rows;
  std::size_t first;

  [[nodiscard]] PRISM_HOST_DEVICE T* operator[](std::size_t r) const noexcept {
    return rows[r] + first;
  }
};

/// Stores a product's numbers from column `first` on.
template <class T>
struct OverwriteColumns {
  Rows<T> to;
  std::size_t first;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][first + column] = number;
  }
};

/// The terms of a user's gradient, two for each of its pairs: the positive item's row and the sum
/// of the negatives' rows.
template <class T>
struct UserTerms {
  std::span<const Index> pairs;  // of the user
  std::span<const Index> items;
  IndexedRows<const T> item_rows;
  Rows<const T> negative_sums;  // one for each pair

  [[nodiscard]] PRISM_HOST_DEVICE std::size_t dim() const noexcept { return negative_sums.dim(); }
  [[nodiscard]] PRISM_HOST_DEVICE const T* operator[](std::size_t s) const noexcept {
    const std::size_t p = pairs[s / 2];
    return s % 2 == 0 ? item_rows[items[p]] : negative_sums[p];
  }
};

/// The terms of an item's gradient, one for each of its occurrences: the user's row for a pair, the
/// sum over all pairs for a negative.
template <class T>
struct ItemTerms {
  std::span<const Index> occurrences;  // of the item
  std::span<const Index> users;
  IndexedRows<const T> user_rows;
  Rows<const T> pair_sums;  // one for each negative

  [[nodiscard]] PRISM_HOST_DEVICE std::size_t dim() const noexcept { return pair_sums.dim(); }
  [[nodiscard]] PRISM_HOST_DEVICE bool is_positive(std::size_t s) const noexcept {
    return occurrences[s] < users.size();
  }
  [[nodiscard]] PRISM_HOST_DEVICE const T* operator[](std::size_t s) const noexcept {
    return is_positive(s) ? user_rows[users[occurrences[s]]]
                          : pair_sums[occurrences[s] - users.size()];
  }
};

/// Calls scatter_user(k, gradient of user row k) for each active row.
template <class T, DeviceExecution X, class Scatter>
void scatter_shared_user_gradients(const X& exec, SharedNegativesView batch, BatchRows<T> rows,
                                   Rows<const T> d_score, Scratch& scratch,
                                   const Scatter& scatter_user) {
  const std::size_t dim = rows.users.dim();
  const Rows<T> negative_sums = scratch.allocate<T>(batch.pairs(), dim);
  multiply<T>(exec, {batch.pairs(), dim, batch.negatives.size()},
              ByLine<ColumnsFrom<const T>>{{d_score, 1}},
              ByDepth<RowsAt<T>>{{rows.items, batch.negatives}}, OverwriteWith<T>{negative_sums},
              scratch);
  const Rows<T> gradient = scratch.allocate<T>(batch.user_side.num_active, dim);
  for_each_row(exec, batch.user_side.num_active, 0, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const std::span<const Index> pairs = batch.user_side.occurrence_positions(k);
    const UserTerms<T> terms{pairs, batch.items, rows.items, negative_sums};
    weighted_sum<typename X::isa>(
        gradient[k], T{1}, 2 * pairs.size(), [](std::size_t s) -> std::size_t { return s; },
        [=](std::size_t s) -> T { return s % 2 == 0 ? d_score[pairs[s / 2]][0] : T{1}; }, terms);
    scatter_user(k, gradient[k]);
  });
}

/// Calls scatter_item(k, gradient of item row k) for each active row.
template <class T, DeviceExecution X, class Scatter>
void scatter_shared_item_gradients(const X& exec, SharedNegativesView batch, BatchRows<T> rows,
                                   Rows<const T> d_score, Scratch& scratch,
                                   const Scatter& scatter_item) {
  const std::size_t dim = rows.users.dim();
  const Rows<T> pair_sums = scratch.allocate<T>(batch.negatives.size(), dim);
  multiply<T>(exec, {batch.negatives.size(), dim, batch.pairs()},
              ByDepth<ColumnsFrom<const T>>{{d_score, 1}},
              ByDepth<RowsAt<T>>{{rows.users, batch.users}}, OverwriteWith<T>{pair_sums}, scratch);
  const Rows<T> gradient = scratch.allocate<T>(batch.item_side.num_active, dim);
  for_each_row(exec, batch.item_side.num_active, 0, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const ItemTerms<T> terms{batch.item_side.occurrence_positions(k), batch.users, rows.users,
                             pair_sums};
    weighted_sum<typename X::isa>(
        gradient[k], T{1}, terms.occurrences.size(), [](std::size_t s) -> std::size_t { return s; },
        [=](std::size_t s) -> T {
          return terms.is_positive(s) ? d_score[terms.occurrences[s]][0] : T{1};
        },
        terms);
    scatter_item(k, gradient[k]);
  });
}

/// for_each_score_gradient, of ops/pair_scores.hpp, for a batch with shared negatives.
template <DeviceExecution X, class T, class PerPair, class ScatterUser, class ScatterItem>
double for_each_shared_score_gradient(const X& exec, const Batch& host_batch, BatchRows<T> rows,
                                      Scratch& scratch, const PerPair& per_pair,
                                      const ScatterUser& scatter_user,
                                      const ScatterItem& scatter_item) {
  const SharedNegativesView batch(host_batch);
  const std::size_t dim = rows.users.dim(), negatives = batch.negatives.size();
  // A row for each pair, even of the same user: the positive's score, then the negatives'.
  const Rows<T> d_score = scratch.allocate<T>(batch.pairs(), negatives + 1);
  multiply<T>(exec, {batch.pairs(), negatives, dim}, ByLine<RowsAt<T>>{{rows.users, batch.users}},
              ByLine<RowsAt<T>>{{rows.items, batch.negatives}}, OverwriteColumns<T>{d_score, 1},
              scratch);
  const double total =
      sum_over_rows(exec, batch.pairs(), 0, [=] PRISM_HOST_DEVICE(std::size_t p) -> double {
        using Isa = typename X::isa;
        T* const scores = d_score[p];
        const T positive = dot<Isa>(rows.users[batch.users[p]], rows.items[batch.items[p]], dim);
        Lanes<Isa>::once([=] { scores[0] = positive; });
        batch.template mask_pair<Isa>(p, scores + 1);
        return pair_part<Isa>(per_pair, p, scores, negatives + 1);
      });
  scatter_shared_user_gradients<T>(exec, batch, rows, d_score, scratch, scatter_user);
  scatter_shared_item_gradients<T>(exec, batch, rows, d_score, scratch, scatter_item);
  return total;
}

}  // namespace prism::inline PRISM_ISA::detail
