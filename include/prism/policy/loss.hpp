// SPDX-License-Identifier: BSD-3-Clause
// A loss turns output rows into a number and its gradient. It knows no backbone.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

// struct MyLoss {
//   static constexpr std::string_view name = "MyLoss";
//   std::size_t negatives = 1;             // optional: how many a pair; none if left out. Or a
//                                          // function, std::size_t negatives_per_pair() const
//   // Optional: whether it looks at rows outside the batch, which the sides then list after their
//   // own. Not if left out.
//   bool needs_all_rows() const;
//   // Optional: whether it sets the gradient of each of the batch's own rows (k < side.num_active)
//   // before it adds to it, so that nobody has to fill them with zeros; that of the others it adds
//   // to. It overwrites what another loss has left there; Penalized knows. Not if left out.
//   bool overwrites_gradient() const;
//   // Optional: trainable state of its own, see parameter.hpp.
//   template <class T> struct State;
//
//   // The mean over the batch's pairs. Adds its gradient to step.gradient, or sets it: see above.
//   template <class T, Execution X> double operator()(const LossStep<T, X>& step) const;
//   // Instead, where there is a State:
//   template <class T, Execution X>
//   double operator()(const LossStep<T, X>& step, const State<T>& state) const;
//   // Optional: sets the factors and the offset by which its models rank.
//   template <class T, Execution X>
//   void ranking_rule(const X& exec, Scorer<T>&, const state_t<MyLoss, T>&) const;
// };
template <class L, class T = double>
concept LossPolicy = std::copyable<L> && TrainableState<L, T> &&
    requires(const L& loss, const LossStep<T>& step, const state_t<L, T>& state) {
  { L::name } -> std::convertible_to<std::string_view>;
  requires requires {
    { loss(step) } -> std::convertible_to<double>;
  } || requires {
    { loss(step, state) } -> std::convertible_to<double>;
  };
};

/// How many negatives a pair a loss asks for.
template <class L>
[[nodiscard]] constexpr std::size_t negatives_per_pair(const L& loss) noexcept {
  if constexpr (requires { loss.negatives_per_pair(); }) {
    return loss.negatives_per_pair();
  } else if constexpr (requires { loss.negatives; }) {
    static_assert(std::is_unsigned_v<std::remove_cvref_t<decltype(loss.negatives)>>,
                  "a loss's `negatives` is how many a pair it asks for: a std::size_t");
    return loss.negatives;
  } else {
    static_assert(
        !requires { &L::negatives; } && !requires { &L::negatives_per_pair; },
        "how many negatives a loss asks for is a member `std::size_t negatives`, or a "
        "function `std::size_t negatives_per_pair() const`");
    return 0;
  }
}

/// Whether a loss looks at rows outside the batch, so that a step has to compute them all.
template <class L>
[[nodiscard]] constexpr bool needs_all_rows(const L& loss) noexcept {
  if constexpr (requires { loss.needs_all_rows(); }) {
    return loss.needs_all_rows();
  } else {
    static_assert(
        !requires { &L::needs_all_rows; },
        "a loss's needs_all_rows is a function: bool needs_all_rows() const");
    return false;
  }
}

/// Whether a loss sets the gradient of the batch's own rows, rather than adding to zeros.
template <class L>
[[nodiscard]] constexpr bool overwrites_gradient(const L& loss) noexcept {
  if constexpr (requires { loss.overwrites_gradient(); }) {
    return loss.overwrites_gradient();
  } else {
    static_assert(
        !requires { &L::overwrites_gradient; },
        "a loss's overwrites_gradient is a function: bool overwrites_gradient() const");
    return false;
  }
}

/// The value of a loss, with or without a state.
template <class L, class T, Execution X>
[[nodiscard]] double evaluate_loss(const L& loss, const LossStep<T, X>& step,
                                   const state_t<L, T>& state) {
  if constexpr (requires { loss(step, state); }) {
    return loss(step, state);
  } else {
    return loss(step);
  }
}

}  // namespace prism::inline PRISM_ISA
