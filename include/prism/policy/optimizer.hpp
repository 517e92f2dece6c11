// SPDX-License-Identifier: BSD-3-Clause
// An optimizer updates a table with its gradient.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/contract.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

class BinaryReader;
class BinaryWriter;

/// Learning rate and number of a step.
struct StepInfo {
  double learning_rate;
  std::uint64_t step;  // from 1
};

/// The properties that an optimizer declares.
struct OptimizerTraits {
  /// Whether it skips rows without a gradient and applies their deferred steps when they are next
  /// read. It must then have apply_deferred and flush.
  bool defers_rows = false;
};

/// Weight decay of each row of a table, for rows that are all active or all inactive.
template <RegularizerPolicy R>
class RowDecay {
 public:
  /// @param popularity  ParameterView::popularity of the table
  RowDecay(const R& regularizer, std::span<const Index> popularity, bool active)
      : regularizer_(regularizer), popularity_(popularity), active_(active) {
    if constexpr (!PopularityRegularizer<R>) decay_ = prism::weight_decay(regularizer, active, 0);
  }

  [[nodiscard]] PRISM_HOST_DEVICE constexpr double operator()(std::size_t row) const {
    if constexpr (PopularityRegularizer<R>) {
      return regularizer_.weight_decay(active_, popularity_.empty() ? 0 : popularity_[row]);
    } else {
      return decay_;
    }
  }
  /// Whether it is known, without reading the rows, that none decays.
  [[nodiscard]] constexpr bool is_zero() const noexcept {
    return !PopularityRegularizer<R> && decay_ == 0;
  }

 private:
  R regularizer_;
  std::span<const Index> popularity_;
  bool active_;
  double decay_ = 0;
};

namespace detail {

/// The regularizer in the requirements of optimizers.
struct AnyRegularizer {
  static constexpr std::string_view name = "any";
  double weight_decay(bool) const { return 0; }
};

}  // namespace detail

// struct MyOptimizer {
//   static constexpr std::string_view name = "MyOptimizer";
//   // Optional: the traits that differ from the defaults, OptimizerTraits{}.
//   static constexpr OptimizerTraits traits{.defers_rows = true};
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
//   // Its state, such as moments, for a table of `size` rows of `dim` numbers, in `memory`: for an
//   // execution on a device, device memory that only device loops read and write.
//   template <class T> struct State {
//     State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory);
//     // Optional: whether all values are finite. Without the argument it runs only on the host.
//     template <Execution X> bool finite(const X& exec) const;
//   };
//   // One step of every row. The gradient of row r is gradient.of(r), zero if that is null, plus
//   // RowDecay(regularizer, table.popularity, gradient.in_batch(r))(r) times the row. (Calling
//   // regularizer.weight_decay(active) would exclude regularizers that depend on popularity.)
//   // Clamps the new values to [table.lowest, table.highest] if table.bounded().
//   template <Execution X, class T, RegularizerPolicy R>
//   void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
//                   State<T>& state, StepInfo info, const R& regularizer) const;
//
//   // Optional, for FitOptions without a learning rate: the learning rate whose steps move a row
//   // of dim columns by about `length`. 0: it depends on the gradient.
//   double learning_rate_of_step(double length, std::size_t dim) const;
//
//   // With defers_rows: applies the deferred steps of these rows, which are distinct.
//   template <Execution X, class T, RegularizerPolicy R>
//   void apply_deferred(const X& exec, const ParameterView<T>& table,
//                       std::span<const Index> row_indices, State<T>& state,
//                       const R& regularizer) const;
//   // With defers_rows: applies the deferred steps of all rows.
//   template <Execution X, class T, RegularizerPolicy R>
//   void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
//              const R& regularizer) const;
// };

/// The learning rate whose steps move a row of dim columns by about `length`; 0 if the optimizer
/// has no such function.
template <class O>
[[nodiscard]] double learning_rate_of_step(const O& optimizer, double length, std::size_t dim) {
  if constexpr (detail::names_learning_rate_of_step<O>) {
    static_assert(
        requires {
          { optimizer.learning_rate_of_step(length, dim) } -> std::convertible_to<double>;
        },
        "an optimizer's learning_rate_of_step, if it has one, must be: double "
        "learning_rate_of_step(double length, std::size_t dim) const");
    return optimizer.learning_rate_of_step(length, dim);
  } else {
    return 0;
  }
}

// For checkpoints, a State also has (include prism/core/binary_file.hpp):
//   // Writes all values that later steps depend on, without changing them: deferred steps are not
//   // applied. For lists in any memory, use write_numbers() (prism/core/binary_tables.hpp).
//   void save(BinaryWriter& out) const;
//   // Reads them, in the same order, into a new State for a table of the same shape, with
//   // read_numbers(). It may have a second parameter, the execution.
//   void load(BinaryReader& in);
template <class State, class X = Host<>>
concept SavedState = requires(const State& saved, BinaryWriter& out) {
  saved.save(out);
}
&&(
    requires(State& loaded, BinaryReader& in) { loaded.load(in); } ||
    requires(State & loaded, BinaryReader& in, const X& exec) { loaded.load(in, exec); });

