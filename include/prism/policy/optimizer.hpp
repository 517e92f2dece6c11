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
#include "prism/policy/contract.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Which step it is and how far it goes.
struct StepInfo {
  double learning_rate;
  std::uint64_t step;  // from 1
};

/// What an optimizer says of itself, besides its functions.
struct OptimizerTraits {
  /// Whether it leaves out rows that a step gives no gradient, and makes them take the steps they
  /// have missed when they are next read. Then it has apply_deferred and flush.
  bool defers_rows = false;
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
//   // Optional: what differs from an OptimizerTraits{}.
//   static constexpr OptimizerTraits traits{.defers_rows = true};
//   // Optional: label() and check(), see label.hpp.
//   // What it remembers of a table of `size` rows of `dim` numbers.
//   template <class T> struct State {
//     State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory);
//     bool finite() const;  // optional: whether none of it has overflown
//   };
//   // One step of every row. Row r's gradient is gradient.of(r), zero where that is null, plus
//   // regularizer.weight_decay(gradient.in_batch(r)) times the row.
//   template <Execution X, class T, RegularizerPolicy R>
//   void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
//                   State<T>& state, StepInfo info, const R& regularizer) const;
//
//   // With defers_rows: brings these rows, which are distinct, up to the last step.
//   template <Execution X, class T, RegularizerPolicy R>
//   void apply_deferred(const X& exec, const ParameterView<T>& table,
//                       std::span<const Index> row_indices, State<T>& state,
//                       const R& regularizer) const;
//   // With defers_rows: brings all rows up to the last step.
//   template <Execution X, class T, RegularizerPolicy R>
//   void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
//              const R& regularizer) const;
// };

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

namespace detail {

template <class O>
concept OptimizerTraitsFit = !names_traits<O> || ConstantTraits<O, OptimizerTraits>;
template <class O>
[[nodiscard]] consteval bool says_defers_rows() {
  if constexpr (ConstantTraits<O, OptimizerTraits>) {
    return O::traits.defers_rows;
  } else {
    return false;
  }
}

template <class O, class T>
concept HasOptimizerState = requires {
  typename O::template State<T>;
};
template <class O, class T>
concept OptimizerStateConstructible =
    HasOptimizerState<O, T> && std::constructible_from<typename O::template State<T>, std::size_t,
                                                       std::size_t, std::pmr::memory_resource*>;
template <class O, class T>
concept FiniteFits = !HasOptimizerState<O, T> || !names_finite<typename O::template State<T>> ||
                     requires(const typename O::template State<T>& state) {
  { state.finite() } -> std::same_as<bool>;
};
template <class O, class T, class X>
concept StepsTable = requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
                              const TableGradient<T>& gradient,
                              typename O::template State<T>& state, StepInfo info,
                              const AnyRegularizer& regularizer) {
  optimizer(exec, table, gradient, state, info, regularizer);
};
template <class O, class T, class X>
concept AppliesDeferred = requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
                                   std::span<const Index> row_indices,
                                   typename O::template State<T>& state,
                                   const AnyRegularizer& regularizer) {
  optimizer.apply_deferred(exec, table, row_indices, state, regularizer);
};
template <class O, class T, class X>
concept Flushes = requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
                           typename O::template State<T>& state,
                           const AnyRegularizer& regularizer) {
  optimizer.flush(exec, table, state, regularizer);
};

}  // namespace detail

/// @tparam T  of the numbers
/// @tparam X  where it runs
template <class O, class T = double, class X = Host<>>
concept OptimizerPolicy =
    detail::AnyPolicy<O> && !detail::names_defers_rows<O> && detail::OptimizerTraitsFit<O> &&
    detail::OptimizerStateConstructible<O, T> && detail::FiniteFits<O, T> &&
    detail::StepsTable<O, T, X> &&
    (detail::says_defers_rows<O>() ? detail::AppliesDeferred<O, T, X> && detail::Flushes<O, T, X>
                                   : !detail::names_apply_deferred<O> && !detail::names_flush<O>);

/// One that defers rows.
template <class O, class T = double, class X = Host<>>
concept LazyOptimizer = OptimizerPolicy<O, T, X> && detail::says_defers_rows<O>();

#define PRISM_OPTIMIZER_OPERATOR                                                      \
  "template <Execution X, class T, RegularizerPolicy R> void operator()(const X& "    \
  "exec, const ParameterView<T>& table, const TableGradient<T>& gradient, State<T>& " \
  "state, StepInfo info, const R& regularizer) const"

/// Whether O is an optimizer; if it is none, the first error says in words what it lacks:
/// `static_assert(check_optimizer<MyOptimizer>())`.
template <class O, class T = double, Execution X = Host<>>
[[nodiscard]] consteval bool check_optimizer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(O, "an optimizer");
  static_assert(!names_defers_rows<O>,
                "an optimizer says in its traits whether it defers rows: static constexpr "
                "OptimizerTraits traits{.defers_rows = true}");
  static_assert(OptimizerTraitsFit<O>,
                "an optimizer's traits must be a constant: static constexpr OptimizerTraits "
                "traits{...}");
  static_assert(HasOptimizerState<O, T>,
                "an optimizer must have what it remembers of a table: template <class T> struct "
                "State");
  static_assert(!HasOptimizerState<O, T> || OptimizerStateConstructible<O, T>,
                "an optimizer's State must be made from a table's size: State(std::size_t size, "
                "std::size_t dim, std::pmr::memory_resource* memory)");
  static_assert(FiniteFits<O, T>,
                "an optimizer's State's finite, where it has one, must be: bool finite() const");
  static_assert(StepsTable<O, T, X> || !StepsTable<O, T, Host<>>,
                "an optimizer's operator() must be for every execution, and is not for this "
                "one: " PRISM_OPTIMIZER_OPERATOR);
  static_assert(StepsTable<O, T, X>, "an optimizer must step a table: " PRISM_OPTIMIZER_OPERATOR);
  static_assert(!says_defers_rows<O>() || AppliesDeferred<O, T, X>,
                "an optimizer whose traits say defers_rows must have: template <Execution X, "
                "class T, RegularizerPolicy R> void apply_deferred(const X& exec, const "
                "ParameterView<T>& table, std::span<const Index> row_indices, State<T>& state, "
                "const R& regularizer) const");
  static_assert(!says_defers_rows<O>() || Flushes<O, T, X>,
                "an optimizer whose traits say defers_rows must have: template <Execution X, "
                "class T, RegularizerPolicy R> void flush(const X& exec, const ParameterView<T>& "
                "table, State<T>& state, const R& regularizer) const");
  static_assert(says_defers_rows<O>() || (!names_apply_deferred<O> && !names_flush<O>),
                "an optimizer with apply_deferred or flush must say so in its traits: static "
                "constexpr OptimizerTraits traits{.defers_rows = true}");
  return OptimizerPolicy<O, T, X>;
}
#undef PRISM_OPTIMIZER_OPERATOR

}  // namespace prism::inline PRISM_ISA
