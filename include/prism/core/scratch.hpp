// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory of a training step: allocated in order, released all at once, and kept for the
// next step (not with separate_allocations).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

template <Execution X, class T>
void fill_zeros(const X& exec, T* to, std::size_t n) {
  if constexpr (DeviceExecution<X>) {
    for_each_element(exec, n, 0, [=] PRISM_HOST_DEVICE(std::size_t i) { to[i] = T{0}; });
  } else {
    constexpr std::size_t grain = std::size_t{1} << 15;
    parallel_chunks(exec, n, grain, [=](std::size_t begin, std::size_t end) {
      std::fill(to + begin, to + end, T{0});
    });
  }
}

}  // namespace detail

/// An arena for intermediate results. Not thread-safe; the memory it returns may be shared between
/// threads.
class Scratch {
 public:
  /// @param memory  null for table_memory(); for a device, its memory_of()
  explicit Scratch(std::pmr::memory_resource* memory = nullptr) : memory_(memory) {}

  /// `size` rows of `dim` uninitialised elements, 64-byte aligned, valid until reset().
  template <class T>
  [[nodiscard]] Rows<T> allocate(std::size_t size, std::size_t dim) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(bytes(size * dim * sizeof(T))), size, dim};
  }

  /// As allocate(), with zeros in the rows from `first` on.
  /// @param first  at most size
  template <class T, Execution X>
  [[nodiscard]] Rows<T> allocate_zeros(const X& exec, std::size_t size, std::size_t dim,
                                       std::size_t first = 0) {
    Rows<T> rows = allocate<T>(size, dim);
    detail::fill_zeros(exec, rows[first], (size - first) * dim);
    return rows;
  }

  /// Releases everything. The memory is kept (not with separate_allocations) and merged into one
  /// block, so that steps of varying size do not accumulate blocks that are too small for later
  /// ones.
  void reset() {
    if constexpr (separate_allocations) blocks_.clear();
    if (blocks_.size() > 1) {
      std::size_t total = 0;
      for (const Block& block : blocks_) total += block.size();
      blocks_.clear();
      blocks_.emplace_back(total, memory_);
    }
    used_ = 0;
  }

  /// Bytes held.
  [[nodiscard]] std::size_t capacity() const noexcept {
    std::size_t total = 0;
    for (const Block& block : blocks_) total += block.size();
    return total;
  }

 private:
  using Block = TableVector<std::byte>;
  static constexpr std::size_t cache_line = 64;
  static constexpr std::size_t smallest_block = std::size_t{1} << 20;

  void* bytes(std::size_t count) {
    if constexpr (separate_allocations) {
      blocks_.emplace_back(std::max(count, std::size_t{1}), memory_);
      // Full, so that code of the same program that is compiled without it takes another block.
      used_ = blocks_.back().size();
      return blocks_.back().data();
    }
    count = (count + cache_line - 1) / cache_line * cache_line;
    if (blocks_.empty() || blocks_.back().size() - used_ < count) {
      // An eighth more than needed: the next training step may need slightly more.
      blocks_.emplace_back(std::max(count + count / 8, smallest_block), memory_);
      used_ = 0;
    }
    void* const address = blocks_.back().data() + used_;
    used_ += count;
    return address;
  }

  std::pmr::memory_resource* memory_;
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace prism::inline PRISM_ISA
