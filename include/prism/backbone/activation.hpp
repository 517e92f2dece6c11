// SPDX-License-Identifier: BSD-3-Clause
// What stands between the layers of a tower.
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

// struct MyActivation {
//   static constexpr std::string_view name = "MyActivation";
//   template <class T> T apply(T x) const;
//   // Its derivative, from what apply returned.
//   template <class T> T derivative(T y) const;
// };

template <class A>
concept ActivationPolicy = std::copyable<A> && requires(const A& activation, double x) {
  { A::name } -> std::convertible_to<std::string_view>;
  { activation.apply(x) } -> std::same_as<double>;
  { activation.derivative(x) } -> std::same_as<double>;
};

/// max(x, 0)
struct ReLU {
  static constexpr std::string_view name = "ReLU";
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return std::max(x, T{0});
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T y) const noexcept {
    return y > 0 ? T{1} : T{0};
  }
};

/// x: the tower stays linear, as in the code that the paper released.
struct Identity {
  static constexpr std::string_view name = "Identity";
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return x;
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T /*y*/) const noexcept {
    return T{1};
  }
};

}  // namespace prism::inline PRISM_ISA
