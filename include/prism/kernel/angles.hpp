// SPDX-License-Identifier: BSD-3-Clause
// Sine, cosine, arc tangent and arc cosine of packs and single numbers; see kernel/elementary.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// pi/2 rounded, and the remainder
template <class T>
inline constexpr T half_pi_high = static_cast<T>(1.57079632679489661923);
template <class T>
inline constexpr T half_pi_low =
    std::is_same_v<T, float> ? T(-4.37113900018624283e-8) : T(6.12323399573676603587e-17);

/// -x where `sign` is negative, else x
template <class P>
[[nodiscard]] PRISM_HOST_DEVICE inline P with_sign_of(P sign, P x) noexcept {
  const P zero = P::broadcast(0);
  return PackBits<P>::where_less(sign, zero, zero - x, x);
}

/// asin(s) for s in [0, 1/2] or its negative, z = s^2
template <class P>
[[nodiscard]] PRISM_HOST_DEVICE inline P arc_sine(P s, P z) noexcept {
  P series;
  if constexpr (std::is_same_v<pack_number_t<P>, float>) {
    series = polynomial(z, 0x1.5555cap-3F, 0x1.33014ep-4F, 0x1.748c5ep-5F, 0x1.8ba2acp-6F,
                        0x1.59da7ap-5F);
  } else {
    series = polynomial(z, 0x1.5555555555387p-3, 0x1.333333336f8c9p-4, 0x1.6db6db41d2151p-5,
                        0x1.f1c72c6db401fp-6, 0x1.6e89ef734a90ap-6, 0x1.1c6c28011cd56p-6,
                        0x1.c6f87a77026aap-7, 0x1.8ee4b2845370fp-7, 0x1.aab38513150bbp-8,
                        0x1.40b1d95f28cc5p-6, -0x1.0af49d012cd68p-6, 0x1.05ce3ab1b9284p-5);
  }
  return fused_multiply_add(s * z, series, s);
}

}  // namespace detail

/// The angle in (-pi/2, pi/2) whose tangent is x, within 2 ulp.
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P atan(P x) noexcept {
  using T = pack_number_t<P>;
  using Bits = PackBits<P>;
  const P zero = P::broadcast(0), one = P::broadcast(1);
  const P a = detail::abs(x);
  // The tangents of 3 pi/8 and pi/8: atan(a) = pi/2 - atan(1/a) = pi/4 + atan((a - 1) / (a + 1)).
  const P upper = P::broadcast(T(2.41421356237309504880)),
          lower = P::broadcast(T(0.41421356237309504880));
  const auto choose = [&](P large, P middle, P small) {
    return Bits::where_less(upper, a, large, Bits::where_less(lower, a, middle, small));
  };
  const P y = choose(zero - one, a - one, a) / choose(a, a + one, one);
  const P z = y * y;
  P series;
  if constexpr (std::is_same_v<T, float>) {
    series = detail::polynomial(z, -0x1.55554ap-2F, 0x1.9991aep-3F, -0x1.23b6b8p-3F, 0x1.b20206p-4F,
                                -0x1.f2557cp-5F);
  } else {
    series = detail::polynomial(z, -0x1.555555555553dp-2, 0x1.99999999958e8p-3,
                                -0x1.24924922b10e8p-3, 0x1.c71c70e79be36p-4, -0x1.745cf90a70d34p-4,
                                0x1.3b111c597dbb1p-4, -0x1.10ebdd2772349p-4, 0x1.df1161098991ap-5,
                                -0x1.9cdc0ad730b04p-5, 0x1.37ecfb51feb41p-5, -0x1.259cb64d4f51ap-6);
  }
  const P high = P::broadcast(detail::half_pi_high<T>), low = P::broadcast(detail::half_pi_low<T>);
  const P half = P::broadcast(T(0.5));
  const P tail = fused_multiply_add(z * y, series, choose(low, half * low, zero));
  const P angle = choose(high, half * high, zero) + (y + tail);
  return detail::with_sign_of(x, angle);
}

/// The angle in [0, pi] whose cosine is x, within 2 ulp; NaN unless -1 <= x <= 1.
template <AnyPack P>
[[nodiscard]] PRISM_HOST_DEVICE inline P acos(P x) noexcept {
  using T = pack_number_t<P>;
  using Bits = PackBits<P>;
  const P zero = P::broadcast(0), half = P::broadcast(T(0.5)), two = P::broadcast(2);
  const P a = detail::abs(x);
  // acos(a) = 2 asin(sqrt((1 - a) / 2)), where a is above 1/2.
  const P z = Bits::where_less(half, a, fused_multiply_add(a, zero - half, half), a * a);
  const P s = Bits::where_less(half, a, sqrt(z), a);
  const P arc = detail::arc_sine(s, z);
  const P high = P::broadcast(detail::half_pi_high<T>), low = P::broadcast(detail::half_pi_low<T>);
  const P signed_arc = detail::with_sign_of(x, arc);
  const P near_zero = high - (signed_arc - low);
  const P near_one = two * arc;
  const P near_minus_one = two * (high - (arc - low));
  return Bits::where_less(half, a, Bits::where_less(x, zero, near_minus_one, near_one), near_zero);
}

