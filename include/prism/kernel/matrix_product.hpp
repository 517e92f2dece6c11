// SPDX-License-Identifier: BSD-3-Clause
// Small matrix products with sums in registers: the inner loop of the pair potential and of
// ranking.
#pragma once

#include <cstddef>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// The left factor of a product: element (row, k) is data[row * row_stride + k * k_stride], so that
/// a matrix and its transpose are read in the same way.
template <class T>
struct LeftFactor {
  const T* data;
  std::size_t row_stride;
  std::size_t k_stride;
};

/// Whether a product overwrites its result or is added to it.
enum class Store { overwrite, add };

/// Columns per pack: the width of matrix_product()'s right factor is a multiple of this.
template <class T, class Isa>
inline constexpr std::size_t pack_width = Pack<T, Isa>::width;

namespace detail {

/// Packs in a row of a tile: 6 x 4 fill the 32 registers of AVX-512, 6 x 2 the 16 of AVX2 and SSE,
/// and 6 x 1 where a pack is of several registers.
template <class P>
inline constexpr std::size_t packs_of_tile = sizeof(P) == 64 ? 4 : 2;
template <class P>
requires(P::parts > 1)  //
    inline constexpr std::size_t packs_of_tile<P> = 1;

/// An M x (N packs) tile of C over all of K. It takes M * N + N + 1 registers. The left factor
/// comes as numbers: a struct would be copied to the stack by a load that waits for its two stores.
template <Store Mode, class Isa, std::size_t M, std::size_t N, class T>
inline void register_tile(std::size_t k, const T* a, std::size_t a_row_stride,
                          std::size_t a_k_stride, const T* b, std::size_t b_stride, T* c,
                          std::size_t c_stride) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t w = P::width;
  P sums[M][N];
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) sums[m][n] = P::broadcast(0);
  }
  for (std::size_t l = 0; l < k; ++l) {
    P right[N];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) right[n] = P::load(b + l * b_stride + n * w);
#pragma GCC unroll 8
    for (std::size_t m = 0; m < M; ++m) {
      const P left = P::broadcast(a[m * a_row_stride + l * a_k_stride]);
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) {
        sums[m][n] = fused_multiply_add(left, right[n], sums[m][n]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      T* const address = c + m * c_stride + n * w;
      if constexpr (Mode == Store::add) sums[m][n] = sums[m][n] + P::load(address);
      sums[m][n].store(address);
    }
  }
}

/// All rows of C in a panel of N packs of columns, tallest tiles first.
template <Store Mode, class Isa, std::size_t N, class T>
inline void column_panel(std::size_t rows, std::size_t k, LeftFactor<T> a, const T* b,
                         std::size_t b_stride, T* c, std::size_t c_stride) noexcept {
  std::size_t row = 0;
  const auto sweep = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) {
    for (; row + M <= rows; row += M) {
      register_tile<Mode, Isa, M, N>(k, a.data + row * a.row_stride, a.row_stride, a.k_stride, b,
                                     b_stride, c + row * c_stride, c_stride);
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{});
  sweep(std::integral_constant<std::size_t, 4>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

}  // namespace detail

/// C (rows x columns) = A (rows x k) * B (k x columns), or += with Store::add. B and C are
/// row-major with the given strides; `columns` is a multiple of pack_width.
template <Store Mode, class Isa = isa::native, class T>
inline void matrix_product(std::size_t rows, std::size_t columns, std::size_t k, LeftFactor<T> a,
                           const T* b, std::size_t b_stride, T* c, std::size_t c_stride) noexcept {
  constexpr std::size_t w = pack_width<T, Isa>;
  constexpr std::size_t widest = detail::packs_of_tile<Pack<T, Isa>>;
  std::size_t column = 0;
  const auto sweep = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    for (; column + N * w <= columns; column += N * w) {
      detail::column_panel<Mode, Isa, N>(rows, k, a, b + column, b_stride, c + column, c_stride);
    }
  };
  sweep(std::integral_constant<std::size_t, widest>{});
  // One pack takes 7 loads for 6 multiply-adds, two packs take 8 for 12.
  if constexpr (widest > 2) sweep(std::integral_constant<std::size_t, 2>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

/// The dot products of one row with N others, at any addresses, by the operations of
/// matrix_product() in the same order. Where multiply-add is one instruction they are equal bit for
/// bit.
/// @param row     k elements
/// @param others  N rows of k elements
template <class Isa = isa::native, std::size_t N, class T>
inline void dot_products(T (&products)[N], const T* row, const T* const (&others)[N],
                         std::size_t k) noexcept {
  using P = Pack<T, Isa>;
  P sums[N];
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) sums[n] = P::broadcast(0);
  for (std::size_t l = 0; l < k; ++l) {
    const P left = P::broadcast(row[l]);
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      sums[n] = fused_multiply_add(left, P::broadcast(others[n][l]), sums[n]);
    }
  }
  T lanes[P::width];
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) {
    sums[n].store(lanes);
    products[n] = lanes[0];
  }
}

}  // namespace prism::inline PRISM_ISA
