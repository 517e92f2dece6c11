// SPDX-License-Identifier: BSD-3-Clause
// Whether a number is finite, from its bits: under -ffast-math compilers assume std::isfinite to be
// true, and divergence would go unnoticed.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A number's bits without the sign bit.
template <class T>
[[nodiscard]] constexpr auto magnitude_bits(T number) noexcept {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  Bits bits = std::bit_cast<Bits>(number);
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
  // clang recognises a finiteness test of these bits and removes it; the empty asm hides their
  // origin.
  if (!std::is_constant_evaluated()) asm("" : "+r"(bits));
#endif
  return static_cast<Bits>(bits & static_cast<Bits>(~Bits{0} >> 1));
}

/// The bits of infinity: all bits of the exponent, and no others.
template <class T>
inline constexpr auto infinity_bits = [] {
  if constexpr (std::is_same_v<T, float>) {
    return std::uint32_t{0x7f80'0000};
  } else {
    return std::uint64_t{0x7ff0'0000'0000'0000};
  }
}();

/// An upper bound that does not bind. Under -ffinite-math-only, clang turns numbers that are
/// compared with infinity into zeros; the bound is then the largest finite number.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
template <class T>
inline constexpr T unbounded = std::numeric_limits<T>::max();
#else
template <class T>
inline constexpr T unbounded = std::numeric_limits<T>::infinity();
#endif

/// Neither infinite nor NaN; correct with every compiler option.
template <class T>
[[nodiscard]] constexpr bool is_finite(T number) noexcept {
  return magnitude_bits(number) < infinity_bits<T>;
}

/// NaN; correct with every compiler option.
template <class T>
[[nodiscard]] constexpr bool is_nan(T number) noexcept {
  return magnitude_bits(number) > infinity_bits<T>;
}

}  // namespace prism::inline PRISM_ISA::detail
