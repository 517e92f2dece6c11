// SPDX-License-Identifier: BSD-3-Clause
// Tables and views of their rows. A table is an xtensor container, so that users may write xtensor
// expressions over it; loops see Rows, because an xtensor expression in an inner loop costs ten
// times a raw row.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if __has_include(<xtensor/containers/xtensor.hpp>)  // xtensor 0.26 moved its headers
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xtensor.hpp>
#endif

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// Allocates on cache-line boundaries: no row of a 64-byte multiple then straddles two lines. Large
/// blocks ask for huge pages, because rows are picked at random out of more memory than the
/// processor keeps the addresses of at 4 KiB a page.
template <class T>
struct CacheAlignedAllocator {
  using value_type = T;

  CacheAlignedAllocator() = default;
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    void* const block = ::operator new(n * sizeof(T), alignment(n));
#if defined(MADV_HUGEPAGE)
    // Where the kernel declines, the block merely stays as it was.
    if (is_large(n)) ::madvise(block, n * sizeof(T), MADV_HUGEPAGE);
#endif
    return static_cast<T*>(block);
  }
  void deallocate(T* p, std::size_t n) noexcept { ::operator delete(p, alignment(n)); }

  friend bool operator==(CacheAlignedAllocator, CacheAlignedAllocator) noexcept { return true; }
  friend bool operator!=(CacheAlignedAllocator, CacheAlignedAllocator) noexcept { return false; }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  static bool is_large(std::size_t n) noexcept { return n * sizeof(T) >= 2 * huge_page; }
  static std::align_val_t alignment(std::size_t n) noexcept {
    return std::align_val_t{is_large(n) ? huge_page : line};
  }
};

/// A table: rows x dim, row-major, 64-byte aligned.
template <class T>
using Matrix =
    xt::xtensor_container<xt::uvector<T, CacheAlignedAllocator<T>>, 2, xt::layout_type::row_major>;

/// A view of consecutive rows; `rows[r]` points at row r's first element.
template <class T>
class Rows {
 public:
  Rows() = default;
  Rows(T* data, std::size_t size, std::size_t dim) noexcept : data_(data), size_(size), dim_(dim) {}
  /// Rows<T> reads as Rows<const T>.
  template <class U>
  requires std::is_same_v<const U, T> Rows(Rows<U> other)
  noexcept : Rows(other.data(), other.size(), other.dim()) {}

  [[nodiscard]] T* operator[](std::size_t row) const noexcept { return data_ + row * dim_; }
  [[nodiscard]] T* data() const noexcept { return data_; }
  /// The first `count` rows.
  [[nodiscard]] Rows first(std::size_t count) const noexcept { return {data_, count, dim_}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::size_t elements() const noexcept { return size_ * dim_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t dim_ = 0;
};

/// Rows of a table picked by their numbers, in any order; `picked[k]` points at the first element
/// of the k-th. Consecutive rows read as picked ones.
template <class T>
class PickedRows {
 public:
  PickedRows(Rows<T> table, std::span<const Index> which) noexcept
      : table_(table), which_(which.data()), size_(which.size()) {}
  PickedRows(std::convertible_to<Rows<T>> auto all) noexcept : table_(all), size_(table_.size()) {}

  [[nodiscard]] T* operator[](std::size_t k) const noexcept {
    return table_[which_ == nullptr ? k : which_[k]];
  }
  /// The first `count` of them.
  [[nodiscard]] PickedRows first(std::size_t count) const noexcept {
    PickedRows some = *this;
    some.size_ = count;
    return some;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t dim() const noexcept { return table_.dim(); }

 private:
  Rows<T> table_;
  const Index* which_ = nullptr;  // null where all rows are picked, in order
  std::size_t size_;
};

/// The rows of a table.
template <class T>
[[nodiscard]] Rows<T> rows(Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}
template <class T>
[[nodiscard]] Rows<const T> rows(const Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}

/// A table of zeros.
template <class T>
[[nodiscard]] Matrix<T> zeros(std::size_t size, std::size_t dim) {
  Matrix<T> table(typename Matrix<T>::shape_type{size, dim});
  table.fill(T{0});
  return table;
}

}  // namespace prism::inline PRISM_ISA
