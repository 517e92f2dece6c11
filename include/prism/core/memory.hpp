// SPDX-License-Identifier: BSD-3-Clause
// Memory of tables, parameters and moments: a std::pmr::memory_resource, which a model's options
// may set. The default is an aligned heap with huge pages.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Memory aligned to cache lines: a row whose size is a multiple of 64 bytes then never straddles
/// two lines. Large blocks ask for huge pages, because rows are accessed at random in more memory
/// than the TLB covers with 4 KiB pages.
class TableMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

 private:
  static std::align_val_t alignment_of(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t own = bytes >= 2 * huge_page ? huge_page : cache_line;
    return std::align_val_t{alignment > own ? alignment : own};
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = ::operator new(bytes, alignment_of(bytes, alignment));
#if defined(MADV_HUGEPAGE)
    // If the kernel declines, the block keeps its small pages.
    if (bytes >= 2 * huge_page) ::madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(block, alignment_of(bytes, alignment));
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

/// The default resource; never destroyed.
[[nodiscard]] inline std::pmr::memory_resource* table_memory() noexcept {
  static TableMemory* const memory = new TableMemory;
  return memory;
}

/// Memory of a device that the host can read and write too, if slowly: what the other has written
/// moves there first.
class DeviceMemory : public std::pmr::memory_resource {
 public:
  /// Pinned memory of the host, which the device reaches where it is: for what little the one
  /// writes in each step and the other reads.
  [[nodiscard]] virtual std::pmr::memory_resource* pinned() noexcept = 0;
};

/// The pinned memory that belongs to `memory`; the same memory where the host is all there is.
/// @param memory  null for table_memory()
[[nodiscard]] inline std::pmr::memory_resource* pinned_beside(
    std::pmr::memory_resource* memory) noexcept {
  auto* const of_device = dynamic_cast<DeviceMemory*>(memory);
  return of_device == nullptr ? memory : of_device->pinned();
}

/// Allocates from a memory resource, aligned to cache lines; numbers are left uninitialised. Unlike
/// std::pmr::polymorphic_allocator it propagates when a container is copied or moved, so that a
/// table's copy uses the same resource.
template <class T>
class TableAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  TableAllocator() noexcept : resource_(table_memory()) {}
  /// @param resource  null for the default; must outlive what is allocated from it
  TableAllocator(std::pmr::memory_resource* resource) noexcept
      : resource_(resource != nullptr ? resource : table_memory()) {}
  template <class U>
  TableAllocator(const TableAllocator<U>& other) noexcept : resource_(other.resource()) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    constexpr std::size_t alignment =
        alignof(T) > TableMemory::cache_line ? alignof(T) : TableMemory::cache_line;
    return static_cast<T*>(resource_->allocate(n * sizeof(T), alignment));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    constexpr std::size_t alignment =
        alignof(T) > TableMemory::cache_line ? alignof(T) : TableMemory::cache_line;
    resource_->deallocate(p, n * sizeof(T), alignment);
  }
  /// Default-initialises, which leaves numbers uninitialised.
  template <class U>
  void construct(U* p) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
  requires(sizeof...(Arguments) > 0) void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(static_cast<Arguments&&>(arguments)...);
  }

  [[nodiscard]] std::pmr::memory_resource* resource() const noexcept { return resource_; }

  friend bool operator==(TableAllocator a, TableAllocator b) noexcept {
    return *a.resource_ == *b.resource_;
  }
  friend bool operator!=(TableAllocator a, TableAllocator b) noexcept { return !(a == b); }

 private:
  std::pmr::memory_resource* resource_;
};

/// A vector in table memory; numbers are uninitialised if it is constructed with a size alone.
template <class T>
using TableVector = std::vector<T, TableAllocator<T>>;

}  // namespace prism::inline PRISM_ISA
