// SPDX-License-Identifier: BSD-3-Clause
// What travels through a training step: the batch's pairs as row numbers, the output rows that a
// backbone makes of them, and the gradients on the way back.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// One side (users, or items) of a batch: which table rows it touches, and where each one stands.
/// Grouping by row is what lets gradients be summed in parallel without atomics, in a fixed order.
struct BatchSide {
  /// Distinct table rows. Position k in this list is row k of the outputs and of the output
  /// gradients. The batch's own come first: those of its pairs, in order of first appearance, then
  /// those that are negatives alone. For a loss that looks at every row, all others follow.
  std::span<const Index> unique_rows;
  /// How many of them are the batch's own.
  std::size_t num_active = 0;
  /// How many of those stand in a pair.
  std::size_t num_positive = 0;
  /// Row k stands in occurrences[offsets[k]] ... occurrences[offsets[k + 1] - 1].
  std::span<const Index> offsets;
  /// For users, slot p is pair p. For items, slot p < pairs is pair p's item, and slot
  /// pairs + q is negative q.
  std::span<const Index> occurrences;
  /// For every row of the table: its position in `unique_rows`, or `absent`.
  std::span<const Index> inverse_index;

  /// Where row k stands, ascending.
  [[nodiscard]] std::span<const Index> occurrences_of(std::size_t k) const noexcept {
    return occurrences.subspan(offsets[k], offsets[k + 1] - offsets[k]);
  }

  /// The side without the rows that are not the batch's own.
  [[nodiscard]] BatchSide active_rows() const noexcept {
    return {unique_rows.first(num_active),
            num_active,
            num_positive,
            offsets,
            occurrences,
            inverse_index};
  }
};

/// A batch of observed pairs with their negatives, as positions in the two sides' `unique_rows`.
struct Batch {
  std::span<const Index> users;      // pairs
  std::span<const Index> items;      // pairs
  std::span<const Index> negatives;  // pairs x negatives_per_pair, row-major; items
  std::size_t negatives_per_pair = 0;
  BatchSide user_side;
  BatchSide item_side;
  /// What the pairs are drawn from; also the graph that a backbone may propagate over.
  const Interactions& train;

  [[nodiscard]] std::size_t pairs() const noexcept { return users.size(); }

  /// A pair's negatives.
  [[nodiscard]] std::span<const Index> negatives_of(std::size_t pair) const noexcept {
    return negatives.subspan(pair * negatives_per_pair, negatives_per_pair);
  }

  /// The pair that an item slot belongs to.
  [[nodiscard]] std::size_t pair_of_item_occurrence(std::size_t occurrence) const noexcept {
    return occurrence < pairs() ? occurrence : (occurrence - pairs()) / negatives_per_pair;
  }

  /// The batch without the rows that are not its own.
  [[nodiscard]] Batch active_rows() const noexcept {
    return {users,
            items,
            negatives,
            negatives_per_pair,
            user_side.active_rows(),
            item_side.active_rows(),
            train};
  }
};

/// The batch as a loss sees it that asks for no negatives: its pairs, with occurrences of their
/// own. Rows that are negatives alone are not active.
/// @return a view whose lists lie in `scratch`
[[nodiscard]] inline Batch without_negatives(const Batch& batch, Scratch& scratch) {
  if (batch.negatives.empty()) return batch;
  const BatchSide& items = batch.item_side;
  const std::size_t rows = items.unique_rows.size();
  const Rows<Index> offsets = scratch.allocate<Index>(rows + 1, 1);
  const Rows<Index> occurrences = scratch.allocate<Index>(batch.pairs(), 1);
  std::size_t count = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    *offsets[k] = static_cast<Index>(count);
    for (const Index occurrence : items.occurrences_of(k)) {
      if (occurrence >= batch.pairs()) break;  // ascending: negatives from here on
      *occurrences[count++] = occurrence;
    }
  }
  *offsets[rows] = static_cast<Index>(count);
  const BatchSide positives{.unique_rows = items.unique_rows,
                            .num_active = items.num_positive,
                            .num_positive = items.num_positive,
                            .offsets = {offsets.data(), rows + 1},
                            .occurrences = {occurrences.data(), count},
                            .inverse_index = items.inverse_index};
  return {batch.users, batch.items, {}, 0, batch.user_side, positives, batch.train};
}

