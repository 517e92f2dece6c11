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

/// The rows of a table.
template <class T>
[[nodiscard]] Rows<T> rows(Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}
template <class T>
[[nodiscard]] Rows<const T> rows(const Matrix<T>& table) noexcept {
  return {table.data(), table.shape(0), table.shape(1)};
}

/// An uninitialised table of size x dim.
/// @param memory  null for table_memory()
template <class T>
[[nodiscard]] Matrix<T> make_table(std::size_t size, std::size_t dim,
                                   std::pmr::memory_resource* memory = nullptr) {
  typename Matrix<T>::shape_type shape{size, dim};
  typename Matrix<T>::strides_type strides{};
  xt::compute_strides(shape, xt::layout_type::row_major, strides);
  return Matrix<T>(TableVector<T>(size * dim, memory), std::move(shape), std::move(strides));
}

/// A table of size x dim zeros.
template <class T>
[[nodiscard]] Matrix<T> zeros(std::size_t size, std::size_t dim,
                              std::pmr::memory_resource* memory = nullptr) {
  Matrix<T> table = make_table<T>(size, dim, memory);
  table.fill(T{0});
  return table;
}

}  // namespace prism::inline PRISM_ISA
