// SPDX-License-Identifier: BSD-3-Clause
// Which columns can exceed a row's threshold, from products of bytes: an instruction performs two
// to four times as many multiply-adds as in float, and the result is an upper bound of each
// product.
//
// Let u and v be rows, u' and v' their quantised values. Then
//   u . v - u' . v' = (u - u') . v' + u . (v - v') <= |u - u'| |v'| + |u| |v - v'|,
// and u' . v' is an integer times the product of the two scales. The columns of a panel share a
// scale and bounds of these norms, and so the integer up to which a column's upper bound is at most
// the row's threshold: each column takes one comparison with that integer.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/byte_accumulator.hpp"
#include "prism/kernel/quantise.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t quantised_panel_width = 64;

/// A panel of `quantised_panel_width` right rows: quads of bytes, the first quads of all columns
/// before the second quads; start_of() each column for each segment of quads; and the result of
/// quantise() for all of them. Valid only for the accumulator that it was made for.
struct QuantisedPanel {
  const std::int8_t* bytes;
  const std::int32_t* starts;
  Quantisation quantisation;
};

/// The left rows' parts of the bound, each in units of its row's scale.
class QuantisedRows {
 public:
  explicit QuantisedRows(std::size_t rows)
      : max_norms_(rows), max_residual_norms_(rows), thresholds_(rows, -unbounded<float>) {}

  void set(std::size_t r, const Quantisation& row) noexcept {
    max_norms_[r] = row.max_norm / row.scale;
    max_residual_norms_[r] = row.max_residual_norm / row.scale;
  }

  /// Raises the threshold that a product must exceed to slightly below `units`, so that a product
  /// equal to `units` exceeds it.
  void raise_threshold(std::size_t r, float units) noexcept {
    using Limits = std::numeric_limits<float>;
    const float below = units - (std::abs(units) * (2 * Limits::epsilon()) + Limits::min());
    if (below > thresholds_[r]) thresholds_[r] = below;
  }

  /// Writes, for each row, the product of bytes up to which the product of the row and a column
  /// cannot exceed the threshold; if no bound is known, less than every product of rows of 2^15
  /// bytes.
  void write_pruning_limits(std::int32_t* limits, const Quantisation& columns) const noexcept {
    constexpr float max_product = 0x1p30F;
    const float max_quantised_norm = columns.max_quantised_norm;
    const float max_residual_norm = columns.max_residual_norm, scale = columns.scale;
    const float* const norms = max_norms_.data();
    const float* const residual_norms = max_residual_norms_.data();
    const float* const thresholds = thresholds_.data();
    const std::size_t rows = thresholds_.size();
    for (std::size_t r = 0; r < rows; ++r) {
      const float error = residual_norms[r] * max_quantised_norm + norms[r] * max_residual_norm;
      const float products = (thresholds[r] - error) / scale;
      const float limit = products > -max_product ? products : -max_product;  // NaN, too
      // Rounding errors up to here are relative to the product that is compared, whatever the
      // threshold, and within rounding_error_bound(). The cast rounds towards zero: hence - 1.
      limits[r] = static_cast<std::int32_t>(limit < max_product ? limit : max_product) - 1;
    }
  }

 private:
  std::vector<float> max_norms_;
  std::vector<float> max_residual_norms_;
  std::vector<float> thresholds_;
};

/// sums[m][n] = the sums of M rows and N packs of columns over a segment, the quads in [begin,
/// end).
/// @param starts  of this segment and the first column
template <class S, std::size_t M, std::size_t N>
inline void sum_segment(typename S::Sums (&sums)[M][N], std::size_t begin, std::size_t end,
                        std::size_t quads, const std::uint8_t* left, const std::int8_t* right,
                        const std::int32_t* starts) noexcept {
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) {
    const auto start = S::start(starts + n * S::width);
#pragma GCC unroll 8
    for (std::size_t m = 0; m < M; ++m) sums[m][n] = start;
  }
  for (std::size_t l = begin; l < end; ++l) {
    typename S::ByteQuads b[N];
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      b[n] = S::load(right + 4 * (l * quantised_panel_width + n * S::width));
    }
