// SPDX-License-Identifier: BSD-3-Clause
// Which columns can exceed a row's threshold, told from products of bytes: four times as many
// multiply-adds an instruction as in float, and an upper bound of each product in place of itself.
//
// Let u and v be rows, u' and v' what their bytes stand for. Then
//   u . v - u' . v' = (u - u') . v' + u . (v - v') <= |u - u'| |v'| + |u| |v - v'|,
// and u' . v' is a whole number of the two scales' product. Columns that share a scale and bounds
// of these lengths share the whole number up to which a product is certain to be no more than the
// row's threshold: to compare with it is all that is left to do for a column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/quantise.hpp"

namespace prism::inline PRISM_ISA {

inline constexpr std::size_t screen_columns = 64;

/// `screen_columns` right rows: fours of bytes, the first four of every column before the next
/// four; and what quantise() gave for all of them.
struct ScreenedColumns {
  const std::int8_t* bytes;
  const std::int32_t* start;  ///< -128 times the sum of each column's bytes
  Quantised quantised;
};

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

  /// A product of bytes up to which the product of this row and a column is certain not to exceed
  /// the threshold; where there is no telling, below every product of rows of 2^15 bytes.
  [[nodiscard]] std::int32_t certain(const Quantised& columns) const noexcept {
    constexpr float most = 0x1p30F;
    const float error = rest_length * columns.bytes_length + length * columns.rest_length;
    const float products = (threshold - error) / columns.scale;
    const float above = products > -most ? products : -most;  // what is not a number, too
    // Roundings up to here are a share of the product that is compared with it, whatever the
    // threshold, and rounding_slack has room for them. The cast rounds towards zero: hence - 1.
    return static_cast<std::int32_t>(above < most ? above : most) - 1;
  }
};

namespace detail {

/// visit(m, column, bits) for each of M rows and each of N packs of columns: bit j tells whether
/// the product of row m with column + j exceeds certain[m]. The left bytes are moved up by 128 to
/// be unsigned; what that adds to a sum is taken off by the `start` of its column.
template <class Isa, std::size_t M, std::size_t N, class Visit>
inline void screen_tile(std::size_t fours, const std::uint8_t* left, const std::int32_t* certain,
                        const ScreenedColumns& right, std::size_t column,
                        const Visit& visit) noexcept {
  using S = ByteSums<Isa>;
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
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) visit(m, column + n * w, exceeding(sums[m][n], certain[m]));
  }
}

}  // namespace detail

/// Sets bit c of bits[r] where the product of row r's bytes with column c's exceeds certain[r],
/// c < screen_columns; see ScreenedRow::certain.
/// @param fours  a row's bytes, divided by 4
/// @param left   rows x 4 fours, each quantised byte plus 128
template <class Isa = isa::native>
inline void screen(std::size_t rows, std::size_t fours, const std::uint8_t* left,
                   const std::int32_t* certain, const ScreenedColumns& right,
                   std::uint64_t* bits) noexcept {
  // 6 x 4 packs fill the 32 registers of AVX-512.
  constexpr std::size_t packs = ByteSums<Isa>::width == 16 ? 4 : 1;
  std::fill(bits, bits + rows, std::uint64_t{0});
  std::size_t r = 0;
  const auto sweep = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) {
    for (; r + M <= rows; r += M) {
      for (std::size_t c = 0; c < screen_columns; c += packs * ByteSums<Isa>::width) {
        detail::screen_tile<Isa, M, packs>(
            fours, left + 4 * r * fours, certain + r, right, c,
            [&](std::size_t m, std::size_t column, std::uint64_t exceeding) {
              bits[r + m] |= exceeding << column;
            });
      }
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

}  // namespace prism::inline PRISM_ISA
