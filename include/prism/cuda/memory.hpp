// SPDX-License-Identifier: BSD-3-Clause
// Memory that host and device share. Pages are where they were last used: tables that only the
// device works on stay there.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory_resource>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/cuda/error.hpp"

namespace prism::inline PRISM_ISA {
namespace cuda {

/// cudaMallocManaged as a memory resource.
class ManagedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    void* block = nullptr;
    const cudaError_t result = cudaMallocManaged(&block, bytes > 0 ? bytes : 1);
    if (result != cudaSuccess) {
      check(result, ("allocating " + std::to_string(bytes) + " bytes of memory that host and device "
                     "share").c_str());
    }
    return block;
  }
  void do_deallocate(void* block, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    // Waits for kernels that may still use it. Fails only where the process ends.
    static_cast<void>(cudaFree(block));
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

/// The resource; never destroyed.
[[nodiscard]] inline std::pmr::memory_resource* managed_memory() {
  static ManagedMemory* const memory = new ManagedMemory;
  return memory;
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
