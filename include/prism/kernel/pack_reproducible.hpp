// SPDX-License-Identifier: BSD-3-Clause
// Packs whose results do not depend on the processor: 16 floats or 8 doubles, in as many registers
// as they take, summed in a fixed order. Only multiply-adds are fused; quotients and roots are
// exact to the last bit instead of estimates, and a product is rounded before it is added. This
// holds for packs whatever -ffp-contract says; single numbers left over from whole packs need
// -ffp-contract=off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"
#include "prism/kernel/pack_xsimd.hpp"

#if !defined(__CUDA_ARCH__) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool isa_supported<isa::reproducible> = true;

template <class T>
struct Pack<T, isa::reproducible> {
  using Part = Pack<T, isa::native>;
  static constexpr std::size_t width = 64 / sizeof(T);
  static constexpr std::size_t parts = width / Part::width;
  static_assert(width % Part::width == 0);

  Part part[parts];

  static Pack load(const T* from) noexcept {
    return made([=](std::size_t p) { return Part::load(from + p * Part::width); });
  }
  static Pack broadcast(T number) noexcept {
    const Part all = Part::broadcast(number);
    return made([=](std::size_t) { return all; });
  }
  void store(T* to) const noexcept {
    for (std::size_t p = 0; p < parts; ++p) part[p].store(to + p * Part::width);
  }

  friend Pack operator+(Pack a, Pack b) noexcept {
    return made([&](std::size_t p) { return a.part[p] + b.part[p]; });
  }
  friend Pack operator-(Pack a, Pack b) noexcept {
    return made([&](std::size_t p) { return a.part[p] - b.part[p]; });
  }
  friend Pack operator*(Pack a, Pack b) noexcept {
    return made([&](std::size_t p) { return rounded(a.part[p] * b.part[p]); });
  }
  friend Pack operator/(Pack a, Pack b) noexcept {
    return made([&](std::size_t p) { return a.part[p] / b.part[p]; });
  }
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    return made([&](std::size_t p) { return fused_multiply_add(a.part[p], b.part[p], c.part[p]); });
  }
  friend Pack sqrt(Pack a) noexcept {
    return made([&](std::size_t p) { return sqrt(a.part[p]); });
  }
  friend Pack approximate_reciprocal(Pack a) noexcept { return broadcast(1) / a; }
  friend Pack approximate_sqrt(Pack a) noexcept { return sqrt(a); }
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    return made([&](std::size_t p) { return clamp(a.part[p], lowest.part[p], highest.part[p]); });
  }
  friend Pack max(Pack a, Pack b) noexcept {
    return made([&](std::size_t p) { return max(a.part[p], b.part[p]); });
  }
  friend bool any_greater(Pack a, Pack b) noexcept {
    bool any = false;
    for (std::size_t p = 0; p < parts; ++p) any = any_greater(a.part[p], b.part[p]) || any;
    return any;
  }
  friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      bits |= not_less_equal_mask(a.part[p], b.part[p]) << p * Part::width;
    }
    return bits;
  }
  /// Numbers half a pack apart are added first, then those a quarter apart, and so on.
  friend T sum(Pack a) noexcept {
    for (std::size_t distance = parts / 2; distance > 0; distance /= 2) {
      for (std::size_t p = 0; p < distance; ++p) a.part[p] = a.part[p] + a.part[p + distance];
    }
    return sum_by_halves(typename Part::Register::register_type(a.part[0].value));
  }

 private:
  friend struct PackBits<Pack>;

  template <class PartOf>
  static Pack made(const PartOf& part_of) noexcept {
    return made(part_of, std::make_index_sequence<parts>{});
  }
  template <class PartOf, std::size_t... P>
  static Pack made(const PartOf& part_of, std::index_sequence<P...>) noexcept {
    return {{part_of(P)...}};
  }

  /// Hides a product from the compiler, so that it is not contracted with a sum.
  static Part rounded(Part product) noexcept {
    typename Part::Register::register_type number = product.value;
#if defined(__AVX512F__)
    asm("" : "+v"(number));
#elif defined(__SSE2__)
    asm("" : "+x"(number));
#else
    asm("" : "+w"(number));
#endif
    return {typename Part::Register(number)};
  }

#if defined(__SSE2__)
  static float sum_by_halves(__m128 a) noexcept {
    const __m128 two = _mm_add_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
  }
  static double sum_by_halves(__m128d a) noexcept {
    return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a)));
  }
#if defined(__AVX__)
  static float sum_by_halves(__m256 a) noexcept {
    return sum_by_halves(_mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
  }
  static double sum_by_halves(__m256d a) noexcept {
    return sum_by_halves(_mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1)));
  }
#endif
#if defined(__AVX512F__)
  static float sum_by_halves(__m512 a) noexcept {
    const __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1));
    return sum_by_halves(_mm256_add_ps(_mm512_castps512_ps256(a), high));
  }
  static double sum_by_halves(__m512d a) noexcept {
    return sum_by_halves(_mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1)));
  }
#endif
#else
  static float sum_by_halves(float32x4_t a) noexcept {
    const float32x2_t two = vadd_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
  }
  static double sum_by_halves(float64x2_t a) noexcept {
    return vgetq_lane_f64(a, 0) + vgetq_lane_f64(a, 1);
  }
#endif
};

template <class T>
struct PackBits<Pack<T, isa::reproducible>> {
  using P = Pack<T, isa::reproducible>;
  using OfPart = PackBits<typename P::Part>;

  static P where_less(P a, P b, P yes, P no) noexcept {
    return P::made([&](std::size_t p) {
      return OfPart::where_less(a.part[p], b.part[p], yes.part[p], no.part[p]);
    });
  }
  static P mantissa_as_exponent(P t) noexcept {
    return P::made([&](std::size_t p) { return OfPart::mantissa_as_exponent(t.part[p]); });
  }
  static detail::SplitNumber<P> split(P x) noexcept {
    detail::SplitNumber<P> result;
    for (std::size_t p = 0; p < P::parts; ++p) {
      const auto [mantissa, exponent] = OfPart::split(x.part[p]);
      result.mantissa.part[p] = mantissa;
      result.exponent.part[p] = exponent;
    }
    return result;
  }
  static P opaque(P x) noexcept {
    return P::made([&](std::size_t p) { return OfPart::opaque(x.part[p]); });
  }
};

}  // namespace prism::inline PRISM_ISA
#endif
