// SPDX-License-Identifier: BSD-3-Clause
// A loss turns output rows into a number and its gradient. It knows no backbone.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

// struct MyLoss {
//   static constexpr std::string_view name = "MyLoss";
//   std::size_t negatives = 1;                      // optional: how many a pair; none if left out
//   template <class T> struct State;                // optional: trainable state of its own
//
//   // The mean over the batch's pairs. Adds its gradient to step.gradient.
//   template <class T> double operator()(const LossStep<T>& step) const;
//   // Instead, where there is a State:
//   template <class T> double operator()(const LossStep<T>& step, State<T>& state) const;
// };
template <class L>
concept LossPolicy = std::copyable<L> &&
    requires(const L& loss, const LossStep<double>& step, state_t<L, double>& state) {
  { L::name } -> std::convertible_to<std::string_view>;
  requires requires {
    { loss(step) } -> std::convertible_to<double>;
  } || requires {
    { loss(step, state) } -> std::convertible_to<double>;
  };
};

/// How many negatives a pair a loss asks for.
template <LossPolicy L>
[[nodiscard]] constexpr std::size_t negatives_per_pair(const L& loss) noexcept {
  if constexpr (requires { loss.negatives; }) {
    return loss.negatives;
  } else {
    return 0;
  }
}

}  // namespace prism::inline PRISM_ISA
