// SPDX-License-Identifier: BSD-3-Clause
// Memory of a CUDA device. Tables, batches and optimizer states are in memory that host and device
// share (unified memory): its pages are where they were last used, and those that only the device
// works on stay there.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/memory.hpp"
#include "prism/cuda/error.hpp"

namespace prism::inline PRISM_ISA {
namespace cuda {

/// The host's memory, which the device reads without moving it: cudaMallocHost.
class PinnedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    void* block = nullptr;
    check(cudaMallocHost(&block, bytes > 0 ? bytes : 1), "allocating pinned memory");
    return block;
  }
  void do_deallocate(void* block, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    static_cast<void>(cudaFreeHost(block));  // fails only where the process ends
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

/// The resource; never destroyed.
[[nodiscard]] inline std::pmr::memory_resource* pinned_memory() {
  static PinnedMemory* const memory = new PinnedMemory;
  return memory;
}

/// cudaMallocManaged as a memory resource. Grants no more than the device has in all: it would be
/// paged back and forth at each step.
class ManagedMemory final : public DeviceMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* pinned() noexcept override { return pinned_memory(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
    // What is granted takes room only once it is used, so that the free memory does not tell.
    const std::size_t before = granted_.fetch_add(bytes);
    if (before + bytes > total) {
      granted_ -= bytes;
      throw DeviceError("the device has " + std::to_string(total) + " bytes, of which " +
                        std::to_string(before) + " are granted, and " + std::to_string(bytes) +
                        " more are needed: fewer users or items, or a smaller dimension or batch, "
                        "or a device with more memory");
    }
    void* block = nullptr;
    const cudaError_t result = cudaMallocManaged(&block, bytes > 0 ? bytes : 1);
    if (result != cudaSuccess) granted_ -= bytes;
    check(result, "allocating a device's memory");
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    // Waits for kernels that may still use it. Fails only where the process ends.
    static_cast<void>(cudaFree(block));
    granted_ -= bytes;
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::atomic<std::size_t> granted_ = 0;
};

/// The resource; never destroyed.
[[nodiscard]] inline DeviceMemory* managed_memory() {
  static ManagedMemory* const memory = new ManagedMemory;
  return memory;
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