namespace detail {

template <class O>
concept OptimizerTraitsFit = !names_traits<O> || ConstantTraits<O, OptimizerTraits>;
template <class O>
[[nodiscard]] consteval bool defers_rows_trait() {
  if constexpr (ConstantTraits<O, OptimizerTraits>) {
    return O::traits.defers_rows;
  } else {
    return false;
  }
}

template <class O, class T>
concept HasOptimizerState = requires { typename O::template State<T>; };
template <class O, class T>
concept OptimizerStateConstructible =
    HasOptimizerState<O, T> && std::constructible_from<typename O::template State<T>, std::size_t,
                                                       std::size_t, std::pmr::memory_resource*>;
template <class State, class X>
concept FiniteOnExecution = requires(const State& state, const X& exec) {
  { state.finite(exec) } -> std::same_as<bool>;
} || (HostExecution<X> && requires(const State& state) {
                              { state.finite() } -> std::same_as<bool>;
                            });
template <class O, class T, class X>
concept FiniteFits = !HasOptimizerState<O, T> || !names_finite<typename O::template State<T>> ||
                     FiniteOnExecution<typename O::template State<T>, X>;
template <class O, class T, class X>
concept StepsTable =
    requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
             const TableGradient<T>& gradient, typename O::template State<T>& state, StepInfo info,
             const AnyRegularizer& regularizer) {
      optimizer(exec, table, gradient, state, info, regularizer);
    };
template <class O, class T, class X>
concept AppliesDeferred =
    requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
             std::span<const Index> row_indices, typename O::template State<T>& state,
             const AnyRegularizer& regularizer) {
      optimizer.apply_deferred(exec, table, row_indices, state, regularizer);
    };
template <class O, class T, class X>
concept Flushes =
    requires(const O& optimizer, const X& exec, const ParameterView<T>& table,
             typename O::template State<T>& state, const AnyRegularizer& regularizer) {
      optimizer.flush(exec, table, state, regularizer);
    };

}  // namespace detail

/// @tparam T  scalar type
/// @tparam X  execution
template <class O, class T = double, class X = Host<>>
concept OptimizerPolicy =
    detail::AnyPolicy<O> && detail::OptimizerTraitsFit<O> &&
    detail::OptimizerStateConstructible<O, T> && detail::FiniteFits<O, T, X> &&
    detail::StepsTable<O, T, X> &&
    (detail::defers_rows_trait<O>() ? detail::AppliesDeferred<O, T, X> && detail::Flushes<O, T, X>
                                    : !detail::names_apply_deferred<O> && !detail::names_flush<O>);

/// An optimizer that defers the steps of rows without a gradient.
template <class O, class T = double, class X = Host<>>
concept LazyOptimizer = OptimizerPolicy<O, T, X> && detail::defers_rows_trait<O>();

#define PRISM_OPTIMIZER_OPERATOR                                                      \
  "template <Execution X, class T, RegularizerPolicy R> void operator()(const X& "    \
  "exec, const ParameterView<T>& table, const TableGradient<T>& gradient, State<T>& " \
  "state, StepInfo info, const R& regularizer) const"

/// Whether O is an optimizer. If it is not, the first compiler error names the missing requirement:
/// `static_assert(check_optimizer<MyOptimizer>())`.
template <class O, class T = double, Execution X = Host<>>
[[nodiscard]] consteval bool check_optimizer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(O, "an optimizer");
  static_assert(OptimizerTraitsFit<O>,
                "an optimizer's traits must be a constant: static constexpr OptimizerTraits "
                "traits{...}");
  static_assert(HasOptimizerState<O, T>,
                "an optimizer must have a State for a table: template <class T> struct State");
  static_assert(
      !HasOptimizerState<O, T> || OptimizerStateConstructible<O, T>,
      "an optimizer's State must be constructible from a table's size: State(std::size_t size, "
      "std::size_t dim, std::pmr::memory_resource* memory)");
  static_assert(
      FiniteFits<O, T, X>,
      "an optimizer's State's finite, if it has one, must be: template <Execution X> bool "
      "finite(const X& exec) const");
  static_assert(StepsTable<O, T, X> || !StepsTable<O, T, Host<>>,
                "an optimizer's operator() must accept every execution, but does not accept this "
                "one: " PRISM_OPTIMIZER_OPERATOR);
  static_assert(StepsTable<O, T, X>, "an optimizer must update a table: " PRISM_OPTIMIZER_OPERATOR);
  static_assert(!defers_rows_trait<O>() || AppliesDeferred<O, T, X>,
                "an optimizer whose traits declare defers_rows must have: template <Execution X, "
                "class T, RegularizerPolicy R> void apply_deferred(const X& exec, const "
                "ParameterView<T>& table, std::span<const Index> row_indices, State<T>& state, "
                "const R& regularizer) const");
  static_assert(!defers_rows_trait<O>() || Flushes<O, T, X>,
                "an optimizer whose traits declare defers_rows must have: template <Execution X, "
                "class T, RegularizerPolicy R> void flush(const X& exec, const ParameterView<T>& "
                "table, State<T>& state, const R& regularizer) const");
  static_assert(defers_rows_trait<O>() || (!names_apply_deferred<O> && !names_flush<O>),
                "an optimizer with apply_deferred or flush must declare it in its traits: static "
                "constexpr OptimizerTraits traits{.defers_rows = true}");
  return OptimizerPolicy<O, T, X>;
}
#undef PRISM_OPTIMIZER_OPERATOR

}  // namespace prism::inline PRISM_ISA
