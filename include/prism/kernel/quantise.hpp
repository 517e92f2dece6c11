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
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// Rows as bytes b: each row x = scale * b + residual. The norms are upper bounds over all rows,
/// enlarged by more than all rounding errors of a score computed from them.
struct Quantisation {
  float scale;               ///< above 0
  float max_norm;            ///< of x
  float max_quantised_norm;  ///< of scale * b
  float max_residual_norm;   ///< `unbounded` if no bound is known
};

/// A bound of the rounding error of a float score of n columns, and of its upper bound from a few
/// operations, relative to the product of the two rows' norms. Each of the two rows contributes the
/// error of 2 (n + 16) roundings; about n + 30 occur.
[[nodiscard]] constexpr float rounding_error_bound(std::size_t n) noexcept {
  return static_cast<float>(n + 16) * std::numeric_limits<float>::epsilon();
}

/// Rows as bytes between -127 and 127, with one scale.
/// @param bytes     rows x n, overwritten
/// @param x         rows x n
/// @param residual  n floats of working memory
template <class Isa = isa::native>
inline Quantisation quantise(std::int8_t* bytes, const float* x, std::size_t rows, std::size_t n,
                             float* residual) noexcept {
  // Between these no square overflows, and only negligible ones are denormal.
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
  const float scale = largest_abs / 127, inverse = 127 / largest_abs;
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

}  // namespace prism::inline PRISM_ISA
