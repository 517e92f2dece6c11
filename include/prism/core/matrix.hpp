// SPDX-License-Identifier: BSD-3-Clause
// Tables. A table is an xtensor container, so that users may write xtensor expressions over it;
// loops use Rows, because an xtensor expression in an inner loop takes ten times as long.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>

#if __has_include(<xtensor/containers/xtensor.hpp>)  // xtensor 0.26 moved its headers
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xtensor.hpp>
#endif

#include "prism/core/config.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA {

/// A table: rows x dim, row-major, 64-byte aligned.
template <class T>
using Matrix = xt::xtensor_container<TableVector<T>, 2, xt::layout_type::row_major>;

/// The memory that holds a table's numbers.
template <class T>
[[nodiscard]] std::pmr::memory_resource* memory_of(const Matrix<T>& table) noexcept {
  return table.storage().get_allocator().resource();
}

/// The rows of a table.
template <class T>
[[nodiscard]] Rows<T> rows(Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}
template <class T>
[[nodiscard]] Rows<const T> rows(const Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}

namespace detail {

template <class T>
[[nodiscard]] Matrix<T> as_table(TableVector<T> numbers, std::size_t size, std::size_t dim) {
  typename Matrix<T>::shape_type shape{size, dim};
  typename Matrix<T>::strides_type strides{};
  xt::compute_strides(shape, xt::layout_type::row_major, strides);
  return Matrix<T>(std::move(numbers), std::move(shape), std::move(strides));
}

}  // namespace detail

/// An uninitialised table of size x dim.
/// @param memory  null for table_memory()
template <class T>
[[nodiscard]] Matrix<T> make_table(std::size_t size, std::size_t dim,
                                   std::pmr::memory_resource* memory = nullptr) {
  return detail::as_table(TableVector<T>(size * dim, memory), size, dim);
}

/// A table of size x dim zeros.
template <class T>
[[nodiscard]] Matrix<T> zeros(std::size_t size, std::size_t dim,
                              std::pmr::memory_resource* memory = nullptr) {
  return detail::as_table(TableVector<T>(size * dim, T{0}, memory), size, dim);
}

/// A copy in another memory. @param memory  null for table_memory()
template <class T>
[[nodiscard]] Matrix<T> copy_of(const Matrix<T>& table, std::pmr::memory_resource* memory) {
  return detail::as_table(TableVector<T>(table.storage(), memory), table.shape(0), table.shape(1));
}

}  // namespace prism::inline PRISM_ISA
