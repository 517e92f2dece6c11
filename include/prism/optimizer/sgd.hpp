// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/optimizer.hpp"

namespace prism::inline PRISM_ISA {

/// w -= learning_rate * (gradient + decay * w), the update of the paper's theorem 1. Rows without a
/// gradient keep their decay only where learning_rate * decay is above half of T's epsilon, 6e-8
/// for float.
struct SGD {
  static constexpr std::string_view name = "SGD";

  /// Empty: SGD has no moments.
  template <class T>
  struct State {
    State(std::size_t /*size*/, std::size_t /*dim*/,
          std::pmr::memory_resource* /*memory*/ = nullptr) {}
    void save(BinaryWriter& /*out*/) const {}
    void load(BinaryReader& /*in*/) {}
  };

  /// A step of each of some rows.
  template <class StepRow>
  struct StepOf {
    std::span<const Index> unique_rows;
    StepRow step_row;

    PRISM_HOST_DEVICE void operator()(std::size_t k) const { step_row(unique_rows[k]); }
  };

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& /*state*/, StepInfo info, const R& regularizer) const {
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const double learning_rate = info.learning_rate;
    const auto step_row = [=] PRISM_HOST_DEVICE(std::size_t r) {
      using Isa = typename X::isa;
      const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
      T* const row = table.rows[r];
      const std::size_t dim = table.rows.dim();
      if (const T* const g = gradient.of(r)) {
        descend<Isa>(row, static_cast<T>(learning_rate), g, static_cast<T>(decay), dim);
      } else if (decay != 0) {
        add_scaled<Isa>(row, static_cast<T>(-learning_rate * decay), row, dim);
      }
      if (table.bounded()) clamp<Isa>(row, table.lowest, table.highest, dim);
    };
    constexpr std::size_t grain = 1024;
    // Without decay, rows outside the batch do not change; but they may start out of their bounds.
    if (!gradient.is_dense() && inactive_decay.is_zero() && !table.bounded()) {
      const std::span<const Index> unique_rows = gradient.unique_rows();
      for_each_row(exec, unique_rows.size(), grain,
                   StepOf<decltype(step_row)>{unique_rows, step_row});
    } else {
      for_each_row(exec, table.rows.size(), grain, step_row);
    }
  }
};

static_assert(OptimizerPolicy<SGD>);

}  // namespace prism::inline PRISM_ISA
