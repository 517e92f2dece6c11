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

/// w -= learning_rate * (gradient + decay * w), the update of the paper's theorem 1.
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

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& /*state*/, StepInfo info, const R& regularizer) const {
    using Isa = typename X::isa;
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const auto step_row = [&](std::size_t r) {
      const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
      T* const row = table.rows[r];
      const std::size_t dim = table.rows.dim();
      if (decay != 0) scale<Isa>(row, static_cast<T>(1 - info.learning_rate * decay), row, dim);
      if (const T* const g = gradient.of(r)) {
        add_scaled<Isa>(row, static_cast<T>(-info.learning_rate), g, dim);
      }
      if (table.bounded()) clamp<Isa>(row, table.lowest, table.highest, dim);
    };
    constexpr std::size_t grain = 1024;
    // Without decay, rows outside the batch do not change.
    if (!gradient.is_dense() && inactive_decay.is_zero()) {
      const std::span<const Index> unique_rows = gradient.unique_rows();
      parallel_chunks(exec, unique_rows.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (const Index r : unique_rows.subspan(begin, end - begin)) step_row(r);
      });
    } else {
      parallel_chunks(exec, table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) step_row(r);
      });
    }
  }
};

static_assert(OptimizerPolicy<SGD>);

}  // namespace prism::inline PRISM_ISA
