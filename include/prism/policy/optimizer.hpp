// SPDX-License-Identifier: BSD-3-Clause
// An optimizer steps a table by its gradient.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Which step it is and how far it goes.
struct StepSize {
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
//   template <class T> struct State { State(std::size_t size, std::size_t dim); };
//   // One step of every row. Row r's gradient is gradient.of(r), zero where that is null, plus
//   // regularizer.weight_decay(gradient.in_batch(r)) times the row.
//   template <class T, RegularizerPolicy R>
//   void operator()(Rows<T> table, const TableGradient<T>& gradient, State<T>&, StepSize,
//                   const R& regularizer) const;
// };
template <class O, class T = double>
concept OptimizerPolicy = std::copyable<O> &&
    std::constructible_from<typename O::template State<T>, std::size_t, std::size_t> &&
    requires(const O& optimizer, Rows<T> table, const TableGradient<T>& gradient,
             typename O::template State<T>& state, StepSize size,
             const detail::AnyRegularizer& regularizer) {
  { O::name } -> std::convertible_to<std::string_view>;
  {optimizer(table, gradient, state, size, regularizer)};
};

}  // namespace prism::inline PRISM_ISA
