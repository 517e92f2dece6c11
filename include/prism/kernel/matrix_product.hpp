// SPDX-License-Identifier: BSD-3-Clause
// Small matrix products with sums in registers: the inner loop of the pair potential and of
// ranking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

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

/// Packs in a row of a tile: 6 x 4 fill the 32 registers of AVX-512, 6 x 2 the 16 of AVX2 and SSE,
/// and 6 x 1 where a pack has several registers.
template <class P>
inline constexpr std::size_t packs_of_tile = sizeof(P) == 64 ? 4 : 2;
template <class P>
  requires(P::parts > 1)  //
inline constexpr std::size_t packs_of_tile<P> = 1;

/// Columns of a panel of the right factor: as wide as the widest tile of registers.
template <class T, class Isa>
inline constexpr std::size_t panel_columns = pack_width<T, Isa> * packs_of_tile<Pack<T, Isa>>;

/// The right factor of a product, panel by panel: element (k, column) is data[column / w *
/// panel_stride + k * row_stride + column % w], w = panel_columns. A panel is read once for every 6
/// rows of the left factor. In a row-major matrix, the cache lines of a panel are a row apart and
/// compete for few sets of the first-level cache (4 of 64 for 256 floats); those of a contiguous
/// panel do not.
template <class T>
struct RightFactor {
  const T* data;
  std::size_t row_stride;
  std::size_t panel_stride;

  /// A row-major matrix.
  template <class Isa>
  [[nodiscard]] static RightFactor row_major(const T* data, std::size_t stride) noexcept {
    return {data, stride, panel_columns<T, Isa>};
  }
  /// One panel after another, each with k rows of panel_columns.
  template <class Isa>
  [[nodiscard]] static RightFactor panels(const T* data, std::size_t k) noexcept {
    return {data, panel_columns<T, Isa>, k * panel_columns<T, Isa>};
  }
};

/// The number of elements of a matrix of k rows in panels.
template <class T, class Isa>
[[nodiscard]] constexpr std::size_t panel_elements(std::size_t k, std::size_t columns) noexcept {
  constexpr std::size_t w = panel_columns<T, Isa>;
  return (columns + w - 1) / w * w * k;
}

/// The position of element (row, column) in a matrix of k rows in panels; the rest of the row
/// follows, up to the panel's last column.
template <class T, class Isa>
[[nodiscard]] constexpr std::size_t panel_offset(std::size_t k, std::size_t row,
                                                 std::size_t column) noexcept {
  constexpr std::size_t w = panel_columns<T, Isa>;
  return column / w * w * k + row * w + column % w;
}

/// Lays out the panel of a matrix of k rows whose first column is `column`; zeros beyond the
/// matrix.
/// @param from  the matrix or, if `transposed`, its transpose; the matrix may have fewer than k
///     rows, and the others are zeros
/// @param to    where the panel is
template <class Isa, class T>
void pack_panel(Rows<const T> from, std::size_t column, bool transposed, std::size_t k,
                T* to) noexcept {
  constexpr std::size_t w = panel_columns<T, Isa>;
  const std::size_t columns = transposed ? from.size() : from.dim();
  const std::size_t matrix_rows = std::min(transposed ? from.dim() : from.size(), k);
  const std::size_t filled = column < columns ? std::min(w, columns - column) : 0;
  // Square by square: the columns of a panel are rows of the transposed matrix.
  constexpr std::size_t square = 16;
  for (std::size_t first = 0; first < matrix_rows; first += square) {
    const std::size_t end = std::min(first + square, matrix_rows);
    for (std::size_t l = first; l < end; ++l) {
      if (!transposed) std::copy_n(from[l] + column, filled, to + l * w);
      std::fill(to + l * w + filled, to + (l + 1) * w, T{0});
    }
    if (!transposed) continue;
    for (std::size_t c = 0; c < filled; ++c) {
      const T* const line = from[column + c];
      for (std::size_t l = first; l < end; ++l) to[l * w + c] = line[l];
    }
  }
  std::fill(to + matrix_rows * w, to + k * w, T{0});
}

/// What is stored in C's element (row, column): the sum, or the sum plus that element.
template <Store Mode, class T>
struct StoreSum {
  const T* c;
  std::size_t c_stride;

  template <class P>
  P operator()(P sum, std::size_t row, std::size_t column) const noexcept {
    if constexpr (Mode == Store::overwrite) return sum;
    return sum + P::load(c + row * c_stride + column);
  }
};

