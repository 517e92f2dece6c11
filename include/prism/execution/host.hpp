// SPDX-License-Identifier: BSD-3-Clause
// Execution on the host: oneTBB threads, xsimd kernels.
#pragma once

#include <tbb/global_control.h>

#include <cstddef>
#include <memory>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/execution/shared_loop.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_reproducible.hpp"
#include "prism/kernel/pack_xsimd.hpp"

namespace prism::inline PRISM_ISA {

template <class Isa>
struct Backend<Host<Isa>> {
  static_assert(
      requires { Pack<float, Isa>::width; },
      "host<Isa>: the compiler's flags do not allow this instruction set: pass -march=native, or "
      "-mavx2 -mfma for isa::avx2; isa::reproducible needs fused multiply-add. A custom "
      "instruction set needs a Pack: see prism/kernel/pack.hpp");
#if defined(__FAST_MATH__)
  static_assert(!std::is_same_v<Isa, isa::reproducible>,
                "host<isa::reproducible>: -ffast-math lets the compiler change the order of "
                "operations: compile without it, and with -ffp-contract=off");
#endif

  template <class Body>
  static void tasks(const Host<Isa>& exec, std::size_t n, const Body& body) {
    const auto call = [](const void* erased, std::size_t begin, std::size_t end) {
      const FlushDenormals flush;
      const Body& own = *static_cast<const Body*>(erased);
      for (std::size_t i = begin; i != end; ++i) own(i);
    };
    if (n > 0) detail::run_tasks(n, {std::addressof(body), call}, exec.threads);
  }
};

/// During its lifetime, the whole process runs parallel loops on at most `threads` threads; while a
/// device trains, one more thread draws the next epoch's order. Results are bit-identical for any
/// number of threads, so this is a run-time limit, not a template parameter.
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
