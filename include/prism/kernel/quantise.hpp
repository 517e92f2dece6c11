// SPDX-License-Identifier: BSD-3-Clause
// Rows quantised to bytes, with bounds of the error.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/byte_accumulator.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Rows as bytes b: each row x = scale * b + residual. The norms are upper bounds over all rows,
/// enlarged by more than all rounding errors of a score computed from them.
struct Quantisation {
  float scale;               ///< above 0
  float max_norm;            ///< of x
  float max_quantised_norm;  ///< of scale * b
  float max_residual_norm;   ///< `unbounded` if no bound is known
};

/// A bound of the rounding error of a float score of n columns and of its upper bound, which takes
/// a few operations, relative to the product of the two rows' norms. Each of the two rows
/// contributes the error of 2 (n + 16) roundings; about n + 30 occur.
[[nodiscard]] constexpr float rounding_error_bound(std::size_t n) noexcept {
  return static_cast<float>(n + 16) * std::numeric_limits<float>::epsilon();
}

/// The largest norm of the numbers that share a lane's sum in a segment.
[[nodiscard]] inline float largest_lane_norm(const float* row, std::size_t n,
                                             const ByteRange& range) noexcept {
  constexpr std::size_t partial_sums = 16;
  float largest = 0;
  for (std::size_t begin = 0; begin < n; begin += 4 * range.segment_quads) {
    const std::size_t end = std::min(n, begin + 4 * range.segment_quads);
    float squares[partial_sums] = {};
    std::size_t i = begin;
    for (; i + partial_sums <= end; i += partial_sums) {
      for (std::size_t j = 0; j < partial_sums; ++j) squares[j] += row[i + j] * row[i + j];
    }
    for (std::size_t j = 0; i + j < end; ++j) squares[j] += row[i + j] * row[i + j];
    for (std::size_t lane = 0; lane < range.lanes; ++lane) {
      float sum = 0;
      for (std::size_t j = 0; j < partial_sums; ++j) {
        if (j % 4 / (4 / range.lanes) == lane) sum += squares[j];
      }
      largest = std::max(largest, sum);
    }
  }
  return std::sqrt(largest);
}

/// Quantises rows to bytes, with one scale for all.
/// @param bytes     rows x n, overwritten
/// @param x         rows x n
/// @param residual  n floats of working memory
/// @param range     of an accumulator's left or right rows
template <class Isa = isa::native>
inline Quantisation quantise(std::int8_t* bytes, const float* x, std::size_t rows, std::size_t n,
                             float* residual, const ByteRange& range) noexcept {
  // Between these, no square overflows and only negligible squares are denormal.
  constexpr float min_abs = 0x1p-30F, max_abs = 0x1p30F;
  // Without the sign bit, numbers compare like their bits; NaN compares greater than infinity.
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < rows * n; ++i) {
    bits = std::max(bits, std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFU);
  }
  const float largest_abs = std::bit_cast<float>(bits);
  if (!(largest_abs >= min_abs && largest_abs <= max_abs)) {
    std::fill(bytes, bytes + rows * n, std::int8_t{0});
    if (bits == 0) return {1, 0, 0, 0};
    if (largest_abs < min_abs) {
      const float max_norm = min_abs * static_cast<float>(n);
      return {1, max_norm, 0, max_norm};
    }
    return {1, 1, 0, unbounded<float>};
  }
  float scale = largest_abs / static_cast<float>(range.max_abs);
  if (range.max_lane_norm != 0) {
    // Rounding adds up to 1/2 to a byte, and so up to sqrt(lane_bytes) / 2 to the norm.
    const auto lane_bytes = static_cast<float>(4 / range.lanes * range.segment_quads);
    const float max_norm = static_cast<float>(range.max_lane_norm) - std::sqrt(lane_bytes) / 2 - 1;
    for (std::size_t r = 0; r < rows; ++r) {
      scale = std::max(scale, largest_lane_norm(x + r * n, n, range) / max_norm);
    }
  }
  const float inverse = 1 / scale;
  float max_norm = 0, max_residual_norm = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const row = x + r * n;
    for (std::size_t i = 0; i < n; ++i) {
      const float rounded = std::nearbyint(row[i] * inverse);
      bytes[r * n + i] = static_cast<std::int8_t>(rounded);
      residual[i] = row[i] - rounded * scale;
    }
    max_norm = std::max(max_norm, norm<Isa>(row, n));
    max_residual_norm = std::max(max_residual_norm, norm<Isa>(residual, n));
  }
  const float relative_error = rounding_error_bound(n);
  max_norm *= 1 + relative_error;
  max_residual_norm = max_residual_norm * (1 + relative_error) + relative_error * max_norm;
  return {scale, max_norm, max_norm + max_residual_norm, max_residual_norm};
}

}  // namespace prism::inline PRISM_ISA::detail
