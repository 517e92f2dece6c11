// SPDX-License-Identifier: BSD-3-Clause
// Which columns can exceed a row's threshold, told from products of bytes: four times as many
// multiply-adds an instruction as in float, and an upper bound of each product in place of itself.
//
// Let u and v be rows, u' and v' what their bytes stand for. Then
//   u . v - u' . v' = (u - u') . v' + u . (v - v') <= |u - u'| |v'| + |u| |v - v'|.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/simd.hpp"

namespace prism::inline PRISM_ISA {

/// A left row's share in the bound, in units of its scale.
struct ScreenedRow {
  float length;
  float rest_length;
  float threshold;  ///< what a product has to exceed

  ScreenedRow() = default;
  explicit ScreenedRow(const Quantised& row) noexcept
      : length(row.length / row.scale),
        rest_length(row.rest_length / row.scale),
        threshold(-std::numeric_limits<float>::infinity()) {}

  /// Raises the threshold to just below `units`, so that what equals that exceeds it.
  void raise_threshold(float units) noexcept {
    using Limits = std::numeric_limits<float>;
    const float below = units - (std::abs(units) * (2 * Limits::epsilon()) + Limits::min());
    if (below > threshold) threshold = below;
  }
};

/// `screen_columns` right rows: fours of bytes, the first four of every column before the next
/// four; and for each column what quantise() gave.
struct ScreenedColumns {
  const std::int8_t* bytes;
  const std::int32_t* start;  ///< -128 times the sum of the column's bytes
  const float* scale;
  const float* bytes_length;
  const float* rest_length;
};

inline constexpr std::size_t screen_columns = 64;

namespace detail {

/// visit(m, column, product, error) for each of M rows and each of N packs of columns: the product
/// in units of the row's scale, with what it may be off by. The left bytes are moved up by 128 to
/// be unsigned; what that adds to a sum is taken off by the `start` of its column.
template <class Isa, std::size_t M, std::size_t N, class Visit>
inline void screen_tile(std::size_t fours, const std::uint8_t* left, const ScreenedRow* rows,
                        ScreenedColumns right, std::size_t column, const Visit& visit) noexcept {
  using S = ByteSums<Isa>;
  using P = Pack<float, Isa>;
  constexpr std::size_t w = S::width;
  S sums[M][N];
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) sums[m][n] = S::load(right.start + column + n * w);
  }
  for (std::size_t l = 0; l < fours; ++l) {
    decltype(S::load(right.bytes)) b[N];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      b[n] = S::load(right.bytes + 4 * (l * screen_columns + column + n * w));
    }
#pragma GCC unroll 8
    for (std::size_t m = 0; m < M; ++m) {
      const auto a = S::broadcast(left + 4 * (m * fours + l));
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) sums[m][n] = add_products(a, b[n], sums[m][n]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
    const P length = P::broadcast(rows[m].length), rest = P::broadcast(rows[m].rest_length);
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      const std::size_t at = column + n * w;
      visit(m, at, to_float(sums[m][n]) * P::load(right.scale + at),
            fused_multiply_add(rest, P::load(right.bytes_length + at),
                               length * P::load(right.rest_length + at)));
    }
  }
}

/// visit(r, column, product, error) for each row and pack of columns.
template <class Isa, class Visit>
inline void screen_tiles(std::size_t rows, std::size_t fours, const std::uint8_t* left,
                         const ScreenedRow* row, ScreenedColumns right,
                         const Visit& visit) noexcept {
  // 6 x 4 packs fill the 32 registers of AVX-512.
  constexpr std::size_t packs = ByteSums<Isa>::width == 16 ? 4 : 1;
  std::size_t r = 0;
  const auto sweep = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) {
    for (; r + M <= rows; r += M) {
      const auto visit_row = [&](std::size_t m, std::size_t column, auto product, auto error) {
        visit(r + m, column, product, error);
      };
      for (std::size_t c = 0; c < screen_columns; c += packs * ByteSums<Isa>::width) {
        screen_tile<Isa, M, packs>(fours, left + 4 * r * fours, row + r, right, c, visit_row);
      }
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

}  // namespace detail

/// Sets bit c of bits[r] unless row r's product with column c is certain not to exceed row r's
/// threshold, c < screen_columns.
/// @param fours  a row's bytes, divided by 4
/// @param left   rows x 4 fours, each quantised byte plus 128
template <class Isa = isa::native>
inline void screen(std::size_t rows, std::size_t fours, const std::uint8_t* left,
                   const ScreenedRow* row, ScreenedColumns right, std::uint64_t* bits) noexcept {
  using P = Pack<float, Isa>;
  std::fill(bits, bits + rows, std::uint64_t{0});
  detail::screen_tiles<Isa>(
      rows, fours, left, row, right, [=](std::size_t r, std::size_t c, P product, P error) {
        bits[r] |= not_at_most(product + error, P::broadcast(row[r].threshold)) << c;
      });
}

}  // namespace prism::inline PRISM_ISA
