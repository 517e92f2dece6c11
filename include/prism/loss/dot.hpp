// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by dot product: mean of -u . i over the batch's pairs. One of the theorem's three pair
/// losses (the paper, KDD 2025). It is unbounded below and serves to verify the theorem.
struct Dot {
  static constexpr std::string_view name = "Dot";
  static constexpr PairLoss pair_loss = PairLoss::dot;

  static constexpr LossTraits traits{.overwrites_gradient = true};

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const T pair_weight = T{1} / static_cast<T>(batch.pairs());
    const double total = loss_over_scores(
        step, [=] PRISM_HOST_DEVICE(std::size_t, PairScores<T, typename X::isa> score) -> double {
          const double value = static_cast<double>(score.positive());
          score.set_positive(-pair_weight);
          return -value;
        });
    return total / static_cast<double>(batch.pairs());
  }
};

static_assert(LossPolicy<Dot>);

}  // namespace prism::inline PRISM_ISA
