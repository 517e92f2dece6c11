// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/score_formula.hpp"

namespace prism::inline PRISM_ISA {

/// Bayesian personalised ranking: the mean over pairs (u, i) of mean_j softplus(s(u,j) - s(u,i)),
/// where j runs over the pair's unmasked negatives (0 if all are masked) and s is the dot product.
/// Rendle et al.: "BPR: Bayesian personalized ranking from implicit feedback", UAI 2009.
struct BPR {
  static constexpr std::string_view name = "BPR";
  static constexpr Similarity similarity = Similarity::dot;

  std::size_t negatives = 1;  ///< per pair, at least 1

  static constexpr auto options =
      option_table(option<&BPR::negatives>("negatives", domain::at_least_one));

  template <AnyPack P>
  [[nodiscard]] PRISM_HOST_DEVICE ValueAndDerivative<P> pairwise(P difference) const noexcept {
    const SoftplusAndSigmoid<P> of_difference(difference);
    return {of_difference.softplus, of_difference.sigmoid};
  }
};

static_assert(LossPolicy<BPR>);

}  // namespace prism::inline PRISM_ISA
