// SPDX-License-Identifier: BSD-3-Clause
// Memory of a CUDA device: tables, batches and optimizer states stay there, and the host copies
// what it needs as a whole. Managed memory, which both could use, is not supported by every driver,
// and its pages move at every mistake.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory_resource>
#include <string>

#include "prism/core/block_cache.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/memory.hpp"
#include "prism/cuda/error.hpp"

namespace prism::inline PRISM_ISA {
namespace cuda {

/// Waits for all that was begun, by any thread: it may use a block that is freed.
inline void wait_for_device() noexcept {
  static_cast<void>(cudaDeviceSynchronize());  // an error is reported elsewhere
}

/// The host's memory, which the device reads without moving it: cudaMallocHost.
class PinnedMemory final : public std::pmr::memory_resource {
  static constexpr std::size_t max_kept = std::size_t{1} << 28;

  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    if (void* const kept = freed_.take(bytes)) return kept;
    void* block = nullptr;
    cudaError_t result = cudaMallocHost(&block, bytes > 0 ? bytes : 1);
    if (result != cudaSuccess) {
      freed_.clear([](void* kept, std::size_t) { static_cast<void>(cudaFreeHost(kept)); });
      static_cast<void>(cudaGetLastError());  // else the next check would report it
      result = cudaMallocHost(&block, bytes > 0 ? bytes : 1);
    }
    check(result, "allocating pinned memory");
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    wait_for_device();
    if (!freed_.keep(block, bytes, max_kept)) static_cast<void>(cudaFreeHost(block));
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  BlockCache freed_;
};

/// The resource; never destroyed.
[[nodiscard]] inline std::pmr::memory_resource* pinned_memory() {
  static PinnedMemory* const memory = new PinnedMemory;
  return memory;
}

/// cudaMalloc as a memory resource.
class Memory final : public DeviceMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* pinned() noexcept override { return pinned_memory(); }

  void copy(void* to, const void* from, std::size_t bytes) override {
    // Follows what the calling thread has begun, whose loops are on this stream too.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread),
          "copying between a device's memory and the host's");
    check(cudaStreamSynchronize(cudaStreamPerThread), "waiting for a copy");
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    if (void* const kept = freed_.take(bytes)) return kept;
    void* block = nullptr;
    cudaError_t result = cudaMalloc(&block, bytes > 0 ? bytes : 1);
    if (result == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // else the next check would report it
      freed_.clear([](void* kept, std::size_t) { static_cast<void>(cudaFree(kept)); });
      result = cudaMalloc(&block, bytes > 0 ? bytes : 1);
    }
    if (result == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      std::size_t available = 0, total = 0;
      check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
      throw DeviceError("of the device's " + std::to_string(total) + " bytes " +
                        std::to_string(available) + " are free, and " + std::to_string(bytes) +
                        " more are needed at once: fewer users or items, or a smaller dimension "
                        "or batch, or a device with more memory");
    }
    check(result, "allocating a device's memory");
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    wait_for_device();
    if (!freed_.keep(block, bytes, max_kept())) static_cast<void>(cudaFree(block));
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  /// A quarter of the device's memory.
  static std::size_t max_kept() noexcept {
    static const std::size_t quarter = [] {
      std::size_t available = 0, total = 0;
      return cudaMemGetInfo(&available, &total) == cudaSuccess ? total / 4 : 0;
    }();
    return quarter;
  }

  BlockCache freed_;
};

/// The current device's memory; never destroyed.
[[nodiscard]] inline DeviceMemory* memory() {
  static Memory* const of_device = new Memory;
  return of_device;
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