/// An M x (N packs) tile of C over all of K, at C's element (row, column). It takes M * N + N + 1
/// registers. The left factor is passed as single numbers: a struct would be copied to the stack by
/// a load that waits for its two stores.
template <class Isa, std::size_t M, std::size_t N, class T, class Epilogue>
inline void register_tile(std::size_t k, const T* a, std::size_t a_row_stride,
                          std::size_t a_k_stride, const T* b, std::size_t b_stride, T* c,
                          std::size_t c_stride, std::size_t row, std::size_t column,
                          const Epilogue& epilogue) noexcept {
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
  const auto store = [&]<std::size_t... I>(std::index_sequence<I...>) {
    (epilogue(sums[I / N][I % N], row + I / N, column + I % N * w)
         .store(c + (row + I / N) * c_stride + column + I % N * w),
     ...);
  };
  store(std::make_index_sequence<M * N>{});
}

/// All rows of C in a panel of N packs of columns, tallest tiles first.
template <class Isa, std::size_t N, class T, class Epilogue>
inline void column_panel(std::size_t rows, std::size_t k, LeftFactor<T> a, const T* b,
                         std::size_t b_stride, T* c, std::size_t c_stride, std::size_t column,
                         const Epilogue& epilogue) noexcept {
  std::size_t row = 0;
  const auto sweep = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) {
    for (; row + M <= rows; row += M) {
      register_tile<Isa, M, N>(k, a.data + row * a.row_stride, a.row_stride, a.k_stride, b,
                               b_stride, c, c_stride, row, column, epilogue);
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{});
  sweep(std::integral_constant<std::size_t, 4>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

/// C (rows x columns) = A (rows x k) * B (k x columns), with an epilogue: epilogue(sum, row,
/// column) is called with a pack of a row's elements from `column` on, and returns what is stored.
/// C is row-major with the given stride; `columns` is a multiple of pack_width. Each element is
/// summed in the order of k from zero, whatever the layouts.
template <class Isa = isa::native, class T, class Epilogue>
inline void matrix_product_with_epilogue(std::size_t rows, std::size_t columns, std::size_t k,
                                         LeftFactor<T> a, RightFactor<T> b, T* c,
                                         std::size_t c_stride, const Epilogue& epilogue) noexcept {
  constexpr std::size_t w = pack_width<T, Isa>, panel = panel_columns<T, Isa>;
  std::size_t column = 0;
  const auto sweep = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    for (; column + N * w <= columns; column += N * w) {
      // A factor without rows may have no storage.
      const T* const right =
          k > 0 ? b.data + column / panel * b.panel_stride + column % panel : nullptr;
      column_panel<Isa, N>(rows, k, a, right, b.row_stride, c, c_stride, column, epilogue);
    }
  };
  sweep(std::integral_constant<std::size_t, panel / w>{});
  // One pack takes 7 loads for 6 multiply-adds, two packs take 8 for 12.
  if constexpr (panel / w > 2) sweep(std::integral_constant<std::size_t, 2>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

/// C = A * B, or C += A * B with Store::add, for factors as in matrix_product_with_epilogue.
template <Store Mode, class Isa = isa::native, class T>
inline void matrix_product(std::size_t rows, std::size_t columns, std::size_t k, LeftFactor<T> a,
                           RightFactor<T> b, T* c, std::size_t c_stride) noexcept {
  matrix_product_with_epilogue<Isa>(rows, columns, k, a, b, c, c_stride,
                                    StoreSum<Mode, T>{c, c_stride});
}

/// C = A * B, or C += A * B with Store::add, for a row-major B with the given stride.
template <Store Mode, class Isa = isa::native, class T>
inline void matrix_product(std::size_t rows, std::size_t columns, std::size_t k, LeftFactor<T> a,
                           const T* b, std::size_t b_stride, T* c, std::size_t c_stride) noexcept {
  matrix_product<Mode, Isa>(rows, columns, k, a,
                            RightFactor<T>::template row_major<Isa>(b, b_stride), c, c_stride);
}

/// The dot products of one row with N others at any addresses, by the operations of
/// matrix_product() in the same order. Bit-identical to it where multiply-add is one instruction.
/// @param products  the first N are overwritten
/// @param row       k elements
/// @param others    N rows of k elements
template <class Isa = isa::native, std::size_t N, std::size_t Size, class T>
  requires(Size >= N)  //
inline void dot_products(T (&products)[Size], const T* row, const T* const (&others)[N],
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

}  // namespace prism::inline PRISM_ISA::detail
