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

/// cudaMallocManaged as a memory resource. Grants no more than was free on the device when it was
/// first asked: beyond that pages would move back and forth at each step.
class ManagedMemory final : public DeviceMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* pinned() noexcept override { return pinned_memory(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    if (void* const kept = freed_.take(bytes)) return kept;
    // Asked once: what is granted takes room only when it is used, so that what is free later does
    // not tell.
    static const std::size_t to_grant = free_at_first();
    granted_ += bytes;
    if (granted_ > to_grant) free_kept();
    if (const std::size_t granted = granted_; granted > to_grant) {
      granted_ -= bytes;
      throw DeviceError("the device had " + std::to_string(to_grant) +
                        " bytes free for models, of which " + std::to_string(granted - bytes) +
                        " are granted, and " + std::to_string(bytes) +
                        " more are needed: fewer users or items, or a smaller dimension or "
                        "batch, or a device with more memory");
    }
    max_kept_ = to_grant / 4;
    void* block = nullptr;
    const cudaError_t result = allocate(&block, bytes > 0 ? bytes : 1);
    if (result != cudaSuccess) granted_ -= bytes;
    check(result, "allocating a device's memory");
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    wait_for_device();
    if (freed_.keep(block, bytes, max_kept_)) return;
    free(block);
    granted_ -= bytes;
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
  /// Whether host and device can use the same managed memory at once. Where they cannot (a driver
  /// in a sandbox, WSL), pinned memory of the host takes its place: slow, but the same results.
  static bool is_shared() {
    static const bool shared = [] {
      int device = 0, concurrent = 0;
      check(cudaGetDevice(&device), "asking for the device");
      check(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device),
            "asking what the device can do");
      return concurrent != 0;
    }();
    return shared;
  }
  static cudaError_t allocate(void** block, std::size_t bytes) {
    return is_shared() ? cudaMallocManaged(block, bytes) : cudaMallocHost(block, bytes);
  }
  static void free(void* block) noexcept {  // fails only where the process ends
    static_cast<void>(is_shared() ? cudaFree(block) : cudaFreeHost(block));
  }
  static std::size_t free_at_first() {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
    constexpr std::size_t of_others = std::size_t{1} << 28;  // kernels' code, stacks
    return available > of_others ? available - of_others : 0;
  }
  void free_kept() {
    freed_.clear([&](void* block, std::size_t bytes) {
      free(block);
      granted_ -= bytes;
    });
  }

  BlockCache freed_;
  std::atomic<std::size_t> granted_ = 0;  // with what is kept
  std::atomic<std::size_t> max_kept_ = 0;
};

/// The resource; never destroyed.
[[nodiscard]] inline DeviceMemory* managed_memory() {
  static ManagedMemory* const memory = new ManagedMemory;
  return memory;
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
