// SPDX-License-Identifier: BSD-3-Clause
// The data of a training step: the batch's pairs as row numbers, the output rows that a backbone
// computes from them, and the gradients of the backward pass.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// One side (users, or items) of a batch: its unique table rows and the occurrences of each. With
/// occurrences grouped by row, gradients are summed in parallel without atomics, in a fixed order.
/// All lists of a batch are in the execution's memory: on a device, only device loops read them,
/// and host code uses a BatchOnHost (prism/ops/batch_on_host.hpp).
struct BatchSide {
  /// Distinct table rows. Position k in this list is row k of the outputs and of the output
  /// gradients. The active rows come first: positive rows in order of first appearance, then rows
  /// that occur only as negatives. If the loss needs all rows, the others follow.
  std::span<const Index> unique_rows;
  /// Number of active rows: the first of `unique_rows`.
  std::size_t num_active = 0;
  /// Number of positive rows, which occur in a pair: the first of the active rows.
  std::size_t num_positive = 0;
  /// Row k has occurrences[offsets[k]] ... occurrences[offsets[k + 1] - 1], as in CSR.
  std::span<const Index> offsets;
  /// For users, occurrence p is pair p. For items, occurrence p < pairs is the item of pair p, and
  /// occurrence pairs + q is Batch::negatives[q].
  std::span<const Index> occurrences;
  /// For every row of the table: its position in `unique_rows`, or `absent`.
  std::span<const Index> inverse_index;

  /// The occurrences of row k, ascending.
  [[nodiscard]] constexpr std::span<const Index> occurrence_positions(
      std::size_t k) const noexcept {
    return occurrences.subspan(offsets[k], offsets[k + 1] - offsets[k]);
  }

  /// The side with only its active rows.
  [[nodiscard]] BatchSide active_rows() const noexcept {
    return {unique_rows.first(num_active),
            num_active,
            num_positive,
            offsets,
            occurrences,
            inverse_index};
  }
};

/// Which of a batch's shared negatives are masked for a pair.
enum class NegativeMask {
  none,
  own_item,   ///< the pair's item
  seen_items  ///< every item that the pair's user has a training interaction with
};

/// A batch of observed pairs with their negatives, as positions in the two sides' `unique_rows`.
struct Batch {
  std::span<const Index> users;  // pairs
  std::span<const Index> items;  // pairs
  /// Items: pairs x negatives_per_pair, row-major; if they are shared, negatives_per_pair.
  std::span<const Index> negatives;
  std::size_t negatives_per_pair = 0;
  BatchSide user_side;
  BatchSide item_side;
  /// The interactions that pairs are drawn from; also the graph of a backbone that propagates.
  const Interactions& train;
  /// Whether all pairs share all of `negatives`.
  bool shared_negatives = false;
  /// For shared negatives.
  NegativeMask mask = NegativeMask::none;
  /// For each active row of items: the log probability that it is drawn as a negative, up to a
  /// constant. Empty if all are equally likely, or if the loss does not correct for it.
  std::span<const double> item_log_probability{};

  [[nodiscard]] std::size_t pairs() const noexcept { return users.size(); }

  /// A pair's negatives: negatives_per_pair positions in item_side.unique_rows.
  [[nodiscard]] std::span<const Index> negatives_of(std::size_t pair) const noexcept {
    return shared_negatives ? negatives
                            : negatives.subspan(pair * negatives_per_pair, negatives_per_pair);
  }

  /// The pair that an item's occurrence belongs to; `absent` for a shared negative, which belongs
  /// to all.
  [[nodiscard]] std::size_t pair_of_item_occurrence(std::size_t occurrence) const noexcept {
    if (occurrence < pairs()) return occurrence;
    return shared_negatives ? absent : (occurrence - pairs()) / negatives_per_pair;
  }

  /// The batch with only the active rows of both sides.
  [[nodiscard]] Batch active_rows() const noexcept {
    Batch batch = *this;
    batch.user_side = user_side.active_rows();
    batch.item_side = item_side.active_rows();
    return batch;
  }
};