#pragma GCC unroll 8
    for (std::size_t m = 0; m < M; ++m) {
      const auto a = S::broadcast(left + 4 * (m * quads + l));
#pragma GCC unroll 8
      for (std::size_t n = 0; n < N; ++n) sums[m][n] = S::add_products(sums[m][n], a, b[n]);
    }
  }
}

/// Sets Count bits from `first` on, which were 0.
template <std::size_t Count>
inline void set_bits(std::uint64_t& bits, std::size_t first,
                     std::integral_constant<std::size_t, Count>, std::uint64_t set) noexcept {
  // Only a store: g++ would otherwise collect several rows' numbers in a vector, which takes
  // longer.
  if constexpr (Count == 16 && std::endian::native == std::endian::little) {
    const auto number = static_cast<std::uint16_t>(set);
    std::memcpy(reinterpret_cast<unsigned char*>(&bits) + first / 8, &number, sizeof number);
  } else {
    bits |= set << first;
  }
}

/// Sets bit `column` + j of bits[m], for each of M rows and N packs of columns, where the product
/// of bytes of row m and column + j exceeds pruning_limits[m].
template <class S, std::size_t M, std::size_t N>
inline void candidate_tile(std::size_t quads, const std::uint8_t* left,
                           const std::int32_t* pruning_limits, const QuantisedPanel& right,
                           std::size_t column, std::uint64_t* bits) noexcept {
  const std::int8_t* const bytes = right.bytes + 4 * column;
  const std::int32_t* starts = right.starts + column;
  constexpr std::size_t segment_quads = S::limits.right.segment_quads;
  typename S::Sums sums[M][N];
  typename S::Totals totals[M][N];
  sum_segment<S, M, N>(sums, 0, std::min(quads, segment_quads), quads, left, bytes, starts);
  const typename S::Widening widen{};
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) totals[m][n] = widen(sums[m][n]);
  }
  if constexpr (segment_quads != ByteLimits::one_segment) {
    for (std::size_t begin = segment_quads; begin < quads; begin += segment_quads) {
      starts += quantised_panel_width;
      sum_segment<S, M, N>(sums, begin, std::min(quads, begin + segment_quads), quads, left, bytes,
                           starts);
      const typename S::Widening widen_next{};
#pragma GCC unroll 8
      for (std::size_t m = 0; m < M; ++m) {
#pragma GCC unroll 8
        for (std::size_t n = 0; n < N; ++n) totals[m][n] = totals[m][n] + widen_next(sums[m][n]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t m = 0; m < M; ++m) {
    std::uint64_t tile_bits = 0;
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      tile_bits |= S::greater_mask(totals[m][n], pruning_limits[m]) << (n * S::width);
    }
    set_bits(bits[m], column, std::integral_constant<std::size_t, N * S::width>{}, tile_bits);
  }
}

/// Sets bit c of bits[r] where the product of bytes of row r and column c, c <
/// quantised_panel_width, exceeds pruning_limits[r]; see QuantisedRows::write_pruning_limits().
/// @param quads  bytes of a row, divided by 4
/// @param left   rows x quads x 4, each quantised byte plus the accumulator's left_shift
/// @param bits   rows, overwritten
template <class Isa = isa::native>
inline void find_candidates(std::size_t rows, std::size_t quads, const std::uint8_t* left,
                            const std::int32_t* pruning_limits, const QuantisedPanel& right,
                            std::uint64_t* bits) noexcept {
  using S = ByteAccumulator<Isa>;
  std::fill(bits, bits + rows, std::uint64_t{0});
  std::size_t r = 0;
  const auto sweep = [&]<std::size_t M, std::size_t N>(std::integral_constant<std::size_t, M>,
                                                       std::integral_constant<std::size_t, N>) {
    for (; r + M <= rows; r += M) {
      for (std::size_t c = 0; c < quantised_panel_width; c += N * S::width) {
        candidate_tile<S, M, N>(quads, left + 4 * r * quads, pruning_limits + r, right, c,
                                bits + r);
      }
    }
  };
  sweep(std::integral_constant<std::size_t, 6>{},
        std::integral_constant<std::size_t, S::tile_packs>{});
  // The sums of a single row must also hide the latency of an addition.
  sweep(std::integral_constant<std::size_t, 1>{},
        std::integral_constant<std::size_t,
                               std::min<std::size_t>(8, quantised_panel_width / S::width)>{});
}

}  // namespace prism::inline PRISM_ISA::detail
