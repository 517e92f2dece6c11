// SPDX-License-Identifier: BSD-3-Clause
// Rows as bytes, with what is lost by it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// What rows of bytes b stand for: each row x = scale * b + rest. The lengths are upper bounds of
/// every row's, by more than every rounding error on the way to a score from them.
struct Quantised {
  float scale;         ///< above 0
  float length;        ///< of x
  float bytes_length;  ///< of scale * b
  float rest_length;   ///< infinity if there is no telling
};

/// How far a float score of n columns, and a bound of it made of a few operations, may be off by
/// rounding, as a share of the two rows' lengths multiplied. Either row brings as much as twice
/// what n + 16 roundings can do; about n + 30 are done.
[[nodiscard]] constexpr float rounding_slack(std::size_t n) noexcept {
  return static_cast<float>(n + 16) * std::numeric_limits<float>::epsilon();
}

/// Rows as bytes between -127 and 127, with one scale.
/// @param bytes  rows x n
/// @param x      rows x n
/// @param rest   n floats of working memory
template <class Isa = isa::native>
inline Quantised quantise(std::int8_t* bytes, const float* x, std::size_t rows, std::size_t n,
                          float* rest) noexcept {
  // Between these no square overflows, and none that matters is denormal.
  constexpr float smallest = 0x1p-30F, greatest = 0x1p30F;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // Without their signs numbers compare as their bits do, what is not a number above infinity.
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < rows * n; ++i) {
    bits = std::max(bits, std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFU);
  }
  const float largest = std::bit_cast<float>(bits);
  if (!(largest >= smallest && largest <= greatest)) {
    std::fill(bytes, bytes + rows * n, std::int8_t{0});
    if (bits == 0) return {1, 0, 0, 0};
    if (largest < smallest) {
      const float length = smallest * static_cast<float>(n);
      return {1, length, 0, length};
    }
    return {1, 1, 0, infinity};
  }
  const float scale = largest / 127, inverse = 127 / largest;
  float length = 0, rest_length = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const row = x + r * n;
    for (std::size_t i = 0; i < n; ++i) {
      const float nearest = std::nearbyint(row[i] * inverse);
      bytes[r * n + i] = static_cast<std::int8_t>(nearest);
      rest[i] = row[i] - nearest * scale;
    }
    length = std::max(length, norm<Isa>(row, n));
    rest_length = std::max(rest_length, norm<Isa>(rest, n));
  }
  const float slack = rounding_slack(n);
  length *= 1 + slack;
  rest_length = rest_length * (1 + slack) + slack * length;
  return {scale, length, length + rest_length, rest_length};
}

}  // namespace prism::inline PRISM_ISA
