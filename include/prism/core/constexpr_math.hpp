// SPDX-License-Identifier: BSD-3-Clause
// Square root and logarithm in constant expressions, which the C++20 standard library lacks.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The square root of x >= 0; in a constant expression within one unit in the last place.
[[nodiscard]] constexpr double square_root(double x) noexcept {
  if (!std::is_constant_evaluated()) return std::sqrt(x);
  if (x == 0 || x == std::numeric_limits<double>::infinity()) return x;
  // Newton's iteration from above decreases until rounding stops it.
  double root = x > 1 ? x : 1;
  for (double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) root = next;
  return root;
}

/// The natural logarithm of a finite x > 0; in a constant expression within a few units in the last
/// place.
[[nodiscard]] constexpr double natural_log(double x) noexcept {
  if (!std::is_constant_evaluated()) return std::log(x);
  int power = 0;
  for (; x > std::numbers::sqrt2; x /= 2) ++power;
  for (; x < std::numbers::sqrt2 / 2; x *= 2) --power;
  // log x = 2 atanh((x - 1) / (x + 1)), where the argument is below 0.18.
  const double z = (x - 1) / (x + 1);
  double sum = 0;
  double odd_power = z;
  for (int k = 1; k < 27; k += 2, odd_power *= z * z) sum += odd_power / k;
  return 2 * sum + power * std::numbers::ln2;
}

}  // namespace prism::inline PRISM_ISA::detail
