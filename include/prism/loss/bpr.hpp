// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack_bits.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Bayesian personalised ranking: the mean over pairs (u, i) of mean_j softplus(s(u,j) - s(u,i)),
/// where j runs over the pair's unmasked negatives (0 if all are masked) and s is the dot product.
/// Rendle et al.: "BPR: Bayesian personalized ranking from implicit feedback", UAI 2009.
struct BPR {
  static constexpr std::string_view name = "BPR";

  std::size_t negatives = 1;  ///< per pair, at least 1

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
    const bool masks = batch.mask != NegativeMask::none;
    const auto per_pair = [=] PRISM_HOST_DEVICE(std::size_t,
                                                PairScores<T, typename X::isa> scores) -> double {
      const T positive = scores.positive();
      const auto negative_scores = scores.negatives();
      const std::size_t counted = masks ? negative_scores.count_unmasked() : negative_scores.size();
      // 1 where none is masked
      const double share =
          counted == 0 ? 0
                       : static_cast<double>(negative_scores.size()) / static_cast<double>(counted);
      const T weight = static_cast<T>(share * pair_weight);
      const T sum = negative_scores.sum_of_packs([=]<AnyPack P>(P& negatives_of_pack) {
        const SoftplusAndSigmoid<P> both(negatives_of_pack - P::broadcast(positive));
        negatives_of_pack = P::broadcast(weight) * both.sigmoid;
        return both.softplus;
      });
      scores.set_positive(-negative_scores.sum());
      return share * static_cast<double>(sum);
    };
    const double total = loss_over_scores(step, per_pair);
    return total * pair_weight;
  }
};

static_assert(LossPolicy<BPR>);

}  // namespace prism::inline PRISM_ISA
