// SPDX-License-Identifier: BSD-3-Clause
// What stands between the layers of a tower.
#pragma once

#include <algorithm>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

// struct MyActivation {
//   static constexpr std::string_view name = "MyActivation";
//   template <class T> static T apply(T x);
//   // Its derivative, from what apply returned.
//   template <class T> static T slope(T y);
// };

/// max(x, 0)
struct ReLU {
  static constexpr std::string_view name = "ReLU";
  template <class T>
  [[nodiscard]] static constexpr T apply(T x) noexcept {
    return std::max(x, T{0});
  }
  template <class T>
  [[nodiscard]] static constexpr T slope(T y) noexcept {
    return y > 0 ? T{1} : T{0};
  }
};

/// x: the tower stays linear, as in the code that the paper released.
struct Identity {
  static constexpr std::string_view name = "Identity";
  template <class T>
  [[nodiscard]] static constexpr T apply(T x) noexcept {
    return x;
  }
  template <class T>
  [[nodiscard]] static constexpr T slope(T /*y*/) noexcept {
    return T{1};
  }
};

}  // namespace prism::inline PRISM_ISA
