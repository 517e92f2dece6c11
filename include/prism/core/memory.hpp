// SPDX-License-Identifier: BSD-3-Clause
// Memory of tables, parameters and moments: a std::pmr::memory_resource, which a model's options
// may set. The default is an aligned heap with huge pages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory_resource>
#include <mutex>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "prism/core/config.hpp"

// Tools that check accesses know the bounds of blocks that are allocated, not of their parts.
// Define PRISM_SEPARATE_ALLOCATIONS, in all translation units, for a tool that is not recognised
// here, such as compute-sanitizer.
#if defined(PRISM_SEPARATE_ALLOCATIONS)
#elif defined(__SANITIZE_ADDRESS__)  // g++
#define PRISM_SEPARATE_ALLOCATIONS
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define PRISM_SEPARATE_ALLOCATIONS
#endif
#endif

namespace prism::inline PRISM_ISA {

/// Whether each request for working memory (of Scratch, a thread or a device) gets a block of
/// exactly its size, which is not kept for other requests.
#if defined(PRISM_SEPARATE_ALLOCATIONS)
inline constexpr bool separate_allocations = true;
#else
inline constexpr bool separate_allocations = false;
#endif

namespace detail {

/// Whether a list of `has` elements of working memory serves a request for `needs`.
[[nodiscard]] constexpr bool serves(std::size_t has, std::size_t needs) noexcept {
  return separate_allocations ? has == needs : has >= needs;
}

/// The size of a list that replaces one that does not serve a request for `needs`.
/// @param spare  elements added for later, larger requests
[[nodiscard]] constexpr std::size_t with_spare(std::size_t needs, std::size_t spare) noexcept {
  return separate_allocations ? needs : needs + spare;
}

}  // namespace detail

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

class DeviceMemory;

namespace detail {

/// All device memories that exist: dynamic_cast would need RTTI, which applications may do without.
class DeviceMemories {
 public:
  void add(DeviceMemory* memory) {
    const std::lock_guard lock(mutex_);
    all_.push_back(memory);
    count_.store(all_.size(), std::memory_order_release);
  }
  void remove(DeviceMemory* memory) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(all_, memory);
    count_.store(all_.size(), std::memory_order_release);
  }
  [[nodiscard]] inline DeviceMemory* find(std::pmr::memory_resource* memory) noexcept;

 private:
  std::mutex mutex_;
  std::vector<DeviceMemory*> all_;
  std::atomic<std::size_t> count_ = 0;
};

/// Never destroyed, since a device's memory may be needed until the program ends. One for all
/// shared libraries of a program.
[[nodiscard]] PRISM_ONE_TYPE inline DeviceMemories& device_memories() noexcept {
  static DeviceMemories* const memories = new DeviceMemories;
  return *memories;
}

}  // namespace detail

