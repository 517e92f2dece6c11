// SPDX-License-Identifier: BSD-3-Clause
// Functions of one score, without overflow.
#pragma once

#include <concepts>

#include "prism/core/config.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// log(1 + exp(x))
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T softplus(T x) noexcept {
  return softplus(Pack<T, isa::scalar>{x}).value;
}

/// 1 / (1 + exp(-x))
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T sigmoid(T x) noexcept {
  return sigmoid(Pack<T, isa::scalar>{x}).value;
}

/// sigmoid(x) sigmoid(-x)
template <std::floating_point T>
[[nodiscard]] PRISM_HOST_DEVICE inline T sigmoid_derivative(T x) noexcept {
  return sigmoid_derivative(Pack<T, isa::scalar>{x}).value;
}

/// Softplus and its derivative, the sigmoid, for the cost of one exponential.
template <class T>
struct SoftplusWithDerivative {
  T value, derivative;

  PRISM_HOST_DEVICE explicit SoftplusWithDerivative(T x) noexcept {
    const SoftplusAndSigmoid both(Pack<T, isa::scalar>{x});
    value = both.softplus.value;
    derivative = both.sigmoid.value;
  }
};

}  // namespace prism::inline PRISM_ISA
