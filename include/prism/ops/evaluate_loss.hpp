// SPDX-License-Identifier: BSD-3-Clause
// The value of a loss in a step, whether it is a formula of scores or has an operator().
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/ops/score_formula.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// The value of a loss, with or without a State; see LossStep for the gradient.
template <class L, class T, Execution X>
[[nodiscard]] double evaluate_loss(const L& loss, const LossStep<T, X>& step,
                                   const state_t<L, T>& state) {
  static_assert(check_loss<L, T, X>(),
                "evaluate_loss: argument 1 (loss) is not a loss such as DirectAU; "
                "prism/policy/loss.hpp lists the requirements");
  if constexpr (detail::TakesLossStepAndState<L, T, X>) {
    return loss(step, state);
  } else if constexpr (detail::TakesLossStep<L, T, X>) {
    return loss(step);
  } else {
    return detail::evaluate_formula(loss, step);
  }
}

}  // namespace prism::inline PRISM_ISA
