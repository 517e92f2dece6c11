// SPDX-License-Identifier: BSD-3-Clause
// A pack of numbers that one instruction works on. The one place that knows xsimd and its versions;
// kernels are written in terms of Pack, with the instruction set as a template parameter.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Instruction sets. A kernel takes one as its first template parameter; `native` is the best that
/// the compiler's flags allow, and the default everywhere. With PRISM_SCALAR_KERNELS defined before
/// any header of the library, or by -DPRISM_SCALAR_KERNELS, it is `scalar` whatever they allow: one
/// number at a time, a product and a sum rounded apart, which is slow, and the same on every
/// processor as long as the compiler contracts nothing (-ffp-contract=off).
namespace isa {
struct scalar {};
using sse2 = xsimd::sse2;
using avx2 = xsimd::fma3<xsimd::avx2>;
using avx512 = xsimd::avx512bw;
using neon = xsimd::neon64;
#if defined(PRISM_SCALAR_KERNELS)
using native = scalar;
#else
using native = std::conditional_t<xsimd::has_simd_register<float, xsimd::default_arch>::value,
                                  xsimd::default_arch, scalar>;
#endif
}  // namespace isa

/// Whether this translation unit's compiler flags allow the instruction set.
template <class Isa>
inline constexpr bool isa_supported = xsimd::has_simd_register<float, Isa>::value;
template <>
inline constexpr bool isa_supported<isa::scalar> = true;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// g++ 12 warns of its own _mm512_undefined_ps.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

/// `width` numbers of type T in one register of instruction set Isa.
template <class T, class Isa = isa::native>
struct Pack {
  using Batch = xsimd::batch<T, Isa>;
  static constexpr std::size_t width = Batch::size;

  Batch value;

  static constexpr bool refines_estimates =
      std::is_base_of_v<xsimd::avx512f, Isa> && std::is_same_v<T, float>;

  static Pack load(const T* from) noexcept { return {Batch::load_unaligned(from)}; }
  static Pack broadcast(T number) noexcept { return {Batch(number)}; }
  void store(T* to) const noexcept { value.store_unaligned(to); }

  friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  friend Pack operator/(Pack a, Pack b) noexcept { return {a.value / b.value}; }

