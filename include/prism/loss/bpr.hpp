// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Bayesian personalised ranking: mean of softplus(s(u,i') - s(u,i)) over all pairs (u, i) and
/// their negatives i', masked ones left out, where s is the dot product. Rendle et al.: "BPR:
/// Bayesian personalized ranking from implicit feedback", UAI 2009.
struct BPR {
  static constexpr std::string_view name = "BPR";

  std::size_t negatives = 1;  ///< of a pair, at least 1

  /// @throws ArgumentError  for an option outside its domain
  void check() const { require_at_least_one("negatives", negatives); }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives,
            .overwrites_gradient = true,
            .dot_product_logits = true,
            .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const double pair_weight = 1.0 / static_cast<double>(batch.pairs() * batch.negatives_per_pair);
    const double total = loss_over_scores(step, [&](std::size_t, std::span<T> score) {
      const std::span<T> negatives_of_pair = score.subspan(1);
      const std::size_t counted = count_unmasked<T>(batch, negatives_of_pair);
      // 1 where none is masked
      const double share = counted == 0 ? 0
                                        : static_cast<double>(negatives_of_pair.size()) /
                                              static_cast<double>(counted);
      double sum = 0;
      T positive_d_score = 0;
      for (T& negative : negatives_of_pair) {
        const SoftplusWithDerivative<T> softplus(negative - score[0]);
        sum += static_cast<double>(softplus.value);
        negative = static_cast<T>(share * pair_weight) * softplus.derivative;
        positive_d_score += negative;
      }
      score[0] = -positive_d_score;
      return share * sum;
    });
    return total * pair_weight;
  }
};

static_assert(LossPolicy<BPR>);

}  // namespace prism::inline PRISM_ISA
