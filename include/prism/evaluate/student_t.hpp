// SPDX-License-Identifier: BSD-3-Clause
// Student's t distribution.
#pragma once

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Gamma(a + 1/2) / Gamma(a), for a > 0.
[[nodiscard]] PRISM_INLINE double half_step_of_gamma(double a);

/// The regularised incomplete beta function I_x(a, b), divided by x^a y^b / B(a, b), for
/// lambda >= 0: a continued fraction that takes at most some hundred steps. DiDonato, Morris:
/// "Algorithm 708: Significant digit computation of the incomplete beta function ratios", ACM TOMS
/// 1992, equation 9.
/// @param y       1 - x
/// @param lambda  (a + b) y - b, which for large a or b would cancel
[[nodiscard]] PRISM_INLINE double beta_fraction(double a, double b, double x, double y,
                                                double lambda);

/// The probability that the absolute value of a t-distributed number is at least |t|, with a
/// relative error below 1e-12.
/// @param freedom  degrees of freedom, at least 1
[[nodiscard]] PRISM_INLINE double two_sided_t_probability(double t, double freedom);

/// The t that is exceeded in absolute value with this probability.
/// @param probability  in (0, 1)
[[nodiscard]] PRISM_INLINE double two_sided_t_quantile(double probability, double freedom);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/evaluate/student_t.inl.hpp"
#endif