  /// a * b + c
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
#if defined(__AVX512F__) && XSIMD_VERSION_MAJOR < 9
    // xsimd 8 multiplies, then adds, on AVX-512.
    if constexpr (std::is_base_of_v<xsimd::avx512f, Isa> && std::is_same_v<T, float>) {
      return {Batch(_mm512_fmadd_ps(a.value, b.value, c.value))};
    } else if constexpr (std::is_base_of_v<xsimd::avx512f, Isa> && std::is_same_v<T, double>) {
      return {Batch(_mm512_fmadd_pd(a.value, b.value, c.value))};
    } else {
      return {xsimd::fma(a.value, b.value, c.value)};
    }
#else
    return {xsimd::fma(a.value, b.value, c.value)};
#endif
  }
  friend Pack sqrt(Pack a) noexcept { return {xsimd::sqrt(a.value)}; }

  /// 1 / a and the square root, within a few units in the last place. On AVX-512 a float's
  /// quotient and square root keep one unit busy for 34 cycles; estimates with one step of Newton's
  /// take a quarter of that. The root is of numbers not below 0; denormal ones count as 0.
  friend Pack quick_inverse(Pack a) noexcept {
#if defined(__AVX512F__)
    if constexpr (refines_estimates) {
      const Pack estimate{Batch(_mm512_rcp14_ps(a.value))};
      return estimate * (broadcast(2) - a * estimate);
    }
#endif
    return broadcast(1) / a;
  }
  friend Pack quick_sqrt(Pack a) noexcept {
#if defined(__AVX512F__)
    if constexpr (refines_estimates) {
      // At 0 the estimate is that of the smallest normal number, and the product is 0.
      const Batch positive = xsimd::max(a.value, Batch(std::numeric_limits<T>::min()));
      const Pack estimate{Batch(_mm512_rsqrt14_ps(positive))};
      const Pack root = a * estimate;
      return fused_multiply_add(root * broadcast(T(-0.5)), root * estimate - broadcast(1), root);
    }
#endif
    return sqrt(a);
  }
  friend Pack exp(Pack a) noexcept { return {xsimd::exp(a.value)}; }

  /// a brought into [lowest, highest]; what is not a number stays so.
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const Batch raised = xsimd::select(a.value < lowest.value, lowest.value, a.value);
    return {xsimd::select(raised > highest.value, highest.value, raised)};
  }

  /// Whether any of a's numbers is greater than b's beside it.
  friend bool any_greater(Pack a, Pack b) noexcept { return xsimd::any(a.value > b.value); }

  /// Bit j is clear where a's number j is at most b's: set where it is greater, and where either is
  /// not a number.
  friend std::uint64_t not_at_most(Pack a, Pack b) noexcept {
#if defined(__AVX512F__)
    if constexpr (std::is_base_of_v<xsimd::avx512f, Isa> && std::is_same_v<T, float>) {
      return _mm512_cmp_ps_mask(a.value, b.value, _CMP_NLE_UQ);
    } else if constexpr (std::is_base_of_v<xsimd::avx512f, Isa> && std::is_same_v<T, double>) {
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

/// Whether the instruction set multiplies bytes and adds up the products in one instruction.
template <class Isa>
inline constexpr bool multiplies_bytes = false;

/// `width` sums of products of bytes, in one register; each takes four products at a time.
template <class Isa = isa::native>
struct ByteSums;

#if defined(__AVX512VNNI__)
template <class Isa>
requires std::is_base_of_v<xsimd::avx512bw, Isa>
inline constexpr bool multiplies_bytes<Isa> = true;

template <class Isa>
requires std::is_base_of_v<xsimd::avx512bw, Isa>
struct ByteSums<Isa> {
  static constexpr std::size_t width = 16;

  /// Four bytes for each sum.
  struct Fours {
    __m512i value;
  };

  // Not __m512i, whose numbers are 64 bits: g++ 12 would keep the sums of a loop in memory.
  using Lanes [[gnu::vector_size(64)]] = std::int32_t;

  Lanes value;

  static ByteSums load(const std::int32_t* from) noexcept {
    return {reinterpret_cast<Lanes>(_mm512_loadu_si512(from))};
  }
  /// The same four for every sum.
  static Fours broadcast(const std::uint8_t* from) noexcept {
    std::int32_t four;
    std::memcpy(&four, from, sizeof four);
    return {_mm512_set1_epi32(four)};
  }
  static Fours load(const std::int8_t* from) noexcept { return {_mm512_loadu_si512(from)}; }

  /// sums[j] + a[4 j] b[4 j] + ... + a[4 j + 3] b[4 j + 3], a's bytes unsigned and b's signed
  friend ByteSums add_products(Fours a, Fours b, ByteSums sums) noexcept {
    const auto before = reinterpret_cast<__m512i>(sums.value);
    return {reinterpret_cast<Lanes>(_mm512_dpbusd_epi32(before, a.value, b.value))};
  }
  /// Bit j: whether sum j is greater than `bound`.
  friend std::uint64_t exceeding(ByteSums sums, std::int32_t bound) noexcept {
    return _mm512_cmpgt_epi32_mask(reinterpret_cast<__m512i>(sums.value), _mm512_set1_epi32(bound));
  }
};
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <class T>
struct Pack<T, isa::scalar> {
  static constexpr std::size_t width = 1;

  T value;

  static Pack load(const T* from) noexcept { return {*from}; }
  static Pack broadcast(T number) noexcept { return {number}; }
  void store(T* to) const noexcept { *to = value; }

  friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  friend Pack operator/(Pack a, Pack b) noexcept { return {a.value / b.value}; }
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    return {a.value * b.value + c.value};
  }
  friend Pack sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  friend Pack quick_inverse(Pack a) noexcept { return {T{1} / a.value}; }
  friend Pack quick_sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  friend Pack exp(Pack a) noexcept { return {std::exp(a.value)}; }
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const T raised = a.value < lowest.value ? lowest.value : a.value;
    return {raised > highest.value ? highest.value : raised};
  }
  friend bool any_greater(Pack a, Pack b) noexcept { return a.value > b.value; }
  friend std::uint64_t not_at_most(Pack a, Pack b) noexcept { return !(a.value <= b.value); }
  friend T sum(Pack a) noexcept { return a.value; }
};

template <>
struct ByteSums<isa::scalar> {
  static constexpr std::size_t width = 1;

  template <class Byte>
  struct Fours {
    Byte value[4];
  };

  std::int32_t value;

  static ByteSums load(const std::int32_t* from) noexcept { return {*from}; }
  static Fours<std::uint8_t> broadcast(const std::uint8_t* from) noexcept {
    return {{from[0], from[1], from[2], from[3]}};
  }
  static Fours<std::int8_t> load(const std::int8_t* from) noexcept {
    return {{from[0], from[1], from[2], from[3]}};
  }

  friend ByteSums add_products(Fours<std::uint8_t> a, Fours<std::int8_t> b,
                               ByteSums sums) noexcept {
    for (int j = 0; j < 4; ++j) sums.value += a.value[j] * b.value[j];
    return sums;
  }
  friend std::uint64_t exceeding(ByteSums sums, std::int32_t bound) noexcept {
    return sums.value > bound;
  }
};

/// Calls body(tag, i) for i = 0, step, ...: first on whole packs of Isa, then on single numbers;
/// `tag` is the Pack type to work with at i.
template <class Isa, class T, class Body>
inline void for_each_pack(std::size_t n, const Body& body) {
  using Wide = Pack<T, Isa>;
  const std::size_t packs = n - n % Wide::width;
  for (std::size_t i = 0; i < packs; i += Wide::width) body(std::type_identity<Wide>{}, i);
  for (std::size_t i = packs; i < n; ++i) body(std::type_identity<Pack<T, isa::scalar>>{}, i);
}

}  // namespace prism::inline PRISM_ISA
