// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/optimizer.hpp"

namespace prism::inline PRISM_ISA {

/// w -= learning_rate * (gradient + decay * w), the update the paper's theorem is about.
struct SGD {
  static constexpr std::string_view name = "SGD";

  /// It remembers nothing.
  template <class T>
  struct State {
    State(std::size_t /*size*/, std::size_t /*dim*/) {}
  };

  template <class T, RegularizerPolicy R>
  void operator()(Rows<T> table, const TableGradient<T>& gradient, State<T>& /*state*/,
                  StepSize size, const R& regularizer) const {
    constexpr std::size_t grain = 1024;
    parallel_chunks(table.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        const double decay = regularizer.weight_decay(gradient.in_batch(r));
        if (decay != 0) {
          scale(table[r], static_cast<T>(1 - size.learning_rate * decay), table[r], table.dim());
        }
        if (const T* const g = gradient.of(r)) {
          add_scaled(table[r], static_cast<T>(-size.learning_rate), g, table.dim());
        }
      }
    });
  }
};

static_assert(OptimizerPolicy<SGD>);

}  // namespace prism::inline PRISM_ISA
