// SPDX-License-Identifier: BSD-3-Clause
// Magnitudes of rows, and means over training pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The mean over the interactions of value(user, item).
template <Execution X, class Value>
[[nodiscard]] double mean_over_pairs(const X& exec, const Interactions& pairs, const Value& value) {
  constexpr std::size_t grain = 4096;
  const double sum =
      parallel_sum(exec, pairs.size(), grain, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t k = begin; k < end; ++k) part += value(pairs[k].user, pairs[k].item);
        return part;
      });
  return sum / static_cast<double>(pairs.size());
}

template <class Isa, class T>
[[nodiscard]] std::vector<double> row_magnitudes(Rows<const T> rows) {
  std::vector<double> magnitudes(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    magnitudes[r] = static_cast<double>(norm<Isa>(rows[r], rows.dim()));
  }
  return magnitudes;
}

}  // namespace prism::inline PRISM_ISA::detail