/// Sine and cosine of |x| <= 8192 (float) or 1e6 (double): each within 2.5 ulp, or within 2^-32
/// (float) or 2^-64 (double) where it is nearly 0.
template <AnyPack P>
struct SineAndCosine {
  P sine, cosine;

  PRISM_HOST_DEVICE explicit SineAndCosine(P x) noexcept {
    using T = pack_number_t<P>;
    using Bits = PackBits<P>;
    constexpr bool single = std::is_same_v<T, float>;
    const P zero = P::broadcast(0), one = P::broadcast(1);
    const auto rounded = [](P a, T factor) {
      const P constant = P::broadcast(detail::rounding_constant<T>);
      return Bits::opaque(fused_multiply_add(a, P::broadcast(factor), constant)) - constant;
    };
    // x = n pi/2 + r; pi/2 is a sum of three numbers, two of which have short products with n.
    const P n = rounded(x, static_cast<T>(0.63661977236758134308));
    P r =
        fused_multiply_add(n, P::broadcast(single ? T(-1.5703125) : T(-1.57079632673412561417)), x);
    r = fused_multiply_add(
        n, P::broadcast(single ? T(-4.837512969970703125e-4) : T(-6.07710050630396597660e-11)), r);
    r = fused_multiply_add(
        n, P::broadcast(single ? T(-7.54978995489188216e-8) : T(-2.02226624879595063154e-21)), r);
    const P z = r * r;
    P sine_series, cosine_series;
    if constexpr (single) {
      sine_series = detail::polynomial(z, -0x1.555546p-3F, 0x1.110756p-7F, -0x1.994b38p-13F);
      cosine_series = detail::polynomial(z, 0x1.55554ap-5F, -0x1.6c0c82p-10F, 0x1.99ff34p-16F);
    } else {
      sine_series =
          detail::polynomial(z, -0x1.5555555555549p-3, 0x1.111111110f841p-7, -0x1.a01a019c0a19cp-13,
                             0x1.71de3570f232cp-19, -0x1.ae5e60bcca354p-26, 0x1.5d915c0a204dep-33);
      cosine_series =
          detail::polynomial(z, 0x1.555555555554cp-5, -0x1.6c16c16c1513fp-10, 0x1.a01a019cab5e0p-16,
                             -0x1.27e4f805255afp-22, 0x1.1ee9e887d3e8fp-29, -0x1.8faccd1cc2170p-37);
    }
    const P sine_of_r = fused_multiply_add(z * r, sine_series, r);
    const P cosine_of_r =
        fused_multiply_add(z * z, cosine_series, fused_multiply_add(z, P::broadcast(T(-0.5)), one));
    // n modulo 4, from -2 to 2
    const P quarter = fused_multiply_add(rounded(n, T(0.25)), P::broadcast(-4), n);
    const P distance = detail::abs(quarter);
    const P half = P::broadcast(T(0.5)), near_two = P::broadcast(T(1.5));
    const auto swapped = [&](P even, P odd) {
      return Bits::where_less(distance, half, even,
                              Bits::where_less(near_two, distance, even, odd));
    };
    const P s = swapped(sine_of_r, cosine_of_r), c = swapped(cosine_of_r, sine_of_r);
    // The sine is negative for -1 and +-2, the cosine for 1 and +-2.
    sine = Bits::where_less(near_two, distance, zero - s, detail::with_sign_of(quarter, s));
    cosine = Bits::where_less(
        half, distance,
        Bits::where_less(near_two, distance, zero - c, detail::with_sign_of(zero - quarter, c)), c);
  }
};

namespace elementary {

template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T atan(T x) noexcept {
  return prism::atan(Pack<T, isa::scalar>{x}).value;
}
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T acos(T x) noexcept {
  return prism::acos(Pack<T, isa::scalar>{x}).value;
}
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T sin(T x) noexcept {
  return SineAndCosine(Pack<T, isa::scalar>{x}).sine.value;
}
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T cos(T x) noexcept {
  return SineAndCosine(Pack<T, isa::scalar>{x}).cosine.value;
}

}  // namespace elementary

}  // namespace prism::inline PRISM_ISA
