// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/score_formula.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by cosine similarity: mean of -cos(u, i) over the batch's pairs. The loss of the
/// theorem on weight decay (the paper, KDD 2025, theorem 1). It has no term for uniformity or
/// negatives and is not meant for training recommenders.
struct Cosine {
  static constexpr std::string_view name = "Cosine";
  static constexpr PairLoss pair_loss = PairLoss::cosine;

  static constexpr Similarity similarity = Similarity::cosine;

  template <class T>
  [[nodiscard]] constexpr ValueAndDerivative<T> positive(T cosine) const noexcept {
    return {-cosine, T{-1}};
  }
};

static_assert(LossPolicy<Cosine>);

}  // namespace prism::inline PRISM_ISA
