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
  std::span<const Index> rows;
  /// How many of them are the batch's own.
  std::size_t own = 0;
  /// How many of those stand in a pair.
  std::size_t paired = 0;
  /// Row k stands in slots[first_slot[k]] ... slots[first_slot[k + 1] - 1].
  std::span<const Index> first_slot;
  /// For users, slot p is pair p. For items, slot p < pairs is pair p's item, and slot
  /// pairs + q is negative q.
  std::span<const Index> slots;
  /// For every row of the table: its position in `rows`, or `absent`.
  std::span<const Index> position;

  /// Where row k stands, ascending.
  [[nodiscard]] std::span<const Index> slots_of(std::size_t k) const noexcept {
    return slots.subspan(first_slot[k], first_slot[k + 1] - first_slot[k]);
  }

  /// The side without the rows that are not the batch's own.
  [[nodiscard]] BatchSide own_rows() const noexcept {
    return {rows.first(own), own, paired, first_slot, slots, position};
  }
};

/// A batch of observed pairs with their negatives, as positions in the two sides' `rows`.
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
  [[nodiscard]] std::size_t pair_of_item_slot(std::size_t slot) const noexcept {
    return slot < pairs() ? slot : (slot - pairs()) / negatives_per_pair;
  }

  /// The batch as a loss sees it that asks for no negatives: an item that is a negative alone is
  /// none of its own. A row that is both keeps the slots of its negatives, from pairs() on, behind
  /// those of its pairs.
  [[nodiscard]] Batch without_negatives() const noexcept {
    Batch batch = *this;
    batch.negatives = {};
    batch.negatives_per_pair = 0;
    batch.item_side.own = batch.item_side.paired;
    return batch;
  }

  /// The batch without the rows that are not its own.
  [[nodiscard]] Batch own_rows() const noexcept {
    return {users, items, negatives, negatives_per_pair, user_side.own_rows(), item_side.own_rows(),
            train};
  }
};

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
  PickedRows<const T> users;
  PickedRows<const T> items;
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
  /// A row for each of the output's: zeros, to which the loss adds its gradient. Where the loss
  /// says sets_gradient(), the batch's own rows hold anything, and it writes each before it reads
  /// it.
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
  /// Of the side's rows alone: `values` is parallel to `side.rows`.
  [[nodiscard]] static TableGradient of_batch_rows(Rows<const T> values, const BatchSide& side) {
    return {values, side, false};
  }
  /// Of every row; `side` still says which rows are the batch's. Without a side, none is: the table
  /// belongs to neither users nor items.
  [[nodiscard]] static TableGradient of_all_rows(Rows<const T> values, const BatchSide& side) {
    return {values, side, true};
  }

  /// The gradient of a table row; null where it is zero.
  [[nodiscard]] const T* of(std::size_t row) const noexcept {
    if (dense_) return values_[row];
    return position_[row] == absent ? nullptr : values_[position_[row]];
  }
  /// Whether every row has a gradient, rather than those in batch_rows() alone.
  [[nodiscard]] bool of_every_row() const noexcept { return dense_; }
  /// The rows that the side lists, distinct: all that may have a gradient, or none where every row
  /// has one and the table belongs to no side.
  [[nodiscard]] std::span<const Index> batch_rows() const noexcept { return batch_rows_; }
  /// Where not every row has one: the gradient of row batch_rows()[k].
  [[nodiscard]] const T* of_batch_row(std::size_t k) const noexcept { return values_[k]; }
  /// How many of batch_rows(), the first ones, are the batch's own.
  [[nodiscard]] std::size_t own() const noexcept { return own_; }
  /// Whether the row is one of the batch's own ids. A tower's weights, which belong to no id, are
  /// not.
  [[nodiscard]] bool in_batch(std::size_t row) const noexcept {
    return !position_.empty() && position_[row] < own_;
  }

 private:
  TableGradient(Rows<const T> values, const BatchSide& side, bool dense)
      : values_(values),
        batch_rows_(side.rows),
        position_(side.position),
        own_(side.own),
        dense_(dense) {}

  Rows<const T> values_;
  std::span<const Index> batch_rows_;
  std::span<const Index> position_;
  std::size_t own_;
  bool dense_;
};

/// Gradients of the users' and the items' table.
template <class T>
struct TableGradients {
  TableGradient<T> users;
  TableGradient<T> items;
};

}  // namespace prism::inline PRISM_ISA
