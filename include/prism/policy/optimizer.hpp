// SPDX-License-Identifier: BSD-3-Clause
// An optimizer steps a table by its gradient.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Which step it is and how far it goes.
struct StepInfo {
  double learning_rate;
  std::uint64_t step;  // from 1
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
//   template <class T> struct State {
//     State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory);
//   };
//   // One step of every row. Row r's gradient is gradient.of(r), zero where that is null, plus
//   // regularizer.weight_decay(gradient.in_batch(r)) times the row.
//   template <Execution X, class T, RegularizerPolicy R>
//   void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
//                   State<T>&, StepInfo, const R& regularizer) const;
// };
template <class O, class T = double>
concept OptimizerPolicy = std::copyable<O> && std::constructible_from<
    typename O::template State<T>, std::size_t, std::size_t,
    std::pmr::memory_resource*>&& requires(const O& optimizer, const ParameterView<T>& table,
                                           const TableGradient<T>& gradient,
                                           typename O::template State<T>& state, StepInfo info,
                                           const detail::AnyRegularizer& regularizer) {
  { O::name } -> std::convertible_to<std::string_view>;
  {optimizer(par, table, gradient, state, info, regularizer)};
};

// So that a training can be saved and resumed, a State also has:
//   // Writes all that later steps depend on, as it is: saving changes no number.
//   void save(BinaryWriter& out) const;
//   // Reads it back, in the same order, into a State made anew for a table of the same shape.
//   void load(BinaryReader& in);
template <class State>
concept SavedState = requires(const State& saved, State& loaded, BinaryWriter& out,
                              BinaryReader& in) {
  saved.save(out);
  loaded.load(in);
};

// An optimizer may leave out rows that a step gives no gradient, and make them take the steps they
// have missed when they are next read. Then it also has:
//   // Brings these rows, which are distinct, up to the last step.
//   void apply_deferred(const X& exec, const ParameterView<T>& table, std::span<const Index>
//   row_indices, State<T>&,
//                 const R& regularizer) const;
//   // Brings all rows up to the last step.
//   void flush(const X& exec, const ParameterView<T>& table, State<T>&, const R& regularizer)
//   const;
template <class O, class T = double>
concept LazyOptimizer = OptimizerPolicy<O, T> &&
    requires(const O& optimizer, const ParameterView<T>& table, std::span<const Index> row_indices,
             typename O::template State<T>& state, const detail::AnyRegularizer& regularizer) {
  optimizer.apply_deferred(par, table, row_indices, state, regularizer);
  optimizer.flush(par, table, state, regularizer);
};

}  // namespace prism::inline PRISM_ISA
