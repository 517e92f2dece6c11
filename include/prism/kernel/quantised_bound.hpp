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

inline constexpr std::size_t quantised_panel_width = 64;

/// `quantised_panel_width` right rows: fours of bytes, the first four of every column before the
/// next four; and what quantise() gave for all of them.
struct QuantisedPanel {
  const std::int8_t* bytes;
  const std::int32_t* zero_point_offset;  ///< -128 times the sum of each column's bytes
  Quantisation quantisation;
};

/// A left row's share in the bound, in units of its scale.
struct QuantisedRow {
  float max_norm;
  float max_residual_norm;
  float threshold;  ///< what a product has to exceed

  QuantisedRow() = default;
  explicit QuantisedRow(const Quantisation& row) noexcept
      : max_norm(row.max_norm / row.scale),
        max_residual_norm(row.max_residual_norm / row.scale),
        threshold(-std::numeric_limits<float>::infinity()) {}

  /// Raises the threshold to just below `units`, so that what equals that exceeds it.
  void raise_threshold(float units) noexcept {
    using Limits = std::numeric_limits<float>;
    const float below = units - (std::abs(units) * (2 * Limits::epsilon()) + Limits::min());
    if (below > threshold) threshold = below;
  }

  /// A product of bytes up to which the product of this row and a column is certain not to exceed
  /// the threshold; where there is no telling, below every product of rows of 2^15 bytes.
  [[nodiscard]] std::int32_t pruning_limit(const Quantisation& columns) const noexcept {
    constexpr float max_product = 0x1p30F;
    const float error =
        max_residual_norm * columns.max_quantised_norm + max_norm * columns.max_residual_norm;
    const float products = (threshold - error) / columns.scale;
    const float limit =
        products > -max_product ? products : -max_product;  // what is not a number, too
    // Roundings up to here are a share of the product that is compared with it, whatever the
    // threshold, and rounding_error_bound has room for them. The cast rounds towards zero: hence -
    // 1.
    return static_cast<std::int32_t>(limit < max_product ? limit : max_product) - 1;
  }
};

namespace detail {

/// visit(m, column, bits) for each of M rows and each of N packs of columns: bit j tells whether
/// the product of row m with column + j exceeds certain[m]. The left bytes are moved up by 128 to
/// be unsigned; what that adds to a sum is taken off by the `zero_point_offset` of its column.
template <class Isa, std::size_t M, std::size_t N, class Visit>
inline void candidate_tile(std::size_t quads, const std::uint8_t* left,
                           const std::int32_t* pruning_limits, const QuantisedPanel& right,
                           std::size_t column, const Visit& visit) noexcept {
  using S = ByteAccumulator<Isa>;
  constexpr std::size_t w = S::width;
  S sums[M][N];
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      sums[m][n] = S::load(right.zero_point_offset + column + n * w);
    }
  }
  for (std::size_t l = 0; l < quads; ++l) {
    decltype(S::load(right.bytes)) b[N];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      b[n] = S::load(right.bytes + 4 * (l * quantised_panel_width + column + n * w));
    }
#pragma GCC unroll 8
    for (std::size_t m = 0; m < M; ++m) {
      const auto a = S::broadcast(left + 4 * (m * quads + l));
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) sums[m][n] = dot_accumulate(a, b[n], sums[m][n]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      visit(m, column + n * w, greater_mask(sums[m][n], pruning_limits[m]));
    }
  }
}

}  // namespace detail

/// Sets bit c of bits[r] where the product of row r's bytes with column c's exceeds certain[r],
/// c < quantised_panel_width; see QuantisedRow::pruning_limit.
/// @param quads  a row's bytes, divided by 4
/// @param left   rows x 4 fours, each quantised byte plus 128
template <class Isa = isa::native>
inline void find_candidates(std::size_t rows, std::size_t quads, const std::uint8_t* left,
                            const std::int32_t* pruning_limits, const QuantisedPanel& right,
                            std::uint64_t* bits) noexcept {
  // 6 x 4 packs fill the 32 registers of AVX-512.
  constexpr std::size_t packs = ByteAccumulator<Isa>::width == 16 ? 4 : 1;
  std::fill(bits, bits + rows, std::uint64_t{0});
  std::size_t r = 0;
  const auto sweep = [&]<std::size_t M>(std::integral_constant<std::size_t, M>) {
    for (; r + M <= rows; r += M) {
      for (std::size_t c = 0; c < quantised_panel_width; c += packs * ByteAccumulator<Isa>::width) {
        detail::candidate_tile<Isa, M, packs>(
            quads, left + 4 * r * quads, pruning_limits + r, right, c,
            [&](std::size_t m, std::size_t column, std::uint64_t greater_mask) {
              bits[r + m] |= greater_mask << column;
            });
      }
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{});
  sweep(std::integral_constant<std::size_t, 1>{});
}

}  // namespace prism::inline PRISM_ISA
