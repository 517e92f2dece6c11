// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops whose results do not depend on the number of threads: work is cut into chunks by
// its size alone, and partial sums are folded in the chunks' order.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// While it lives, the whole process runs parallel loops on at most `threads` threads. Results stay
/// the same bit for bit, which is why threads are a run-time resource and no template parameter.
class ThreadLimit {
 public:
  /// @param threads  at least 1 (ArgumentError otherwise)
  explicit ThreadLimit(std::size_t threads)
      : control_(tbb::global_control::max_allowed_parallelism, checked(threads)) {}
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  static std::size_t checked(std::size_t threads) {
    require(threads >= 1, "threads", "must be at least 1, not 0");
    return threads;
  }

  tbb::global_control control_;
};

/// Calls body(i) for i in [0, n), each i a task of its own, with denormal numbers as zero.
template <class Body>
void parallel_tasks(std::size_t n, const Body& body) {
  if (n == 0) return;
  if (n == 1) {
    const DenormalsAreZero quick;
    return body(std::size_t{0});
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1), [&](const auto& range) {
    const DenormalsAreZero quick;
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

/// Calls body(begin, end) for consecutive chunks of `grain` elements that cover [0, n).
template <class Body>
void parallel_chunks(std::size_t n, std::size_t grain, const Body& body) {
  parallel_tasks((n + grain - 1) / grain, [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    body(begin, std::min(begin + grain, n));
  });
}

/// The sum of body(begin, end) over the chunks of [0, n), folded in the chunks' order.
template <class Body>
[[nodiscard]] double parallel_sum(std::size_t n, std::size_t grain, const Body& body) {
  std::vector<double> partial((n + grain - 1) / grain);
  parallel_tasks(partial.size(), [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    partial[chunk] = body(begin, std::min(begin + grain, n));
  });
  return std::accumulate(partial.begin(), partial.end(), 0.0);
}

}  // namespace prism::inline PRISM_ISA
