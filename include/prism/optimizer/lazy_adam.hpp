// SPDX-License-Identifier: BSD-3-Clause
// The loops of optimizers that defer the steps of rows without a gradient: Adam and
// PartialRowWiseAdam, which differ in a row's moments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>

#include "prism/core/binary_file.hpp"
#include "prism/core/binary_tables.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How many of the history's steps a row's weights and moments are up to date with.
struct AdamLastStep {
  /// Marks a row that has had no gradient yet: without decay its deferred steps change nothing.
  static constexpr auto no_gradient_yet = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t weights = no_gradient_yet;
  std::uint32_t moments = 0;  // at most `weights`

  [[nodiscard]] constexpr bool had_gradient() const noexcept { return weights != no_gradient_yet; }
  /// The number of steps that the weights are up to date with, if the row decays.
  [[nodiscard]] constexpr std::size_t first_deferred() const noexcept {
    return had_gradient() ? weights : 0;
  }

  void save(BinaryWriter& out) const {
    out.number(weights);
    out.number(moments);
  }
  void load(BinaryReader& in) {
    weights = in.number<std::uint32_t>();
    moments = in.number<std::uint32_t>();
  }
};

// What these loops require of a table's rows: a view, which a device can copy.
//
// template <class T>
// struct MyRows {
//   // The state of a row, with save() and load(): its AdamLastStep, named `last`, and, if it has
//   // one, a moment of the whole row, named `second`.
//   struct Row;
//   static constexpr std::size_t columns(std::size_t dim);  // of moments
//
//   Rows<T> moments;
//   Row* row;
//   DeferredSteps<T> deferred;
//
//   // Applies the deferred steps to row r's weights and, where there is no closed form, to its
//   // moments.
//   template <class Isa> void apply_deferred(table, r, decay, constant) const;
//   // Brings row r's moments up to date with its weights.
//   template <class Isa> void apply_deferred_moments(r) const;
//   // Takes a step on a row whose weights are up to date. @param g  null for zero
//   template <class Isa> void step(table, r, g, decay, constant, step) const;
//   // Does what apply_deferred() does to each of at most `group` rows with decay, or nothing.
//   template <class Isa> static constexpr std::size_t group;
//   template <class Isa, class R>
//   void replay_group(table, std::span<const Index> rows, const RowDecay<R>&, constant) const;
// };

template <class T, template <class> class RowsOf>
class LazyAdam;

/// The moments of a table's rows, and each row's last step.
template <class T, template <class> class RowsOf>
class LazyAdamState {
  using Row = typename RowsOf<T>::Row;

 public:
  /// @param memory  null for table_memory()
  LazyAdamState(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory = nullptr)
      : moments_(zeros<T>(size, RowsOf<T>::columns(dim), memory)),
        row_(size, Row{}, memory),
        history_(memory) {}

  /// Whether all moments are finite: a weight whose moment has overflowed no longer changes.
  template <Execution X = Serial>
  [[nodiscard]] bool finite(const X& exec = {}) const;

  /// Writes the state; deferred steps stay deferred.
  void save(BinaryWriter& out) const;
  /// @param exec  the execution on which training continues
  template <Execution X = Serial>
  void load(BinaryReader& in, const X& exec = {});

 private:
  friend LazyAdam<T, RowsOf>;
  static constexpr std::size_t grain = 256;

  Matrix<T> moments_;
  TableVector<Row> row_;
  AdamHistory<T> history_;
};

/// A table with its state.
template <class T, template <class> class RowsOf>
class LazyAdam {
 public:
  using State = LazyAdamState<T, RowsOf>;

  LazyAdam(const ParameterView<T>& table, State& state, double beta1, double beta2, double epsilon)
      : table_(table),
        state_(state),
        beta1_(beta1),
        beta2_(beta2),
        constant_(beta1, beta2, epsilon, table.lowest, table.highest) {}

  /// Applies the deferred steps of some rows. @param row_indices  distinct
  template <Execution X, RegularizerPolicy R>
  void apply_deferred(const X& exec, std::span<const Index> row_indices,
                      const R& regularizer) const;

  /// Applies the deferred steps of all rows, and clears the history.
  template <Execution X, RegularizerPolicy R>
  void flush(const X& exec, const R& regularizer) const;

  /// Takes a step. Rows that a sparse gradient does not reach defer it.
  template <Execution X, RegularizerPolicy R>
  void step(const X& exec, const TableGradient<T>& gradient, StepInfo info,
            const R& regularizer) const;

 private:
  static constexpr std::size_t grain = 256;

  [[nodiscard]] RowsOf<T> view() const noexcept {
    return {rows(state_.moments_), state_.row_.data(), state_.history_.view()};
  }

  /// Calls visit(k) for each row row_indices[k]. On the host it prefetches later rows for which
  /// needed(row) is true, and calls before_group(rows) before it visits a group of rows.
  template <Execution X, class Needed, class BeforeGroup, class Visit>
  void visit_rows(const X& exec, std::span<const Index> row_indices, const RowsOf<T>& state,
                  const Needed& needed, const BeforeGroup& before_group, const Visit& visit) const;

  const ParameterView<T>& table_;
  State& state_;
  double beta1_, beta2_;
  AdamConstants<T> constant_;
};

}  // namespace prism::inline PRISM_ISA::detail

#include "prism/optimizer/lazy_adam.inl.hpp"
