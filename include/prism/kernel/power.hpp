// SPDX-License-Identifier: BSD-3-Clause
// Powers, and exponential and logarithm near 1, of single numbers; see kernel/elementary.hpp.
#pragma once

#include <concepts>

#include "prism/core/config.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"

namespace prism::inline PRISM_ISA::elementary {

namespace detail {

template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T opaque(T x) noexcept {
  using P = Pack<T, isa::scalar>;
  return PackBits<P>::opaque(P{x}).value;
}

}  // namespace detail

/// x^y for x >= 0 and finite y, within 3 + 4 |y log x| ulp: the error of exp's argument.
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T pow(T x, T y) noexcept {
  return y == 0 ? T{1} : exp(y * log(x));
}

/// log(1 + x) for finite x > -1, within 4 ulp.
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T log1p(T x) noexcept {
  // Near 1 the logarithm is nearly proportional to u - 1, which allows correcting for the rounding
  // of u. Goldberg: "What every computer scientist should know about floating-point arithmetic",
  // ACM Computing Surveys 1991, theorem 4.
  const T u = detail::opaque(T{1} + x);
  return u == T{1} ? x : log(u) * (x / (u - T{1}));
}

/// e^x - 1, within 5 ulp.
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T expm1(T x) noexcept {
  const T u = detail::opaque(exp(x)), difference = detail::opaque(u - T{1});
  if (u == T{1}) return x;
  // Kahan's counterpart of the above; far from 1 there is nothing to correct.
  return difference < T(-0.9) || difference > T{1} ? difference : difference * (x / log(u));
}

/// 1 - x^y for x in [0, 1) and finite y > 0, within 9 ulp, also where x^y is nearly 1.
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T one_minus_pow(T x, T y) noexcept {
  return -expm1(y * log(x));
}

}  // namespace prism::inline PRISM_ISA::elementary
