// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Makes a list that a device works on at least `size` long. Its contents are lost if that replaces
/// it.
template <DeviceExecution X>
void grow(const X& exec, TableVector<Index>& list, std::size_t size) {
  if (serves(list.size(), size)) return;
  synchronise(exec);  // the device may still work on it
  // The next one may be slightly longer.
  list = TableVector<Index>(with_spare(size, size / 8), list.get_allocator());
}

/// Working memory of a function that a device runs, kept for the calling thread. Work that a thread
/// begins runs on the device in order, so that each call may overwrite what the previous one left.
/// @tparam Owner  names the function
template <class Owner, DeviceExecution X>
[[nodiscard]] std::span<Index> thread_memory(const X& exec, std::size_t size) {
  thread_local TableVector<Index> memory(memory_of(exec));
  if (memory.get_allocator() != TableAllocator<Index>(memory_of(exec))) {
    memory = TableVector<Index>(memory_of(exec));  // the thread has changed its device
  }
  grow(exec, memory, size);
  return std::span(memory).first(size);
}

}  // namespace prism::inline PRISM_ISA::detail
