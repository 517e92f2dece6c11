// SPDX-License-Identifier: BSD-3-Clause
// Exponential, logarithm and functions built on them, for packs and single numbers. They consist of
// additions, multiplications and fused multiply-adds in a fixed order, so they are bit-identical on
// every instruction set with fused multiply-add, if the compiler fuses no other operations
// (-ffp-contract=off). kernel/angles.hpp has the trigonometric functions.
//
// Arguments are reduced as in Cody, Waite: "Software manual for the elementary functions", 1980;
// the polynomials are minimax. Errors, in units in the last place (ulp), are the largest that
// tests/kernel/elementary_test.cpp allows. They are larger by about one where multiply-adds are not
// fused.
//
// If an instruction set's Pack has a friend function of the same name, that is used instead.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// c0 + c1 x + c2 x^2 + ...
template <class P, class T, class... Others>
[[nodiscard]] PRISM_HOST_DEVICE inline P polynomial(P x, T c0, Others... others) noexcept {
  if constexpr (sizeof...(others) == 0) {
    return P::broadcast(c0);
  } else {
    return fused_multiply_add(polynomial(x, others...), x, P::broadcast(c0));
  }
}

// log 2, as the sum of a number with few bits, whose products with exponents are exact, and the
// rest
template <class T>
inline constexpr T ln2_high = static_cast<T>(0.693359375);
template <>
inline constexpr double ln2_high<double> = 6.93147180369123816490e-01;
template <class T>
inline constexpr T ln2_low = static_cast<T>(-2.12194440054690583e-4);
template <>
inline constexpr double ln2_low<double> = 1.90821492927058770002e-10;

/// 1.5 * 2^mantissa_bits: its sum with a smaller number is rounded to an integer.
template <class T>
inline constexpr T rounding_constant =
    static_cast<T>(typename NumberLayout<T>::Bits{3} << (NumberLayout<T>::mantissa_bits - 1));

/// |x|
template <class P>
[[nodiscard]] PRISM_HOST_DEVICE inline P abs(P x) noexcept {
  return max(x, P::broadcast(0) - x);
}

/// log(1 + f) + high + low, for f in [sqrt(1/2) - 1, sqrt(2) - 1]
template <class P>
[[nodiscard]] PRISM_HOST_DEVICE inline P log_near_one(P f, P high, P low) noexcept {
  using T = pack_number_t<P>;
  P series;
  if constexpr (std::is_same_v<T, float>) {
    series = polynomial(f, 0x1.555554p-2F, -0x1.000228p-2F, 0x1.99a008p-3F, -0x1.547222p-3F,
                        0x1.22da0cp-3F, -0x1.0d869ap-3F, 0x1.055c9ap-3F, -0x1.38b142p-4F);
    const P square = f * f;
    const P tail = fused_multiply_add(P::broadcast(T(-0.5)), square, series * (square * f));
    return high + (f + (tail + low));
  } else {
    // In s = f / (2 + f) the series has only even powers and half as many coefficients.
    const P s = f / (f + P::broadcast(2));
    const P z = s * s;
    series = polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd6ep-2, 0x1.24924941f55f4p-2,
                        0x1.c71c5205c2244p-3, 0x1.74663faed7816p-3, 0x1.39a1a5cf2466cp-3,
                        0x1.2f063f36e5e42p-3);
    const P half_square = P::broadcast(T(0.5)) * f * f;
    const P tail = fused_multiply_add(s, fused_multiply_add(z, series, half_square), low);
    return high + (f - (half_square - tail));
  }
}

}  // namespace detail

/// e^x, within 1.1 ulp. Beyond the largest number it is infinite; below 1.42 times the smallest
/// normal number it is 0.
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P exp(P x) noexcept {
  using T = pack_number_t<P>;
  using Bits = PackBits<P>;
  constexpr bool single = std::is_same_v<T, float>;
  constexpr int bias = detail::NumberLayout<T>::bias;
  // From -126 log 2 or -1022 log 2, where the factor below is 0, to where the result is infinite.
  const P bounded = clamp(x, P::broadcast(single ? T(-87.336544) : T(-708.39641853226410622)),
                          P::broadcast(single ? T(89) : T(710)));
  // x = n log 2 + r; the constant's lowest bits turn n into the exponent of 2^(n - 1).
  const P constant = P::broadcast(detail::rounding_constant<T> + T(bias - 1));
  const P shifted = Bits::opaque(
      fused_multiply_add(bounded, P::broadcast(static_cast<T>(1.44269504088896340736)), constant));
  const P n = shifted - constant;
  P r = fused_multiply_add(n, P::broadcast(-detail::ln2_high<T>), bounded);
  r = fused_multiply_add(n, P::broadcast(-detail::ln2_low<T>), r);
  P series;
  if constexpr (single) {
    series = detail::polynomial(r, 0x1.fffffcp-2F, 0x1.555492p-3F, 0x1.5558f2p-5F, 0x1.1239e6p-7F,
                                0x1.6a2422p-10F);
  } else {
    series = detail::polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550877p-5,
                                0x1.1111111127be1p-7, 0x1.6c16c1842b15ep-10, 0x1.a01a012a5ca19p-13,
                                0x1.a0199a09f3ca1p-16, 0x1.71df2541e9cadp-19, 0x1.28ad74d8131fap-22,
                                0x1.ad7f8eecef087p-26);
  }
  const P more_than_one = fused_multiply_add(r * r, series, r);
  const P two = P::broadcast(2);
  const P twice = fused_multiply_add(more_than_one, two, two);
  return twice * Bits::mantissa_as_exponent(shifted);
}

