// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops whose results do not depend on the number of threads: work is divided into chunks
// by its size alone, and partial sums are added in the chunks' order. The execution decides which
// threads run them, if any.
//
// for_each_row, for_each_element and sum_over_rows run wherever the execution says, also on a
// device: their bodies are lambdas that a device can run too, [=] PRISM_HOST_DEVICE (std::size_t i)
// {...}, and capture copies of views. The other loops run on the host only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <numeric>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"

namespace prism::inline PRISM_ISA {

/// Waits for a device's pending work; no effect on the host.
template <Execution X>
void synchronise([[maybe_unused]] const X& exec) {
  if constexpr (DeviceExecution<X>) Backend<X>::synchronise(exec);
}

/// The memory that an execution works on: for a device, its own, not the host's (DeviceMemory).
/// @param preferred  for the host; null for table_memory()
template <Execution X>
[[nodiscard]] std::pmr::memory_resource* memory_of([[maybe_unused]] const X& exec,
                                                   std::pmr::memory_resource* preferred = nullptr) {
  if constexpr (DeviceExecution<X>) {
    return Backend<X>::memory(exec);
  } else {
    return preferred != nullptr ? preferred : table_memory();
  }
}

/// Whether an execution can read an address: a device can in its memory_of() and in pinned memory.
template <Execution X>
[[nodiscard]] bool can_read([[maybe_unused]] const X& exec, const void* address) {
  if constexpr (DeviceExecution<X>) {
    return Backend<X>::can_read(exec, address);
  } else {
    return true;
  }
}

/// The execution for loops that only the host can run; for a device, its back end says which.
template <Execution X>
[[nodiscard]] auto host_of(const X& exec) {
  if constexpr (DeviceExecution<X>) {
    return Backend<X>::host_of(exec);
  } else {
    return exec;
  }
}

/// Calls body(i) for i in [0, n), each i as a separate task, with denormal numbers as zero. On the
/// host, a loop nested in a task may have one thread fewer: the outer loop's caller sleeps when it
/// has no task.
template <Execution X, class Body>
void parallel_tasks(const X& exec, std::size_t n, const Body& body) {
  static_assert(
      HostExecution<X>,
      "parallel_tasks, parallel_chunks and parallel_sum run only on the host; on a device, "
      "use for_each_row, for_each_element and sum_over_rows of prism/core/parallel.hpp, with "
      "bodies [=] PRISM_HOST_DEVICE (std::size_t i) {...}");
  Backend<X>::tasks(exec, n, body);
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

/// Calls body(r), the work on a row in packs of X::isa, for each r in [0, n). On a device a warp
/// runs each body, and for_each_row returns before the device is done.
/// @param grain  rows in a chunk on the host
template <Execution X, class Body>
void for_each_row(const X& exec, std::size_t n, std::size_t grain, const Body& body) {
  if constexpr (DeviceExecution<X>) {
    Backend<X>::on_warps(exec, n, body);
  } else {
    parallel_chunks(exec, n, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) body(r);
    });
  }
}

/// Runs body(i) for each i in [0, n), where a body handles a single number: on a device a lane runs
/// each. Otherwise as for_each_row.
template <Execution X, class Body>
void for_each_element(const X& exec, std::size_t n, std::size_t grain, const Body& body) {
  if constexpr (DeviceExecution<X>) {
    Backend<X>::on_lanes(exec, n, body);
  } else {
    for_each_row(exec, n, grain, body);
  }
}

/// Overloads for code that only a device runs; a device has no chunks.
template <DeviceExecution X, class Body>
void for_each_row(const X& exec, std::size_t n, const Body& body) {
  Backend<X>::on_warps(exec, n, body);
}
template <DeviceExecution X, class Body>
void for_each_element(const X& exec, std::size_t n, const Body& body) {
  Backend<X>::on_lanes(exec, n, body);
}

/// The sum of body(r), a double, over [0, n), in a fixed order.
template <Execution X, class Body>
[[nodiscard]] double sum_over_rows(const X& exec, std::size_t n, std::size_t grain,
                                   const Body& body) {
  if constexpr (DeviceExecution<X>) {
    return Backend<X>::sum_on_warps(exec, n, body);
  } else {
    return parallel_sum(exec, n, grain, [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t r = begin; r < end; ++r) total += body(r);
      return total;
    });
  }
}

/// Calls kernel(block, shared, i) for each i in [0, n), each on a block of a device's threads;
/// returns before the device is done. kernel/thread_block.hpp says what a kernel is.
template <DeviceExecution X, class Kernel>
void for_each_block(const X& exec, std::size_t n, const Kernel& kernel) {
  Backend<X>::on_blocks(exec, n, kernel);
}

}  // namespace prism::inline PRISM_ISA
