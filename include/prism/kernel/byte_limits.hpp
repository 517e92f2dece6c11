// SPDX-License-Identifier: BSD-3-Clause
// Which bytes can be summed exactly, and sums of their products in plain C++; byte_accumulator.hpp
// has those in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The permitted bytes of a row. Bytes come in quads; the bytes of a column in a segment of quads
/// are added to `lanes` sums, with neighbouring places of a quad in the same sum.
struct ByteRange {
  std::int32_t max_abs;
  std::int32_t max_lane_norm;  ///< of a lane's bytes in a segment; 0 for no limit
  std::size_t lanes;           ///< 1, 2 or 4
  std::size_t segment_quads;
};

/// Which bytes an accumulator sums exactly. The sums of a segment are widened and added to those of
/// the previous segments.
///
/// A 16-bit sum counts modulo 2^16. By the Cauchy-Schwarz inequality it is at most the product of
/// the norms of the bytes that it sums, and so exact if that product is below 2^15, however many
/// bytes there are.
struct ByteLimits {
  static constexpr std::size_t one_segment = std::numeric_limits<std::size_t>::max() / 4;

  ByteRange left, right;    ///< the products of their `max_lane_norm` are below 2^15
  std::int32_t left_shift;  ///< added to each left byte to make it unsigned; or 0

  [[nodiscard]] constexpr std::size_t segments(std::size_t quads) const noexcept {
    const std::size_t segment = right.segment_quads;
    return segment == one_segment || quads == 0 ? 1 : (quads + segment - 1) / segment;
  }
};

/// The limits of 32-bit sums: any bytes with an absolute value of at most 127.
[[nodiscard]] constexpr ByteLimits wide_sum_limits(std::int32_t left_shift) noexcept {
  constexpr ByteRange range{
      .max_abs = 127, .max_lane_norm = 0, .lanes = 1, .segment_quads = ByteLimits::one_segment};
  return {.left = range, .right = range, .left_shift = left_shift};
}

template <class Sums>
struct NoWidening {
  Sums operator()(Sums sums) const noexcept { return sums; }
};

/// Sums of products of bytes for `width` columns in plain C++: the interface of all accumulators.
struct ScalarByteAccumulator {
  static constexpr ByteLimits limits = wide_sum_limits(0);
  /// The number of columns, and how many times as many fit into registers for six rows at a time.
  static constexpr std::size_t width = 1, tile_packs = 1;

  /// Four bytes for each column.
  struct ByteQuads {
    std::int8_t value[4];
  };
  /// A segment's sums, and 32-bit sums of a row of any length: types with operator+.
  using Sums = std::int32_t;
  using Totals = std::int32_t;

  /// The sums before the first quad of a segment, from `width` results of start_of().
  static Sums start(const std::int32_t* from) noexcept { return *from; }
  /// Returns the four bytes of a left row at `from` for every column.
  static ByteQuads broadcast(const std::uint8_t* from) noexcept {
    ByteQuads quads;
    for (int j = 0; j < 4; ++j) quads.value[j] = static_cast<std::int8_t>(from[j]);
    return quads;
  }
  /// The next four bytes of each column.
  static ByteQuads load(const std::int8_t* from) noexcept {
    return {{from[0], from[1], from[2], from[3]}};
  }
  static Sums add_products(Sums sums, ByteQuads left, ByteQuads right) noexcept {
    for (int j = 0; j < 4; ++j) sums += left.value[j] * right.value[j];
    return sums;
  }
  /// A function from a segment's sums to totals, with the constants that it needs.
  using Widening = NoWidening<Sums>;
  /// Bit j: whether column j's sum is greater than `bound`.
  static std::uint64_t greater_mask(Totals totals, std::int32_t bound) noexcept {
    return totals > bound;
  }
};

/// The initial value of a column's sums, which cancels the shift of the left bytes. The lanes'
/// initial values share the 32 bits.
/// @param sums  of the column's bytes in the segment, for each place in a quad
[[nodiscard]] constexpr std::int32_t start_of(const ByteLimits& limits,
                                              const std::int32_t (&sums)[4]) noexcept {
  std::uint32_t start = 0;
  const std::size_t lanes = limits.right.lanes, places = 4 / lanes, bits = 32 / lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < places; ++j) sum += sums[lane * places + j];
    const auto shifted = static_cast<std::uint32_t>(-limits.left_shift * sum);
    start |= (bits == 32 ? shifted : shifted & ((1U << bits) - 1)) << (lane * bits);
  }
  return static_cast<std::int32_t>(start);
}

/// How an instruction set sums products of bytes. A user-defined set may have an accumulator, too.
template <class Isa>
struct ByteProducts {
  using Accumulator = ScalarByteAccumulator;
  /// Whether products of bytes have a higher throughput than products of floats.
  static constexpr bool exceed_floats = false;
};

template <class Isa = isa::native>
using ByteAccumulator = typename ByteProducts<Isa>::Accumulator;

template <class A>
struct RegisterByteProducts {
  using Accumulator = A;
  static constexpr bool exceed_floats = true;
};

}  // namespace prism::inline PRISM_ISA::detail
