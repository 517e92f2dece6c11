// SPDX-License-Identifier: BSD-3-Clause
// Views of a table's rows, in any memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// A view of consecutive rows, size x dim; `rows[r]` points at row r's first element.
template <class T>
class Rows {
 public:
  Rows() = default;
  constexpr Rows(T* data, std::size_t size, std::size_t dim) noexcept
      : data_(data), size_(size), dim_(dim) {}
  /// Rows<T> converts to Rows<const T>.
  template <class U>
    requires std::is_same_v<const U, T>
  constexpr Rows(Rows<U> other) noexcept : Rows(other.data(), other.size(), other.dim()) {}

  [[nodiscard]] constexpr T* operator[](std::size_t row) const noexcept {
    return data_ + row * dim_;
  }
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  /// The first `count` rows.
  [[nodiscard]] constexpr Rows first(std::size_t count) const noexcept {
    return {data_, count, dim_};
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] constexpr std::size_t num_elements() const noexcept { return size_ * dim_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t dim_ = 0;
};

/// Rows of a table selected by an index list, in any order (gather); `rows[k]` points at the first
/// element of row indices[k]. Converted from Rows, it selects all rows in order.
template <class T>
class IndexedRows {
 public:
  constexpr IndexedRows(Rows<T> table, std::span<const Index> indices) noexcept
      : table_(table), indices_(indices.data()), size_(indices.size()) {}
  constexpr IndexedRows(std::convertible_to<Rows<T>> auto all) noexcept
      : table_(all), size_(table_.size()) {}

  [[nodiscard]] constexpr T* operator[](std::size_t k) const noexcept {
    return table_[indices_ == nullptr ? k : indices_[k]];
  }
  /// The first `count` selected rows.
  [[nodiscard]] constexpr IndexedRows first(std::size_t count) const noexcept {
    IndexedRows prefix = *this;
    prefix.size_ = count;
    return prefix;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t dim() const noexcept { return table_.dim(); }

 private:
  Rows<T> table_;
  const Index* indices_ = nullptr;  // null if all rows are selected, in order
  std::size_t size_;
};

}  // namespace prism::inline PRISM_ISA
