// SPDX-License-Identifier: BSD-3-Clause
// serial_grid with separate memory, like a device's: only its loops and copies of whole lists can
// access it. Any other access is the host's, and crashes.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <memory_resource>
#include <new>
#include <prism/core/config.hpp>
#include <prism/core/execution.hpp>
#include <prism/core/memory.hpp>
#include <prism/execution/serial_grid.hpp>

namespace test {

struct GuardedGrid {
  using isa = prism::isa::emulated_warp;
};

inline constexpr GuardedGrid guarded_grid{};

/// Pages that cannot be accessed until they are opened, all together. Not thread-safe.
class GuardedMemory final : public prism::DeviceMemory {
 public:
  [[nodiscard]] std::pmr::memory_resource* pinned() noexcept override {
    return std::pmr::new_delete_resource();
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    const bool was_open = open_;
    set_open(true);
    std::memcpy(to, from, bytes);
    set_open(was_open);
  }

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  void set_open(bool open) noexcept {
    if (open == open_) return;
    open_ = open;
    for (const auto& [block, size] : blocks_) ::mprotect(block, size, protection());
  }

  [[nodiscard]] bool has(const void* address) const noexcept {
    const auto* const byte = static_cast<const char*>(address);
    auto after = blocks_.upper_bound(const_cast<void*>(address));
    if (after == blocks_.begin()) return false;
    --after;
    return byte < static_cast<const char*>(after->first) + after->second;
  }

 private:
  [[nodiscard]] int protection() const noexcept {
    return open_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  }
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    constexpr std::size_t page = 4096;
    const std::size_t size = (bytes / page + 1) * page;
    void* const block = ::mmap(nullptr, size, protection(), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    blocks_.emplace(block, size);
    return block;
  }
  void do_deallocate(void* block, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    const auto found = blocks_.find(block);
    ::munmap(block, found->second);
    blocks_.erase(found);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::map<void*, std::size_t> blocks_;
  bool open_ = false;
};

[[nodiscard]] inline GuardedMemory& guarded_memory() {
  static GuardedMemory* const memory = new GuardedMemory;
  return *memory;
}

/// Whether the calling thread's device is another one, as cudaSetDevice() chooses it.
inline bool other_device_is_current = false;

/// Opens the memory during its lifetime.
class OpenMemory {
 public:
  OpenMemory() : was_open_(guarded_memory().is_open()) { guarded_memory().set_open(true); }
  ~OpenMemory() { guarded_memory().set_open(was_open_); }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

 private:
  bool was_open_;
};

}  // namespace test

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_device<test::GuardedGrid> = true;

template <>
struct Backend<test::GuardedGrid> : Backend<SerialGrid> {
  template <class Body>
  static void on_warps(const auto& exec, std::size_t n, const Body& body) {
    const test::OpenMemory opened;
    Backend<SerialGrid>::on_warps(exec, n, body);
  }
  template <class Body>
  static void on_lanes(const auto& exec, std::size_t n, const Body& body) {
    on_warps(exec, n, body);
  }
  template <class Body>
  [[nodiscard]] static double sum_on_warps(const auto& exec, std::size_t n, const Body& body) {
    const test::OpenMemory opened;
    return Backend<SerialGrid>::sum_on_warps(exec, n, body);
  }
  template <class Kernel>
  static void on_blocks(const auto& exec, std::size_t n, const Kernel& kernel) {
    const test::OpenMemory opened;
    Backend<SerialGrid>::on_blocks(exec, n, kernel);
  }
  [[nodiscard]] static std::pmr::memory_resource* memory(const auto& /*exec*/) {
    return &test::guarded_memory();
  }
  [[nodiscard]] static bool can_read(const auto& /*exec*/, const void* address) {
    return !test::other_device_is_current && test::guarded_memory().has(address);
  }
};

}  // namespace prism::inline PRISM_ISA
