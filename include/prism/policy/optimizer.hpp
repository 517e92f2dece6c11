// SPDX-License-Identifier: BSD-3-Clause
// An optimizer steps a table by its gradient.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Which step it is and how far it goes.
struct StepSize {
  double learning_rate;
  std::uint64_t step;  // from 1
};

/// A table that is trained.
template <class T>
struct Trainable {
  Rows<T> rows;
  /// After each step every number is brought back into [lowest, highest].
  T lowest = -unbounded<T>;
  T highest = unbounded<T>;

  /// Brings a row back into the interval.
  void bound(std::size_t row) const noexcept {
    if (lowest > -unbounded<T> || highest < unbounded<T>) {
      clamp(rows[row], lowest, highest, rows.dim());
    }
  }
};

namespace detail {

/// A regularizer to check optimizers with.
struct AnyRegularizer {
  static constexpr std::string_view name = "any";
  double weight_decay(bool) const { return 0; }
};

}  // namespace detail

// struct MyOptimizer {
//   static constexpr std::string_view name = "MyOptimizer";
//   // What it remembers of a table of `size` rows of `dim` numbers.
//   template <class T> struct State { State(std::size_t size, std::size_t dim); };
//   // One step of every row. Row r's gradient is gradient.of(r), zero where that is null, plus
//   // regularizer.weight_decay(gradient.in_batch(r)) times the row.
//   template <class T, RegularizerPolicy R>
//   void operator()(const Trainable<T>& table, const TableGradient<T>& gradient, State<T>&,
//                   StepSize, const R& regularizer) const;
// };
template <class O, class T = double>
concept OptimizerPolicy = std::copyable<O> &&
    std::constructible_from<typename O::template State<T>, std::size_t, std::size_t> &&
    requires(const O& optimizer, const Trainable<T>& table, const TableGradient<T>& gradient,
             typename O::template State<T>& state, StepSize size,
             const detail::AnyRegularizer& regularizer) {
  { O::name } -> std::convertible_to<std::string_view>;
  {optimizer(table, gradient, state, size, regularizer)};
};

// An optimizer may leave out rows that a step gives no gradient, and make them take the steps they
// have missed when they are next read. Then it also has:
//   // Brings these rows, which are distinct, up to the last step.
//   void catch_up(const Trainable<T>& table, std::span<const Index> which, State<T>&,
//                 const R& regularizer) const;
//   // Brings all rows up to the last step.
//   void settle(const Trainable<T>& table, State<T>&, const R& regularizer) const;
template <class O, class T = double>
concept LazyOptimizer = OptimizerPolicy<O, T> &&
    requires(const O& optimizer, const Trainable<T>& table, std::span<const Index> which,
             typename O::template State<T>& state, const detail::AnyRegularizer& regularizer) {
  optimizer.catch_up(table, which, state, regularizer);
  optimizer.settle(table, state, regularizer);
};

}  // namespace prism::inline PRISM_ISA