/// Consecutive rows of both sides: the tables, what a backbone makes of them, or gradients.
template <class T>
struct Embeddings {
  Rows<T> users;
  Rows<T> items;

  operator Embeddings<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {users, items};
  }
};

/// A batch's rows, wherever they lie: one for each row that its sides list.
template <class T>
struct BatchRows {
  IndexedRows<const T> users;
  IndexedRows<const T> items;
};

/// What a backbone is given.
template <class T, Execution X = Host<>>
struct BackboneStep {
  Embeddings<const T> tables;
  const Batch& batch;
  /// Working memory, valid until the step ends.
  Scratch& scratch;
  /// Where the operations run.
  [[no_unique_address]] X exec{};
  /// For backward: zeros for each parameter of the backbone's State, in for_each_parameter's order,
  /// to which it adds. As many rows as the parameter has; or one for each row that the batch's user
  /// side (or item side) lists, where those are all it reaches.
  std::span<const Rows<T>> parameter_gradients{};
};

/// What a loss is given.
template <class T, Execution X = Host<>>
struct LossStep {
  const Batch& batch;
  BatchRows<T> output;
  /// A row for each of the output's: zeros, to which the loss adds its gradient. Where the loss's
  /// traits say overwrites_gradient, the batch's own rows hold anything, and it writes each before
  /// it reads it.
  Embeddings<T> gradient;
  /// Working memory, valid until the step ends.
  Scratch& scratch;
  /// Where the operations run.
  [[no_unique_address]] X exec{};
  /// The same as a backbone's, for the parameters of the loss's State.
  std::span<const Rows<T>> parameter_gradients{};
};

/// The gradient of a table: a row for each of the rows a side lists, or one for every row.
template <class T>
class TableGradient {
 public:
  /// Of the side's rows alone: `values` is parallel to `side.unique_rows`.
  [[nodiscard]] static TableGradient sparse(Rows<const T> values, const BatchSide& side) {
    return {values, side, false};
  }
  /// Of every row; `side` still says which rows are the batch's. Without a side, none is: the table
  /// belongs to neither users nor items.
  [[nodiscard]] static TableGradient dense(Rows<const T> values, const BatchSide& side) {
    return {values, side, true};
  }

  /// The gradient of a table row; null where it is zero.
  [[nodiscard]] const T* of(std::size_t row) const noexcept {
    if (is_dense_) return values_[row];
    return inverse_index_[row] == absent ? nullptr : values_[inverse_index_[row]];
  }
  /// Whether every row has a gradient, rather than those in unique_rows() alone.
  [[nodiscard]] bool is_dense() const noexcept { return is_dense_; }
  /// The rows that the side lists, distinct: all that may have a gradient, or none where every row
  /// has one and the table belongs to no side.
  [[nodiscard]] std::span<const Index> unique_rows() const noexcept { return unique_rows_; }
  /// Where not every row has one: the gradient of row unique_rows()[k].
  [[nodiscard]] const T* of_unique_row(std::size_t k) const noexcept { return values_[k]; }
  /// How many of unique_rows(), the first ones, are the batch's own.
  [[nodiscard]] std::size_t num_active() const noexcept { return num_active_; }
  /// Whether the row is one of the batch's own ids. A tower's weights, which belong to no id, are
  /// not.
  [[nodiscard]] bool in_batch(std::size_t row) const noexcept {
    return !inverse_index_.empty() && inverse_index_[row] < num_active_;
  }

 private:
  TableGradient(Rows<const T> values, const BatchSide& side, bool is_dense)
      : values_(values),
        unique_rows_(side.unique_rows),
        inverse_index_(side.inverse_index),
        num_active_(side.num_active),
        is_dense_(is_dense) {}

  Rows<const T> values_;
  std::span<const Index> unique_rows_;
  std::span<const Index> inverse_index_;
  std::size_t num_active_;
  bool is_dense_;
};

/// Gradients of the users' and the items' table.
template <class T>
struct TableGradients {
  TableGradient<T> users;
  TableGradient<T> items;
};

}  // namespace prism::inline PRISM_ISA
