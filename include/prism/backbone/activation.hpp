// SPDX-License-Identifier: BSD-3-Clause
// Activation functions between the layers of a tower.
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct MyActivation {
//   static constexpr std::string_view name = "MyActivation";
//   template <class T> T apply(T x) const;
//   // The derivative as a function of y = apply(x).
//   template <class T> T derivative(T y) const;
//   // Optional: apply and derivative also take packs (kernel/pack.hpp); otherwise towers on the
//   // host are computed element by element.
//   static constexpr bool takes_packs = true;
//   // Optional: label() and check(), see policy/label.hpp and policy/options.hpp.
// };

namespace detail {

template <class A, class T>
concept Applies = requires(const A& activation, T x) {
  { activation.apply(x) } -> std::same_as<T>;
};
template <class A, class T>
concept Derives = requires(const A& activation, T y) {
  { activation.derivative(y) } -> std::same_as<T>;
};

}  // namespace detail

template <class A>
concept ActivationPolicy =
    detail::AnyPolicy<A> && detail::Applies<A, float> && detail::Applies<A, double> &&
    detail::Derives<A, float> && detail::Derives<A, double>;

/// Whether A is an activation. If it is not, the first compiler error names the missing
/// requirement: `static_assert(check_activation<MyActivation>())`.
template <class A>
[[nodiscard]] consteval bool check_activation() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(A, "an activation");
  static_assert(Applies<A, float> && Applies<A, double>,
                "an activation must have a value, for float and double: template <class T> T "
                "apply(T x) const");
  static_assert(Derives<A, float> && Derives<A, double>,
                "an activation must have a derivative, for float and double: template <class T> T "
                "derivative(T y) const");
  return ActivationPolicy<A>;
}

/// max(x, 0)
struct ReLU {
  static constexpr std::string_view name = "ReLU";
  static constexpr bool takes_packs = true;
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return std::max(x, T{0});
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T y) const noexcept {
    return y > 0 ? T{1} : T{0};
  }
  template <AnyPack P>
  [[nodiscard]] P apply(P x) const noexcept {
    return max(P::broadcast(0), x);  // NaN stays NaN
  }
  template <AnyPack P>
  [[nodiscard]] P derivative(P y) const noexcept {
    return PackBits<P>::where_less(P::broadcast(0), y, P::broadcast(1), P::broadcast(0));
  }
};

/// x: the tower is linear, as in the paper's published code.
struct Identity {
  static constexpr std::string_view name = "Identity";
  static constexpr bool takes_packs = true;
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return x;
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T /*y*/) const noexcept {
    return T{1};
  }
  template <AnyPack P>
  [[nodiscard]] P derivative(P /*y*/) const noexcept {
    return P::broadcast(1);
  }
};

}  // namespace prism::inline PRISM_ISA
