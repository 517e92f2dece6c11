// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by cosine similarity: mean of -cos(u, i) over the batch's pairs. The loss of the
/// theorem on weight decay (the paper, KDD 2025, theorem 1). It has no term for uniformity or
/// negatives and is not meant for training recommenders.
struct Cosine {
  static constexpr std::string_view name = "Cosine";
  static constexpr PairLoss pair_loss = PairLoss::cosine;

  static constexpr LossTraits traits{.overwrites_gradient = true};

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const T pair_weight = T{1} / static_cast<T>(batch.pairs());
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t, PairScores<T, typename X::isa> cosine) -> double {
          const double value = static_cast<double>(cosine.positive());
          cosine.set_positive(-pair_weight);
          return -value;
        });
    return total / static_cast<double>(batch.pairs());
  }
};

static_assert(LossPolicy<Cosine>);

}  // namespace prism::inline PRISM_ISA
