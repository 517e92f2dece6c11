// SPDX-License-Identifier: BSD-3-Clause
// Whether a number is finite, read from its bits: under -ffast-math compilers take std::isfinite
// for always true, and a training that diverges would go unnoticed.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {
namespace detail {

/// A number's bits without its sign.
template <class T>
[[nodiscard]] constexpr auto magnitude_bits(T number) noexcept {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  Bits bits = std::bit_cast<Bits>(number);
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
  // clang knows a test of these bits for what it is; it must not know where they come from.
  if (!std::is_constant_evaluated()) asm("" : "+r"(bits));
#endif
  return static_cast<Bits>(bits & static_cast<Bits>(~Bits{0} >> 1));
}

/// The same of infinity: every bit of the exponent, and no other.
template <class T>
inline constexpr auto infinity_bits = [] {
  if constexpr (std::is_same_v<T, float>) {
    return std::uint32_t{0x7f80'0000};
  } else {
    return std::uint64_t{0x7ff0'0000'0000'0000};
  }
}();

}  // namespace detail

/// As an upper bound, that there is none. Where compilers take every number for finite, clang makes
/// zeros of what is compared with infinity, so that the bound is the greatest number there.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
template <class T>
inline constexpr T unbounded = std::numeric_limits<T>::max();
#else
template <class T>
inline constexpr T unbounded = std::numeric_limits<T>::infinity();
#endif

/// Neither infinite nor not a number; with every compiler option.
template <class T>
[[nodiscard]] constexpr bool is_finite(T number) noexcept {
  return detail::magnitude_bits(number) < detail::infinity_bits<T>;
}

/// Not a number; with every compiler option.
template <class T>
[[nodiscard]] constexpr bool is_nan(T number) noexcept {
  return detail::magnitude_bits(number) > detail::infinity_bits<T>;
}

}  // namespace prism::inline PRISM_ISA