/// Contiguous rows of both sides: tables, output rows or gradients.
template <class T>
struct Embeddings {
  Rows<T> users;
  Rows<T> items;

  operator Embeddings<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {users, items};
  }
};

/// A row for each unique row of both sides of a batch; rows of any table, selected by index.
template <class T>
struct BatchRows {
  IndexedRows<const T> users;
  IndexedRows<const T> items;
};

namespace detail {

/// Makes a type one that device code does not accept, because it refers to objects of the host.
struct HostOnly {
  HostOnly() = default;
  HostOnly(const HostOnly& /*other*/) noexcept {}
  HostOnly& operator=(const HostOnly&) = default;
};

}  // namespace detail

/// The arguments of a backbone's forward and backward.
template <class T, Execution X = Host<>>
struct BackboneStep {
  Embeddings<const T> tables;
  const Batch& batch;
  /// Working memory, valid until the step ends.
  Scratch& scratch;
  /// Where the operations run.
  [[no_unique_address]] X exec{};
  /// For backward: the gradients of the trained parameters of the backbone's State, in the order of
  /// for_each_parameter. They start as zeros, and backward adds to them. Each has the
  /// parameter's rows; or, with ParameterRows::users (items), a row for each unique row of that
  /// side.
  std::span<const Rows<T>> parameter_gradients{};
  /// The step's random numbers, the same in forward and backward.
  Random random{0, Stream::dropout};
  [[no_unique_address]] detail::HostOnly host_only{};
};

/// The arguments of a loss.
template <class T, Execution X = Host<>>
struct LossStep {
  const Batch& batch;
  BatchRows<T> output;
  /// The output gradient, a row for each output row: zeros, to which the loss adds. If its traits
  /// have overwrites_gradient, active rows are uninitialised, and it writes each before it reads
  /// it.
  Embeddings<T> gradient;
  /// Working memory, valid until the step ends.
  Scratch& scratch;
  /// Where the operations run.
  [[no_unique_address]] X exec{};
  /// As in BackboneStep, for the trained parameters of the loss's State.
  std::span<const Rows<T>> parameter_gradients{};
  [[no_unique_address]] detail::HostOnly host_only{};
};

/// The gradient of a table: sparse, with values for the unique rows of a side, or dense, with
/// values for every row of the table.
template <class T>
class TableGradient {
 public:
  /// @param values  values[k] is the gradient of row side.unique_rows[k]
  [[nodiscard]] static TableGradient sparse(Rows<const T> values, const BatchSide& side) {
    return {values, side, false};
  }
  /// @param values  a row for every row of the table
  /// @param side    tells which rows are in the batch: none if it is empty, as for a table of
  ///                neither users nor items
  [[nodiscard]] static TableGradient dense(Rows<const T> values, const BatchSide& side) {
    return {values, side, true};
  }

  /// The gradient of a table row; null if it is zero.
  [[nodiscard]] constexpr const T* of(std::size_t row) const noexcept {
    if (is_dense_) return values_[row];
    return inverse_index_[row] == absent ? nullptr : values_[inverse_index_[row]];
  }
  /// Whether every row has a gradient, instead of only unique_rows().
  [[nodiscard]] constexpr bool is_dense() const noexcept { return is_dense_; }
  /// The side's unique rows. If the gradient is sparse, no other row has one; empty for a table
  /// that belongs to neither side.
  [[nodiscard]] constexpr std::span<const Index> unique_rows() const noexcept {
    return unique_rows_;
  }
  /// The gradient of row unique_rows()[k], if the gradient is sparse.
  [[nodiscard]] constexpr const T* of_unique_row(std::size_t k) const noexcept {
    return values_[k];
  }
  /// Number of active rows: the first of unique_rows().
  [[nodiscard]] constexpr std::size_t num_active() const noexcept { return num_active_; }
  /// Whether the row is active. Rows of a tower's weights, which belong to no user or item, are
  /// not.
  [[nodiscard]] constexpr bool in_batch(std::size_t row) const noexcept {
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

/// The gradients of both tables.
template <class T>
struct TableGradients {
  TableGradient<T> users;
  TableGradient<T> items;
};

}  // namespace prism::inline PRISM_ISA
