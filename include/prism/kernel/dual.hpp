// SPDX-License-Identifier: BSD-3-Clause
// Dual numbers: a value with its derivatives, for losses that state a formula without its
// derivative. Forward-mode differentiation. Griewank, Walther: "Evaluating derivatives", 2008.
#pragma once

#include <array>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/elementary.hpp"

namespace prism::inline PRISM_ISA {

/// A number and its derivatives with respect to N variables. Numbers convert to constants, whose
/// derivatives are 0. Where a function has no derivative, as max where both are equal, it is that
/// of the first argument. max and min of NaN are NaN, so that a loss shows it.
template <class T, std::size_t N = 1>
struct Dual {
  T value = 0;
  std::array<T, N> derivatives{};

  constexpr Dual() = default;
  PRISM_HOST_DEVICE constexpr Dual(double constant) noexcept : value(static_cast<T>(constant)) {}
  /// Variable k.
  PRISM_HOST_DEVICE static constexpr Dual variable(T value, std::size_t k = 0) noexcept {
    Dual result;
    result.value = value;
    result.derivatives[k] = T{1};
    return result;
  }
  /// f(x), from its value and f'(x).
  PRISM_HOST_DEVICE constexpr Dual chain(T f, T slope) const noexcept {
    Dual result;
    result.value = f;
    for (std::size_t k = 0; k < N; ++k) result.derivatives[k] = slope * derivatives[k];
    return result;
  }

  PRISM_HOST_DEVICE friend constexpr Dual operator+(const Dual& a, const Dual& b) noexcept {
    return combine(a, b, a.value + b.value, T{1}, T{1});
  }
  PRISM_HOST_DEVICE friend constexpr Dual operator-(const Dual& a, const Dual& b) noexcept {
    return combine(a, b, a.value - b.value, T{1}, T{-1});
  }
  PRISM_HOST_DEVICE friend constexpr Dual operator*(const Dual& a, const Dual& b) noexcept {
    return combine(a, b, a.value * b.value, b.value, a.value);
  }
  PRISM_HOST_DEVICE friend constexpr Dual operator/(const Dual& a, const Dual& b) noexcept {
    return combine(a, b, a.value / b.value, 1 / b.value, -a.value / (b.value * b.value));
  }
  PRISM_HOST_DEVICE constexpr Dual operator-() const noexcept { return chain(-value, T{-1}); }

  PRISM_HOST_DEVICE friend constexpr bool operator<(const Dual& a, const Dual& b) noexcept {
    return a.value < b.value;
  }
  PRISM_HOST_DEVICE friend constexpr bool operator>(const Dual& a, const Dual& b) noexcept {
    return b < a;
  }
  PRISM_HOST_DEVICE friend constexpr bool operator<=(const Dual& a, const Dual& b) noexcept {
    return a.value <= b.value;
  }
  PRISM_HOST_DEVICE friend constexpr bool operator>=(const Dual& a, const Dual& b) noexcept {
    return b <= a;
  }

  PRISM_HOST_DEVICE friend constexpr Dual max(const Dual& a, const Dual& b) noexcept {
    return a.value < b.value || detail::is_nan(b.value) ? b : a;
  }
  PRISM_HOST_DEVICE friend constexpr Dual min(const Dual& a, const Dual& b) noexcept {
    return b.value < a.value || detail::is_nan(b.value) ? b : a;
  }
  PRISM_HOST_DEVICE friend constexpr Dual abs(const Dual& x) noexcept {
    return x.value < 0 ? -x : x;
  }
  PRISM_HOST_DEVICE friend Dual exp(const Dual& x) noexcept {
    const T e = elementary::exp(x.value);
    return x.chain(e, e);
  }
  PRISM_HOST_DEVICE friend Dual log(const Dual& x) noexcept {
    return x.chain(elementary::log(x.value), 1 / x.value);
  }
  PRISM_HOST_DEVICE friend Dual sqrt(const Dual& x) noexcept {
    const T root = sqrt(Pack<T, isa::scalar>{x.value}).value;
    return x.chain(root, T(0.5) / root);
  }
  PRISM_HOST_DEVICE friend Dual sigmoid(const Dual& x) noexcept {
    const Pack<T, isa::scalar> number{x.value};
    return x.chain(sigmoid(number).value, sigmoid_derivative(number).value);
  }
  PRISM_HOST_DEVICE friend Dual softplus(const Dual& x) noexcept {
    const SoftplusAndSigmoid<Pack<T, isa::scalar>> both({x.value});
    return x.chain(both.softplus.value, both.sigmoid.value);
  }
  /// 2 sigmoid(2 x) - 1
  PRISM_HOST_DEVICE friend Dual tanh(const Dual& x) noexcept {
    const Pack<T, isa::scalar> twice{2 * x.value};
    return x.chain(2 * sigmoid(twice).value - 1, 4 * sigmoid_derivative(twice).value);
  }

 private:
  /// f(a, b), from its value and its partial derivatives.
  PRISM_HOST_DEVICE static constexpr Dual combine(const Dual& a, const Dual& b, T f, T by_a,
                                                  T by_b) noexcept {
    Dual result;
    result.value = f;
    for (std::size_t k = 0; k < N; ++k) {
      result.derivatives[k] = by_a * a.derivatives[k] + by_b * b.derivatives[k];
    }
    return result;
  }
};

}  // namespace prism::inline PRISM_ISA
