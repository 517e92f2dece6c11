// SPDX-License-Identifier: BSD-3-Clause
// Functions of one score, without overflow.
#pragma once

#include <algorithm>
#include <cmath>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// log(1 + exp(x))
template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T softplus(T x) noexcept {
  return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}

/// 1 / (1 + exp(-x))
template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T sigmoid(T x) noexcept {
  const T exponential = std::exp(-std::abs(x));
  return (x >= 0 ? T{1} : exponential) / (T{1} + exponential);
}

/// Both for the cost of one exponential: the derivative of softplus is sigmoid.
template <class T>
struct SoftplusWithDerivative {
  T value, derivative;

  PRISM_HOST_DEVICE explicit SoftplusWithDerivative(T x) noexcept {
    const T exponential = std::exp(-std::abs(x));
    value = std::max(x, T{0}) + std::log1p(exponential);
    derivative = (x >= 0 ? T{1} : exponential) / (T{1} + exponential);
  }
};

}  // namespace prism::inline PRISM_ISA
