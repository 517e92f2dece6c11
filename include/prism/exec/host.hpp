// SPDX-License-Identifier: BSD-3-Clause
// Execution on the host: threads of oneTBB, kernels of xsimd.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_xsimd.hpp"

namespace prism::inline PRISM_ISA {

template <class Isa>
struct Loops<Host<Isa>> {
  template <class Body>
  static void tasks(std::size_t n, const Body& body) {
    if (n == 0) return;
    if (n == 1) {
      const FlushDenormals flush;
      return body(std::size_t{0});
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1), [&](const auto& range) {
      const FlushDenormals flush;
      for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
    });
  }
};

/// During its lifetime, the whole process runs parallel loops on at most `threads` threads. Results
/// are equal bit for bit for any number of threads, so it is a run-time limit and no template
/// parameter.
class ThreadLimit {
 public:
  /// @param threads  at least 1
  /// @throws ArgumentError  if threads is 0
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

}  // namespace prism::inline PRISM_ISA
