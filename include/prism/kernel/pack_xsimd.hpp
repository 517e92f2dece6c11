// SPDX-License-Identifier: BSD-3-Clause
// Packs of the processor's instruction sets. Only this file depends on xsimd and its versions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"

#if defined(__AVX512F__) && \
    !(defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__))
#error "prism uses AVX-512 with BW, DQ and VL: add -mno-avx512f, which leaves AVX2"
#endif

#if !defined(__CUDA_ARCH__)  // see has_single_numbers
namespace prism::inline PRISM_ISA {

namespace detail {

/// xsimd's name of an instruction set.
template <class Isa>
struct XsimdArch;
template <>
struct XsimdArch<isa::sse2> {
  using type = xsimd::sse2;
};
template <>
struct XsimdArch<isa::avx2> {
  using type = xsimd::fma3<xsimd::avx2>;
};
template <>
struct XsimdArch<isa::avx512> {
  using type = xsimd::avx512bw;
};
template <>
struct XsimdArch<isa::neon> {
  using type = xsimd::neon64;
};
// These differ from the sets above only in products of bytes and, for AMX, of matrices.
#if defined(__AVXVNNI__)
template <>
struct XsimdArch<isa::avx_vnni> : XsimdArch<isa::avx2> {};
#endif
#if defined(__AVX512VNNI__)
template <>
struct XsimdArch<isa::avx512_vnni> : XsimdArch<isa::avx512> {};
#endif
#if defined(PRISM_AMX)
template <>
struct XsimdArch<isa::amx> : XsimdArch<isa::avx512> {};
#endif
#if defined(__ARM_FEATURE_DOTPROD)
template <>
struct XsimdArch<isa::neon_dotprod> : XsimdArch<isa::neon> {};
#endif
template <class Isa>
  requires(std::is_same_v<Isa, isa::native> && !std::is_same_v<Isa, isa::scalar>)  //
struct XsimdArch<Isa> {
  using type = xsimd::default_arch;
};

template <class Isa>
using arch_t = typename XsimdArch<Isa>::type;

/// An instruction set that xsimd knows and the compiler's flags allow.
template <class Isa>
concept XsimdIsa =
    requires { typename arch_t<Isa>; } && xsimd::has_simd_register<float, arch_t<Isa>>::value;

}  // namespace detail

template <detail::XsimdIsa Isa>
inline constexpr bool isa_supported<Isa> = true;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// g++ 12 warns about its own _mm512_undefined_ps.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

template <class T, detail::XsimdIsa Isa>
struct Pack<T, Isa> {
  using Register = xsimd::batch<T, detail::arch_t<Isa>>;
  static constexpr std::size_t width = Register::size;

  Register value;

  static constexpr bool refines_estimates =
      std::is_base_of_v<xsimd::avx512f, detail::arch_t<Isa>> && std::is_same_v<T, float>;

  static Pack load(const T* from) noexcept { return {Register::load_unaligned(from)}; }
  static Pack broadcast(T number) noexcept { return {Register(number)}; }
  void store(T* to) const noexcept { value.store_unaligned(to); }

  friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  friend Pack operator/(Pack a, Pack b) noexcept {
#if defined(__aarch64__)
    // xsimd 8 refines an estimate, whose last bits may be wrong; likewise for the root below.
    if constexpr (std::is_same_v<T, float>) {
      return {Register(vdivq_f32(a.value, b.value))};
    } else {
      return {a.value / b.value};
    }
#else
    return {a.value / b.value};
#endif
  }

  /// a * b + c
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
#if defined(__AVX512F__) && XSIMD_VERSION_MAJOR < 9
    // xsimd 8 multiplies, then adds, on AVX-512.
    if constexpr (std::is_base_of_v<xsimd::avx512f, detail::arch_t<Isa>> &&
                  std::is_same_v<T, float>) {
      return {Register(_mm512_fmadd_ps(a.value, b.value, c.value))};
    } else if constexpr (std::is_base_of_v<xsimd::avx512f, detail::arch_t<Isa>> &&
                         std::is_same_v<T, double>) {
      return {Register(_mm512_fmadd_pd(a.value, b.value, c.value))};
    } else {
      return {xsimd::fma(a.value, b.value, c.value)};
    }
#else
    return {xsimd::fma(a.value, b.value, c.value)};
#endif
  }
  friend Pack sqrt(Pack a) noexcept {
#if defined(__aarch64__)
    if constexpr (std::is_same_v<T, float>) {
      return {Register(vsqrtq_f32(a.value))};
    } else {
      return {xsimd::sqrt(a.value)};
    }
#else
    return {xsimd::sqrt(a.value)};
#endif
  }

