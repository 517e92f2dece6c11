// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes with AVX2 and AVX-512. Without the dot products of VNNI, an instruction
// multiplies unsigned bytes by signed ones and adds two neighbouring products to 16 bits, with
// saturation: 2 * 127 * 127 is below 2^15, so left bytes of 7 bits, shifted to be unsigned, and
// right bytes of 8 bits are exact. Widening every sum to 32 bits would take a second multiplication
// for each; 16-bit sums over a segment need only an addition.
#pragma once

#if (defined(__x86_64__) || defined(__i386__)) && defined(__AVX2__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/byte_limits.hpp"

// The sets that PRISM_ISA distinguishes: a part of AVX-512 does not count.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define PRISM_BYTES_AVX512
#endif

namespace prism::inline PRISM_ISA {
namespace detail {

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// g++ 12 warns about its own _mm512_undefined_epi32.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

struct Avx2Bytes {
  using Register = __m256i;
  // Not Register, whose elements have 64 bits: g++ 12 would keep a loop's sums in memory. Signed
  // 16-bit overflow is undefined behaviour; unsigned numbers wrap.
  using Sums16 [[gnu::vector_size(32)]] = std::uint16_t;
  using Sums32 [[gnu::vector_size(32)]] = std::int32_t;
  static constexpr std::size_t width = 8, tile_packs = 2;  // 6 x 2 of 16 registers

  static Register load(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static Register broadcast(std::int32_t quad) noexcept { return _mm256_set1_epi32(quad); }
  static Register add_pairs_of_products(Register left, Register right) noexcept {
    return _mm256_maddubs_epi16(left, right);
  }
  static Register ones() noexcept {
    std::int32_t pair = 0x0001'0001;
    // Otherwise g++ keeps the constant in a register throughout, and a loop's sum in memory.
    asm volatile("" : "+r"(pair));
    return _mm256_set1_epi32(pair);
  }
  static Register add_pairs(Register sums, Register ones) noexcept {
    return _mm256_madd_epi16(sums, ones);
  }
  static std::uint64_t greater_mask(Register sums, std::int32_t bound) noexcept {
    const __m256i greater = _mm256_cmpgt_epi32(sums, _mm256_set1_epi32(bound));
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(greater)));
  }
#if defined(__AVXVNNI__)
  static Register add_dot_products(Register sums, Register left, Register right) noexcept {
    return _mm256_dpbusd_avx_epi32(sums, left, right);
  }
#endif
};

#if defined(PRISM_BYTES_AVX512)
struct Avx512Bytes {
  using Register = __m512i;
  using Sums16 [[gnu::vector_size(64)]] = std::uint16_t;
  using Sums32 [[gnu::vector_size(64)]] = std::int32_t;
  static constexpr std::size_t width = 16, tile_packs = 4;  // 6 x 4 of 32 registers

  static Register load(const void* from) noexcept { return _mm512_loadu_si512(from); }
  static Register broadcast(std::int32_t quad) noexcept { return _mm512_set1_epi32(quad); }
  static Register add_pairs_of_products(Register left, Register right) noexcept {
    return _mm512_maddubs_epi16(left, right);
  }
  static Register ones() noexcept { return _mm512_set1_epi16(1); }
  static Register add_pairs(Register sums, Register ones) noexcept {
    return _mm512_madd_epi16(sums, ones);
  }
  static std::uint64_t greater_mask(Register sums, std::int32_t bound) noexcept {
    return _mm512_cmpgt_epi32_mask(sums, _mm512_set1_epi32(bound));
  }
#if defined(__AVX512VNNI__)
  static Register add_dot_products(Register sums, Register left, Register right) noexcept {
    return _mm512_dpbusd_epi32(sums, left, right);
  }
#endif
};
#endif

template <class R>
struct X86Accumulator {
  static constexpr std::size_t width = R::width, tile_packs = R::tile_packs;
  using ByteQuads = typename R::Register;
  using Totals = typename R::Sums32;

  static ByteQuads broadcast(const std::uint8_t* from) noexcept {
    std::int32_t quad;
    std::memcpy(&quad, from, sizeof quad);
    return R::broadcast(quad);
  }
  static ByteQuads load(const std::int8_t* from) noexcept { return R::load(from); }
  static std::uint64_t greater_mask(Totals totals, std::int32_t bound) noexcept {
    return R::greater_mask(reinterpret_cast<typename R::Register>(totals), bound);
  }
};

/// By products of pairs: two 16-bit sums for each column.
template <class R>
struct PairAccumulator : X86Accumulator<R> {
  static constexpr ByteLimits limits{
      .left = {.max_abs = 63, .max_lane_norm = 128, .lanes = 2, .segment_quads = 16},
      .right = {.max_abs = 127, .max_lane_norm = 255, .lanes = 2, .segment_quads = 16},
      .left_shift = 64};
  using Register = typename R::Register;
  using Sums = typename R::Sums16;
  using Totals = typename R::Sums32;

  static Sums start(const std::int32_t* from) noexcept {
    return reinterpret_cast<Sums>(R::load(from));
  }
  static Sums add_products(Sums sums, Register left, Register right) noexcept {
    return sums + reinterpret_cast<Sums>(R::add_pairs_of_products(left, right));
  }
  struct Widening {
    Register ones = R::ones();
    Totals operator()(Sums sums) const noexcept {
      return reinterpret_cast<Totals>(R::add_pairs(reinterpret_cast<Register>(sums), ones));
    }
  };
};

/// By dot products of quads: a 32-bit sum for each column.
template <class R>
struct DotAccumulator : X86Accumulator<R> {
  static constexpr ByteLimits limits = wide_sum_limits(128);
  using Register = typename R::Register;
  using Sums = typename R::Sums32;

  static Sums start(const std::int32_t* from) noexcept {
    return reinterpret_cast<Sums>(R::load(from));
  }
  static Sums add_products(Sums sums, Register left, Register right) noexcept {
    return reinterpret_cast<Sums>(
        R::add_dot_products(reinterpret_cast<Register>(sums), left, right));
  }
  using Widening = NoWidening<Sums>;
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace detail

template <>
struct detail::ByteProducts<isa::avx2>
    : detail::RegisterByteProducts<detail::PairAccumulator<detail::Avx2Bytes>> {};
#if defined(__AVXVNNI__)
template <>
struct detail::ByteProducts<isa::avx_vnni>
    : detail::RegisterByteProducts<detail::DotAccumulator<detail::Avx2Bytes>> {};
#endif
#if defined(PRISM_BYTES_AVX512)
template <>
struct detail::ByteProducts<isa::avx512>
    : detail::RegisterByteProducts<detail::PairAccumulator<detail::Avx512Bytes>> {};
#endif
#if defined(PRISM_BYTES_AVX512) && defined(__AVX512VNNI__)
template <>
struct detail::ByteProducts<isa::avx512_vnni>
    : detail::RegisterByteProducts<detail::DotAccumulator<detail::Avx512Bytes>> {};
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::avx512_vnni> {};
#if defined(PRISM_AMX)
template <>
struct detail::ByteProducts<isa::amx> : detail::ByteProducts<isa::avx512_vnni> {};
#endif
#elif defined(PRISM_BYTES_AVX512)
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::avx512> {};
#elif defined(__AVXVNNI__)
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::avx_vnni> {};
#else
template <>
struct detail::ByteProducts<isa::native> : detail::ByteProducts<isa::avx2> {};
#endif

}  // namespace prism::inline PRISM_ISA
#undef PRISM_BYTES_AVX512
#endif
