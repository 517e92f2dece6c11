// SPDX-License-Identifier: BSD-3-Clause
// Rows that are difficult to quantise, and what holds for their bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <prism/kernel/byte_accumulator.hpp>
#include <vector>

#include "variants.hpp"

#define PRISM_BYTE_ISAS                                                                      \
  isa::scalar, isa::avx2, isa::avx_vnni, isa::avx512, isa::avx512_vnni, isa::amx, isa::neon, \
      isa::neon_dotprod, isa::native

namespace test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows that are difficult for bounds, by kind.
inline std::vector<float> row_of_kind(std::size_t kind, std::size_t n, std::uint64_t seed) {
  std::vector<float> x = draws<float>(n, seed);
  const prism::Random random(seed, prism::Stream::synthetic);
  switch (kind % 10) {
    case 1:  // one column far above the others
      x[n / 2] = 300;
      break;
    case 2:  // all halfway between two bytes, so that residuals are the largest
      for (std::size_t i = 0; i < n; ++i) x[i] = i == 0 ? 127 : 0.499F + std::round(20 * x[i]);
      break;
    case 3:
      for (float& value : x) value *= 1e-30F;
      break;
    case 4:
      for (float& value : x) value *= 1e-8F;
      break;
    case 5:
      for (float& value : x) value *= 1e8F;
      break;
    case 6:
      x.assign(n, 0);
      break;
    case 7:
      for (float& value : x) value *= 1e30F;
      break;
    case 8:  // equal in all columns
      x.assign(n, random.uniform(0) < 0.5 ? 1.0F : -1.0F);
      break;
    case 9:
      x[n - 1] = random.uniform(0) < 0.5 ? infinity : std::numeric_limits<float>::quiet_NaN();
      break;
    default:
      break;
  }
  return x;
}

/// The largest norm, squared, of the bytes that share a lane's sum in a segment.
inline std::int32_t largest_lane_square(const std::int8_t* bytes, std::size_t n,
                                        const prism::detail::ByteRange& range) {
  const std::size_t segments = n / 4 / range.segment_quads + 1;
  std::vector<std::int32_t> squares(segments * range.lanes);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t lane = k % 4 / (4 / range.lanes);
    squares[k / 4 / range.segment_quads * range.lanes + lane] += bytes[k] * bytes[k];
  }
  return *std::max_element(squares.begin(), squares.end());
}

}  // namespace test
