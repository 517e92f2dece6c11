// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Cosine contrastive loss: mean over the batch's pairs of
///   (1 - cos(u, i)) + weight * mean_j max(0, cos(u, j) - margin),
/// where j runs over the pair's unmasked negatives. Mao et al.: "SimpleX: A simple and strong
/// baseline for collaborative filtering", CIKM 2021. The defaults are those published for MF on
/// Gowalla and Yelp2018 (Amazon-Book: 1500 negatives, margin 0.2, weight 250).
struct CCL {
  static constexpr std::string_view name = "CCL";

  std::size_t negatives = 800;  ///< per pair, at least 1
  double margin = 0.9;          ///< cosine below which a negative does not count, from -1 to 1
  double weight = 150;          ///< of the negatives' term, at least 0

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_at_least_one("negatives", negatives);
    require(margin >= -1 && margin <= 1, "margin",
            "must be a cosine, from -1 to 1, not " + format_number(margin));
    require_non_negative("weight", weight);
  }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives, .overwrites_gradient = true, .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const auto pairs = static_cast<double>(batch.pairs());
    const bool masks = batch.mask != NegativeMask::none;
    const T threshold = static_cast<T>(margin);
    const double negatives_weight = weight;
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t, PairScores<T, typename X::isa> cosines) -> double {
          const T positive = cosines.positive();
          const auto negative_cosines = cosines.negatives();
          const std::size_t counted =
              masks ? negative_cosines.count_unmasked() : negative_cosines.size();
          const double negative_weight =
              counted == 0 ? 0 : negatives_weight / static_cast<double>(counted);
          const T d_cosine = static_cast<T>(negative_weight / pairs);
          const T excess = negative_cosines.template sum_of<T>([=](std::size_t, T& c) {
            const T above = c - threshold;
            c = above <= 0 ? T{0} : d_cosine;
            return above <= 0 ? T{0} : above;  // keeps NaN
          });
          cosines.set_positive(static_cast<T>(-1 / pairs));
          return 1 - static_cast<double>(positive) + negative_weight * static_cast<double>(excess);
        });
    return total / pairs;
  }
};

static_assert(LossPolicy<CCL>);

}  // namespace prism::inline PRISM_ISA
