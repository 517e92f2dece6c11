// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes on 64-bit ARM. Both bytes are signed.
#pragma once

#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__CUDA_ARCH__)
#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/byte_limits.hpp"

namespace prism::inline PRISM_ISA {
namespace detail {

struct NeonBytes {
  using ByteQuads = int8x16_t;
  using Totals = int32x4_t;
  static constexpr std::size_t width = 4;

  static ByteQuads broadcast(const std::uint8_t* from) noexcept {
    std::int32_t quad;
    std::memcpy(&quad, from, sizeof quad);
    return vreinterpretq_s8_s32(vdupq_n_s32(quad));
  }
  static ByteQuads load(const std::int8_t* from) noexcept { return vld1q_s8(from); }
  static std::uint64_t greater_mask(Totals totals, std::int32_t bound) noexcept {
    constexpr std::uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vcgtq_s32(totals, vdupq_n_s32(bound)), vld1q_u32(bits)));
  }
};

/// By a multiply-add of eight bytes: four 16-bit sums for each column, two columns per register.
/// Adding pairs to 32 bits at once would take a second instruction for each.
struct NeonAccumulator : NeonBytes {
  static constexpr ByteRange range{
      .max_abs = 127, .max_lane_norm = 181, .lanes = 4, .segment_quads = 16};
  static constexpr ByteLimits limits{.left = range, .right = range, .left_shift = 0};
  static constexpr std::size_t tile_packs = 2;  // of two registers: 6 x 2 x 2 of 32

  struct Sums {
    int16x8_t low, high;
  };

  static Sums start(const std::int32_t*) noexcept { return {vdupq_n_s16(0), vdupq_n_s16(0)}; }
  static Sums add_products(Sums sums, ByteQuads left, ByteQuads right) noexcept {
    return {vmlal_s8(sums.low, vget_low_s8(left), vget_low_s8(right)),
            vmlal_high_s8(sums.high, left, right)};
  }
  struct Widening {
    Totals operator()(const Sums& sums) const noexcept {
      return vpaddq_s32(vpaddlq_s16(sums.low), vpaddlq_s16(sums.high));
    }
  };
};

#if defined(__ARM_FEATURE_DOTPROD)
/// By dot products of quads: a 32-bit sum for each column.
struct NeonDotAccumulator : NeonBytes {
  static constexpr ByteLimits limits = wide_sum_limits(0);
  static constexpr std::size_t tile_packs = 4;  // 6 x 4 of 32 registers

  using Sums = int32x4_t;

  static Sums start(const std::int32_t*) noexcept { return vdupq_n_s32(0); }
  static Sums add_products(Sums sums, ByteQuads left, ByteQuads right) noexcept {
    return vdotq_s32(sums, left, right);
  }
  using Widening = NoWidening<Sums>;
};
#endif

}  // namespace detail

template <>
struct detail::ByteProducts<isa::neon> : detail::RegisterByteProducts<detail::NeonAccumulator> {};
#if defined(__ARM_FEATURE_DOTPROD)
template <>
struct detail::ByteProducts<isa::neon_dotprod>
    : detail::RegisterByteProducts<detail::NeonDotAccumulator> {};
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::neon_dotprod> {};
#else
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::neon> {};
#endif

}  // namespace prism::inline PRISM_ISA
#endif
