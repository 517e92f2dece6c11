// SPDX-License-Identifier: BSD-3-Clause
// Functions of one score that cannot overflow.
#pragma once

#include <algorithm>
#include <cmath>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// log(1 + exp(x))
template <class T>
[[nodiscard]] inline T softplus(T x) noexcept {
  return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}

/// 1 / (1 + exp(-x))
template <class T>
[[nodiscard]] inline T sigmoid(T x) noexcept {
  const T small = std::exp(-std::abs(x));
  return (x >= 0 ? T{1} : small) / (T{1} + small);
}

/// Both at the cost of one exponential: sigmoid is softplus's derivative.
template <class T>
struct SoftplusWithSlope {
  T value, slope;

  explicit SoftplusWithSlope(T x) noexcept {
    const T small = std::exp(-std::abs(x));
    value = std::max(x, T{0}) + std::log1p(small);
    slope = (x >= 0 ? T{1} : small) / (T{1} + small);
  }
};

}  // namespace prism::inline PRISM_ISA
