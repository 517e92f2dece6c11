// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/optimizer/adam_rows.hpp"
#include "prism/optimizer/dense_adam.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// Lazy Adam: the weights of torch.optim.Adam, up to rounding, at the cost of the batch's rows
/// instead of the table's. A step visits only rows with a gradient; a row's zero-gradient steps are
/// deferred until it is next read. Without decay they have a closed form; with decay they are
/// replayed in registers. Decay is added to the gradient (L2, not AdamW). Kingma, Ba, ICLR 2015.
struct Adam {
  static constexpr std::string_view name = "Adam";
  static constexpr OptimizerTraits traits{.defers_rows = true};

  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< at least 1e-30

  /// The learning rate whose steps move a row of dim columns by about `length`: Adam moves each
  /// column by about the learning rate (Kingma, Ba, section 2.1).
  [[nodiscard]] double learning_rate_of_step(double length, std::size_t dim) const {
    return DenseAdam{}.learning_rate_of_step(length, dim);
  }

  static constexpr auto options =
      option_table(option<&Adam::beta1>("beta1", detail::adam_beta),
                   option<&Adam::beta2>("beta2", detail::adam_beta),
                   option<&Adam::epsilon>("epsilon", detail::adam_epsilon));

  template <class T>
  using State = detail::LazyAdamState<T, detail::AdamRows>;

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
  [[nodiscard]] detail::LazyAdam<T, detail::AdamRows> lazy_adam(const ParameterView<T>& table,
                                                                State<T>& state) const {
    return {table, state, beta1, beta2, epsilon};
  }
};

static_assert(OptimizerPolicy<Adam>);
static_assert(LazyOptimizer<Adam> && !LazyOptimizer<DenseAdam>);

}  // namespace prism::inline PRISM_ISA
