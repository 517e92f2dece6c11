// SPDX-License-Identifier: BSD-3-Clause
// Random initial values.
#pragma once

#include <cmath>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA {

/// Fills a table with uniform draws from [-bound, bound]; element i takes draw i.
template <Execution X, class T>
void fill_uniform(const X& exec, Rows<T> table, double bound, const Random& random) {
  constexpr std::size_t grain = 1 << 14;
  for_each_element(exec, table.num_elements(), grain, [=] PRISM_HOST_DEVICE(std::size_t i) {
    table.data()[i] = static_cast<T>(bound * (2.0 * random.uniform(i) - 1.0));
  });
}

/// Glorot and Bengio's bound for a table: sqrt(6 / (rows + columns)).
[[nodiscard]] inline double xavier_bound(std::size_t rows, std::size_t columns) {
  return std::sqrt(6.0 / static_cast<double>(rows + columns));
}

}  // namespace prism::inline PRISM_ISA