/// log x, within 1.5 ulp; -infinity for 0, NaN for negative numbers.
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P log(P x) noexcept {
  using T = pack_number_t<P>;
  using Bits = PackBits<P>;
  constexpr T infinity = detail::unbounded<T>;
  constexpr int mantissa_bits = detail::NumberLayout<T>::mantissa_bits;
  const P zero = P::broadcast(0), smallest = P::broadcast(std::numeric_limits<T>::min());
  // Denormal numbers have their exponent in the mantissa.
  const P scaled = Bits::where_less(
      x, smallest, x * P::broadcast(static_cast<T>(std::uint64_t{1} << mantissa_bits)), x);
  const auto [mantissa, exponent] = Bits::split(scaled);
  const P e = exponent - Bits::where_less(x, smallest, P::broadcast(T(mantissa_bits)), zero);
  const P result =
      detail::log_near_one(mantissa - P::broadcast(1), e * P::broadcast(detail::ln2_high<T>),
                           e * P::broadcast(detail::ln2_low<T>));
  const P negative = Bits::where_less(x, zero, P::broadcast(std::numeric_limits<T>::quiet_NaN()),
                                      P::broadcast(-infinity));
  const P finite = Bits::where_less(zero, x, result, negative);
  return Bits::where_less(x, P::broadcast(infinity), finite, x + x);  // NaN is not less
}

/// 1 / (1 + e^-x), within 2.5 ulp; 0 where exp(x) is 0 (see exp).
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P sigmoid(P x) noexcept {
  const P zero = P::broadcast(0), one = P::broadcast(1);
  const P exponential = exp(zero - detail::abs(x));
  return PackBits<P>::where_less(x, zero, exponential, one) / (one + exponential);
}

/// The derivative of sigmoid, sigmoid(x) sigmoid(-x), within 4.5 ulp: 1 - sigmoid(x) would cancel.
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P sigmoid_derivative(P x) noexcept {
  const P exponential = exp(P::broadcast(0) - detail::abs(x));
  const P denominator = P::broadcast(1) + exponential;
  return exponential / (denominator * denominator);
}

namespace detail {

/// log(1 + t) for t in [0, 1]
template <class P>
[[nodiscard]] PRISM_HOST_DEVICE inline P log1p(P t) noexcept {
  using T = pack_number_t<P>;
  using Bits = PackBits<P>;
  const P zero = P::broadcast(0), bound = P::broadcast(static_cast<T>(0.41421356237309504880));
  // (1 + t) / 2 - 1, where 1 + t is above sqrt(2)
  const P halved = fused_multiply_add(t, P::broadcast(T(0.5)), P::broadcast(T(-0.5)));
  return log_near_one(Bits::where_less(t, bound, t, halved),
                      Bits::where_less(t, bound, zero, P::broadcast(ln2_high<T>)),
                      Bits::where_less(t, bound, zero, P::broadcast(ln2_low<T>)));
}

}  // namespace detail

/// Softplus and its derivative, the sigmoid, for the cost of one exponential.
template <AnyPack P>
struct SoftplusAndSigmoid {
  P softplus, sigmoid;

  PRISM_HOST_DEVICE explicit SoftplusAndSigmoid(P x) noexcept {
    const P zero = P::broadcast(0), one = P::broadcast(1);
    const P exponential = exp(zero - detail::abs(x));
    softplus = max(x, zero) + detail::log1p(exponential);
    sigmoid = PackBits<P>::where_less(x, zero, exponential, one) / (one + exponential);
  }
};

/// log(1 + e^x), within 2 ulp; 0 where exp(x) is 0 (see exp).
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P softplus(P x) noexcept {
  const P zero = P::broadcast(0);
  return max(x, zero) + detail::log1p(exp(zero - detail::abs(x)));
}

/// The functions above for single numbers, float or double, bit-identical to those of packs.
namespace elementary {

template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T exp(T x) noexcept {
  return prism::exp(Pack<T, isa::scalar>{x}).value;
}
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T log(T x) noexcept {
  return prism::log(Pack<T, isa::scalar>{x}).value;
}

}  // namespace elementary

}  // namespace prism::inline PRISM_ISA