  /// 1 / a and the square root, within a few units in the last place. On AVX-512 a float's division
  /// and square root occupy their unit for 34 cycles; an estimate with one Newton step takes a
  /// quarter of that. The root is for numbers of at least 0; denormal numbers count as 0.
  friend Pack approximate_reciprocal(Pack a) noexcept {
#if defined(__AVX512F__)
    if constexpr (refines_estimates) {
      const Pack estimate{Register(_mm512_rcp14_ps(a.value))};
      return estimate * (broadcast(2) - a * estimate);
    }
#endif
    return broadcast(1) / a;
  }
  friend Pack approximate_sqrt(Pack a) noexcept {
#if defined(__AVX512F__)
    if constexpr (refines_estimates) {
      // For 0 the estimate is that of the smallest normal number, and the product is 0.
      const Register normal = xsimd::max(a.value, Register(std::numeric_limits<T>::min()));
      const Pack estimate{Register(_mm512_rsqrt14_ps(normal))};
      const Pack root = a * estimate;
      return fused_multiply_add(root * broadcast(T(-0.5)), root * estimate - broadcast(1), root);
    }
#endif
    return sqrt(a);
  }

  /// a clamped to [lowest, highest]; NaN stays NaN.
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
#if defined(__SSE2__)
    // If neither number is less, as with NaN or zeros of different signs, x86 takes the second.
    return {xsimd::min(highest.value, xsimd::max(lowest.value, a.value))};
#else
    const Register raised = xsimd::select(a.value < lowest.value, lowest.value, a.value);
    return {xsimd::select(raised > highest.value, highest.value, raised)};
#endif
  }

  friend Pack max(Pack a, Pack b) noexcept { return {xsimd::max(a.value, b.value)}; }

  /// Whether a[j] > b[j] for any j.
  friend bool any_greater(Pack a, Pack b) noexcept { return xsimd::any(a.value > b.value); }

  /// Bit j is set unless a[j] <= b[j]: where a[j] is greater, or either is NaN.
  friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
#if defined(__AVX512F__)
    if constexpr (std::is_base_of_v<xsimd::avx512f, detail::arch_t<Isa>> &&
                  std::is_same_v<T, float>) {
      return _mm512_cmp_ps_mask(a.value, b.value, _CMP_NLE_UQ);
    } else if constexpr (std::is_base_of_v<xsimd::avx512f, detail::arch_t<Isa>> &&
                         std::is_same_v<T, double>) {
      return _mm512_cmp_pd_mask(a.value, b.value, _CMP_NLE_UQ);
    }
#endif
    bool at_most[width];
    (a.value <= b.value).store_unaligned(at_most);
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < width; ++j) bits |= std::uint64_t{!at_most[j]} << j;
    return bits;
  }

  friend T sum(Pack a) noexcept {
#if XSIMD_VERSION_MAJOR < 9
    return xsimd::hadd(a.value);
#else
    return xsimd::reduce_add(a.value);
#endif
  }
};

template <class T, detail::XsimdIsa Isa>
struct PackBits<Pack<T, Isa>> {
  using P = Pack<T, Isa>;
  using Layout = detail::NumberLayout<T>;
  using Number = typename Layout::Bits;
  using Bits = xsimd::batch<Number, detail::arch_t<Isa>>;

  static P where_less(P a, P b, P yes, P no) noexcept {
    return {xsimd::select(a.value < b.value, yes.value, no.value)};
  }
  static P mantissa_as_exponent(P t) noexcept { return number(bits(t) << Layout::mantissa_bits); }
  static detail::SplitNumber<P> split(P x) noexcept {
    // See detail::split_number.
    constexpr Number one = Number{Layout::bias} << Layout::mantissa_bits;
    constexpr Number mask = (Number{1} << Layout::mantissa_bits) - 1;
    constexpr Number integer_exponent = Number{Layout::bias + Layout::mantissa_bits}
                                        << Layout::mantissa_bits;
    constexpr T offset = static_cast<T>((Number{1} << Layout::mantissa_bits) + Layout::bias);
    const Bits shifted = bits(x) + Bits(Number{one - Layout::sqrt_half});
    const Bits mantissa = (shifted & Bits(mask)) + Bits(Layout::sqrt_half);
    const Bits integer = (shifted >> Layout::mantissa_bits) | Bits(integer_exponent);
    return {number(mantissa), number(integer) - P::broadcast(offset)};
  }
  static P opaque(P x) noexcept {
#if (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)) && defined(__GNUC__)
    asm("" : "+m"(x));
#endif
    return x;
  }

 private:
  static Bits bits(P x) noexcept { return std::bit_cast<Bits>(x.value); }
  static P number(Bits x) noexcept { return {std::bit_cast<typename P::Register>(x)}; }
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace prism::inline PRISM_ISA
#endif
