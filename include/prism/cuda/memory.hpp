// SPDX-License-Identifier: BSD-3-Clause
// Memory of a CUDA device: tables, batches and optimizer states stay there, and the host copies
// what it needs in one piece. Not every driver supports managed memory, which both could use.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <mutex>
#include <string>

#include "prism/core/block_cache.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/memory.hpp"
#include "prism/cuda/error.hpp"

namespace prism::inline PRISM_ISA {
namespace cuda {

namespace detail {

/// During its lifetime, makes a device the calling thread's current one.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_), "getting the current device");
    if (device == before_) return;
    check(cudaSetDevice(device), "choosing a device");
    changed_ = true;
  }
  ~CurrentDevice() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Waits for everything that any thread has launched on a device, which may still use a block that
/// is about to be freed.
inline void wait_for(int device) noexcept {
  try {
    const CurrentDevice current(device);
    static_cast<void>(cudaDeviceSynchronize());
  } catch (...) {  // the next call reports what is wrong with the device
  }
}

/// Blocks of memory for a device, from cudaMalloc or cudaMallocHost, and a cache of freed ones.
template <cudaError_t (*Allocate)(void**, std::size_t), cudaError_t (*Free)(void*)>
class Blocks {
 public:
  explicit Blocks(int device) noexcept : device_(device) {}

  /// @param reserve  bytes of the device that must stay free
  /// @return null if there is no room
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t reserve) {
    if (void* const kept = freed_.take(bytes)) return kept;
    const CurrentDevice current(device_);
    if (void* const block = allocate_beside(bytes, reserve)) return block;
    freed_.clear([](void* kept, std::size_t) { static_cast<void>(Free(kept)); });
    return allocate_beside(bytes, reserve);
  }
  /// @param max_kept  the most bytes of freed blocks to keep
  void deallocate(void* block, std::size_t bytes, std::size_t max_kept) noexcept {
    wait_for(device_);
    const bool kept = !separate_allocations && freed_.keep(block, bytes, max_kept);
    if (!kept) static_cast<void>(Free(block));
  }

 private:
  static void* allocate_beside(std::size_t bytes, std::size_t reserve) {
    void* block = nullptr;
    const cudaError_t result = Allocate(&block, bytes > 0 ? bytes : 1);
    if (result == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // otherwise the next check would report it
      return nullptr;
    }
    check(result, "allocating memory");
    if (reserve > 0) {
      std::size_t available = 0, total = 0;
      const cudaError_t asked = cudaMemGetInfo(&available, &total);
      if (asked != cudaSuccess || available < reserve) static_cast<void>(Free(block));
      check(asked, "querying the device's memory");
      if (available < reserve) return nullptr;
    }
    return block;
  }

  int device_;
  prism::detail::BlockCache freed_;
};

// For use as template arguments: cudaMalloc and cudaMallocHost are overloaded in C++.
inline cudaError_t allocate_pinned(void** block, std::size_t bytes) {
  return cudaMallocHost(block, bytes);
}
inline cudaError_t allocate_on_device(void** block, std::size_t bytes) {
  return cudaMalloc(block, bytes);
}

/// Pinned host memory, which the device reads in place: cudaMallocHost.
class PinnedMemory final : public std::pmr::memory_resource {
 public:
  explicit PinnedMemory(int device) noexcept : blocks_(device) {}

 private:
  static constexpr std::size_t max_kept = std::size_t{1} << 28;

  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    void* const block = blocks_.allocate(bytes, 0);
    if (block == nullptr) {
      throw DeviceMemoryError("cannot pin " + std::to_string(bytes) + " more bytes of host memory");
    }
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    blocks_.deallocate(block, bytes, max_kept);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  Blocks<allocate_pinned, cudaFreeHost> blocks_;
};

}  // namespace detail

/// A device's memory: cudaMalloc as a memory resource.
class Memory final : public DeviceMemory {
 public:
  /// @throws DeviceError  if there is no such device
  explicit Memory(int device) : device_(device), pinned_(device), blocks_(device) {
    const detail::CurrentDevice current(device);
    std::size_t available = 0;
    check(cudaMemGetInfo(&available, &total_), "querying the device's memory");
  }

  [[nodiscard]] std::pmr::memory_resource* pinned() noexcept override { return &pinned_; }

  void copy(void* to, const void* from, std::size_t bytes) override {
    const detail::CurrentDevice current(device_);
    // Runs after the calling thread's earlier loops, which are on this stream too.
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread),
          "copying between a device's memory and the host's");
    check(cudaStreamSynchronize(cudaStreamPerThread), "waiting for a copy");
  }

  [[nodiscard]] int device() const noexcept { return device_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    // Kernels and their launches need device memory too.
    const std::size_t reserve = std::min(total_ / 16, std::size_t{1} << 28);
    void* const block = blocks_.allocate(bytes, reserve);
    if (block == nullptr) {
      const detail::CurrentDevice current(device_);
      std::size_t available = 0, total = 0;
      check(cudaMemGetInfo(&available, &total), "querying the device's memory");
      throw DeviceMemoryError(
          "out of device memory: " + std::to_string(available) + " of the device's " +
          std::to_string(total) + " bytes are free, but " + std::to_string(bytes) +
          " are needed at once, and " + std::to_string(reserve) +
          " must stay free for its kernels; use fewer users or items, a smaller dimension or "
          "batch, or a device with more free memory");
    }
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t /*alignment*/) override {
    blocks_.deallocate(block, bytes, total_ / 4);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  int device_;
  std::size_t total_ = 0;
  detail::PinnedMemory pinned_;
  detail::Blocks<detail::allocate_on_device, cudaFree> blocks_;
};

/// The memory of the calling thread's current device; never destroyed.
/// @throws DeviceError  if there is no device
[[nodiscard]] inline Memory* memory() {
  static std::mutex mutex;
  static auto* const memories = new std::map<int, Memory>;
  int device = 0;
  check(cudaGetDevice(&device), "getting the current device");
  const std::scoped_lock lock(mutex);
  return &memories->try_emplace(device, device).first->second;
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
