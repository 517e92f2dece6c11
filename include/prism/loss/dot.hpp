// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/score_formula.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by dot product: mean of -u . i over the batch's pairs. One of the theorem's three pair
/// losses (the paper, KDD 2025). It is unbounded below and serves to verify the theorem.
struct Dot {
  static constexpr std::string_view name = "Dot";
  static constexpr PairLoss pair_loss = PairLoss::dot;

  static constexpr Similarity similarity = Similarity::dot;

  template <class T>
  [[nodiscard]] constexpr ValueAndDerivative<T> positive(T score) const noexcept {
    return {-score, T{-1}};
  }
};

static_assert(LossPolicy<Dot>);

}  // namespace prism::inline PRISM_ISA