/// Memory of a device. Only the device's loops read and write there; the host copies whole lists in
/// and out.
class DeviceMemory : public std::pmr::memory_resource {
 public:
  DeviceMemory() { detail::device_memories().add(this); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() override { detail::device_memories().remove(this); }

  /// Pinned host memory, which the device accesses in place: for the little data that one side
  /// writes in each training step and the other reads.
  [[nodiscard]] virtual std::pmr::memory_resource* pinned() noexcept = 0;

  /// Copies bytes from or into this memory; the other block may be the host's. Waits for all work
  /// that the calling thread has begun, and for the copy.
  /// @throws DeviceError  if the device reports an error
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
};

inline DeviceMemory* detail::DeviceMemories::find(std::pmr::memory_resource* memory) noexcept {
  if (memory == nullptr || count_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(all_, [=](DeviceMemory* device) { return device == memory; });
  return found == all_.end() ? nullptr : *found;
}

/// Returns the memory as a device's, or null if the host reads and writes there. @param memory  may
/// be null
[[nodiscard]] inline DeviceMemory* device_memory(std::pmr::memory_resource* memory) noexcept {
  return detail::device_memories().find(memory);
}

/// The pinned memory that belongs to `memory`; `memory` itself if there is only the host.
/// @param memory  null for table_memory()
[[nodiscard]] inline std::pmr::memory_resource* pinned_beside(
    std::pmr::memory_resource* memory) noexcept {
  DeviceMemory* const device = device_memory(memory);
  return device == nullptr ? memory : device->pinned();
}

/// to[k] = from[k], in whatever memory they are; see DeviceMemory::copy.
/// @param device  whose memory holds at least one of them; null if both are the host's
/// @param to      as long as `from`, without overlap
template <class T>
void copy_across(DeviceMemory* device, std::span<const T> from, std::span<T> to) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (from.empty()) return;
  if (device != nullptr) {
    device->copy(to.data(), from.data(), from.size_bytes());
  } else {
    std::memcpy(to.data(), from.data(), from.size_bytes());
  }
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
  /// Leaves trivially copyable types uninitialised and default-initialises others.
  template <class U>
  void construct(U* p) noexcept(std::is_nothrow_default_constructible_v<U>) {
    if constexpr (!std::is_trivially_copyable_v<U>) ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
    requires(sizeof...(Arguments) > 0)
  void construct(U* p, Arguments&&... arguments) {
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

/// A vector in any memory. Elements created by a size alone are uninitialised. In a device's memory
/// it may be constructed, copied, moved, destroyed and shortened as a whole, and resized while it
/// is empty or within its capacity; any other operation of std::vector reads or writes elements on
/// the host. All pending work that uses it must be done before it is assigned to.
template <class T>
class TableVector : public std::vector<T, TableAllocator<T>> {
  using Base = std::vector<T, TableAllocator<T>>;
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using Base::Base;
  TableVector() = default;
  ~TableVector() = default;
  TableVector(TableVector&&) noexcept = default;
  TableVector& operator=(TableVector&&) noexcept = default;
  TableVector(const TableVector& other) : TableVector(other, other.get_allocator()) {}
  /// Takes over the memory resource of `other`, as a copy does.
  TableVector& operator=(const TableVector& other) {
    if (this == &other) return *this;
    if (this->size() == other.size() && this->get_allocator() == other.get_allocator()) {
      copy_across(device(), std::span<const T>(other), std::span<T>(*this));
    } else {
      *this = TableVector(other);
    }
    return *this;
  }
  TableVector& operator=(std::initializer_list<T>) = delete;  // `= {}` would change the memory

  /// A copy in another memory.
  TableVector(const TableVector& other, const TableAllocator<T>& memory)
      : Base(other.size(), memory) {
    DeviceMemory* const from = device_memory(other.get_allocator().resource());
    copy_across(from != nullptr ? from : device(), std::span<const T>(other), std::span<T>(*this));
  }
  /// A copy of numbers in host memory.
  TableVector(std::span<const T> numbers, const TableAllocator<T>& memory)
      : Base(numbers.size(), memory) {
    copy_across(device(), numbers, std::span<T>(*this));
  }
  /// @param value  of every element
  TableVector(std::size_t size, const T& value, const TableAllocator<T>& memory = {})
      : Base(size, memory) {
    if (DeviceMemory* const destination = device()) {
      constexpr std::size_t at_a_time = std::size_t{1} << 20;
      const Base values(std::min(size, at_a_time), value);
      for (std::size_t at = 0; at < size; at += values.size()) {
        const std::size_t count = std::min(size - at, values.size());
        copy_across(destination, std::span<const T>(values).first(count),
                    std::span<T>(*this).subspan(at, count));
      }
    } else {
      std::fill(this->begin(), this->end(), value);
    }
  }

 private:
  [[nodiscard]] DeviceMemory* device() const noexcept {
    return device_memory(this->get_allocator().resource());
  }
};

}  // namespace prism::inline PRISM_ISA
