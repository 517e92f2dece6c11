// SPDX-License-Identifier: BSD-3-Clause
// Normally distributed numbers whose bits do not depend on the C library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "prism/core/config.hpp"
#include "prism/core/random.hpp"
#include "prism/kernel/angles.hpp"
#include "prism/kernel/elementary.hpp"

namespace prism::inline PRISM_ISA {

/// The standard normal number of a position (Box-Muller).
[[nodiscard]] inline double standard_normal(const Random& random, std::uint64_t position) noexcept {
  const std::uint64_t bits = random.bits(position);
  const double u = (static_cast<double>(bits & 0xFFFF'FFFF) + 1.0) * 0x1p-32;  // in (0, 1]
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(bits >> 32) * 0x1p-32;
  return std::sqrt(-2.0 * elementary::log(u)) * elementary::cos(angle);
}

}  // namespace prism::inline PRISM_ISA
