// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/optimizer/dense_adam.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/optimizer/row_wise_adam_rows.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// Adam with one second moment per row, from the mean of its columns' squares: a different
/// optimizer from Adam, with two thirds of its memory and traffic, and one square root and one
/// division per row instead of per weight. The moments are those of FBGEMM's and TorchRec's partial
/// row-wise Adam, but every row takes every step, even without a gradient, and decay is added to
/// the gradient. Lazy, as Adam is: the deferred steps of a row with decay are computed in the plane
/// of its weights and first moments, where a step takes a few numbers instead of a row.
struct PartialRowWiseAdam {
  static constexpr std::string_view name = "PartialRowWiseAdam";
  static constexpr OptimizerTraits traits{.defers_rows = true};

  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< at least 1e-30

  /// As in Adam: the root mean square of a row's update is about the learning rate.
  [[nodiscard]] double learning_rate_of_step(double length, std::size_t dim) const {
    return DenseAdam{}.learning_rate_of_step(length, dim);
  }

  static constexpr auto options =
      option_table(option<&PartialRowWiseAdam::beta1>("beta1", detail::adam_beta),
                   option<&PartialRowWiseAdam::beta2>("beta2", detail::adam_beta),
                   option<&PartialRowWiseAdam::epsilon>("epsilon", detail::adam_epsilon));

  template <class T>
  using State = detail::LazyAdamState<T, detail::RowWiseAdamRows>;

  /// Applies the deferred steps of some of a table's rows.
  /// @param row_indices  distinct rows
  template <Execution X, class T, RegularizerPolicy R>
  void apply_deferred(const X& exec, const ParameterView<T>& table,
                      std::span<const Index> row_indices, State<T>& state,
                      const R& regularizer) const {
    lazy_adam(table, state).apply_deferred(exec, row_indices, regularizer);
  }

  /// Applies the deferred steps of all rows of a table, and clears the history.
  template <Execution X, class T, RegularizerPolicy R>
  void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
             const R& regularizer) const {
    lazy_adam(table, state).flush(exec, regularizer);
  }

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    lazy_adam(table, state).step(exec, gradient, info, regularizer);
  }

 private:
  template <class T>
  [[nodiscard]] detail::LazyAdam<T, detail::RowWiseAdamRows> lazy_adam(
      const ParameterView<T>& table, State<T>& state) const {
    return {table, state, beta1, beta2, epsilon};
  }
};

static_assert(LazyOptimizer<PartialRowWiseAdam>);

}  // namespace prism::inline PRISM_ISA
