// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops whose results do not depend on the number of threads: work is divided into chunks
// by its size alone, and partial sums are added in the chunks' order. The execution decides which
// threads run them, if any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"

namespace prism::inline PRISM_ISA {

/// Calls body(i) for i in [0, n), each i as a separate task, with denormal numbers as zero.
template <Execution X, class Body>
void parallel_tasks(const X& /*exec*/, std::size_t n, const Body& body) {
  Loops<X>::tasks(n, body);
}

/// Calls body(begin, end) for consecutive chunks of `grain` elements that cover [0, n).
template <Execution X, class Body>
void parallel_chunks(const X& exec, std::size_t n, std::size_t grain, const Body& body) {
  parallel_tasks(exec, (n + grain - 1) / grain, [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    body(begin, std::min(begin + grain, n));
  });
}

/// The sum of body(begin, end) over the chunks of [0, n), added in the chunks' order.
template <Execution X, class Body>
[[nodiscard]] double parallel_sum(const X& exec, std::size_t n, std::size_t grain,
                                  const Body& body) {
  std::vector<double> partial((n + grain - 1) / grain);
  parallel_tasks(exec, partial.size(), [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    partial[chunk] = body(begin, std::min(begin + grain, n));
  });
  return std::accumulate(partial.begin(), partial.end(), 0.0);
}

}  // namespace prism::inline PRISM_ISA
