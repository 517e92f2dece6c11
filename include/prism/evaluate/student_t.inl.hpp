// SPDX-License-Identifier: BSD-3-Clause
// Functions that student_t.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>

#include "prism/core/config.hpp"
#include "prism/evaluate/student_t.hpp"
#include "prism/kernel/power.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE double half_step_of_gamma(double a) {
  // Gamma(a + 1) = a Gamma(a) leads to where the asymptotic series has an error below 1e-16.
  double factor = 1;
  for (; a < 40; ++a) factor *= a / (a + 0.5);
  const double r = 1 / a, square = r * r;
  const double series =
      r * (-1.0 / 8 + square * (1.0 / 192 + square * (-1.0 / 640 + square * 17.0 / 14336)));
  return factor * std::sqrt(a) * elementary::exp(series);
}

PRISM_INLINE double beta_fraction(double a, double b, double x, double y, double lambda) {
  const double c = 1 + lambda, c0 = b / a, c1 = 1 + 1 / a;
  double p = 1, s = a + 1, result = c1 / c;
  // Numerator and denominator of two successive approximants, scaled to a last denominator of 1.
  double numerator_before = 0, denominator_before = c1 / c, numerator = result;
  for (double n = 1; n < 10000; ++n) {
    const double t = n / a, w = n * (b - n) * x, q = a / s;
    const double alpha = p * (p + c0) * q * q * (w * x);
    const double beta = n + w / s + (t + 1) / (c1 + t + t) * (c + n * (y + 1));
    p = t + 1;
    s += 2;
    const double next_numerator = alpha * numerator_before + beta * numerator;
    const double next_denominator = alpha * denominator_before + beta;
    const double before = result;
    result = next_numerator / next_denominator;
    if (std::abs(result - before) <= 1e-16 * result) break;
    numerator_before = numerator / next_denominator;
    denominator_before = 1 / next_denominator;
    numerator = result;
  }
  return result;
}

PRISM_INLINE double two_sided_t_probability(double t, double freedom) {
  t = std::min(std::abs(t), 1e100);
  if (t == 0) return 1;
  // I_x(freedom / 2, 1/2) with x = freedom / (freedom + t^2)
  const double a = freedom / 2, ratio = t * t / freedom;
  const double x = 1 / (1 + ratio), rest = ratio / (1 + ratio);
  constexpr double one_over_sqrt_pi = 0.56418958354775628695;
  const double front = elementary::exp(-a * elementary::log1p(ratio)) * std::sqrt(rest) *
                       half_step_of_gamma(a) * one_over_sqrt_pi;
  const double lambda = (a + 0.5) * rest - 0.5;
  if (lambda >= 0) return front * beta_fraction(a, 0.5, x, rest, lambda);
  return 1 - front * beta_fraction(0.5, a, rest, x, -lambda);
}

PRISM_INLINE double two_sided_t_quantile(double probability, double freedom) {
  double low = 0, high = 1;
  while (two_sided_t_probability(high, freedom) > probability && high < 1e100) {
    low = high;
    high *= 2;
  }
  for (int halving = 0; halving < 200; ++halving) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (two_sided_t_probability(middle, freedom) > probability ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
