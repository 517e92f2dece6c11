// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/kernel/surrogate.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Pairwise softmax loss: mean over the batch's pairs of
///   log sum_j sigma(d_j)^(1 / tau),  d_j = (cos(u, j) - cos(u, i)) / 2,
/// where j runs over the pair's negatives; 0 where all of them are masked. Yang et al.: "PSL:
/// Rethinking and improving softmax loss from pairwise perspective for recommendation", NeurIPS
/// 2024. Cosines are halved, as in the published code, so that d_j is from -1 to 1.
struct PSL {
  static constexpr std::string_view name = "PSL";

  std::size_t negatives = 1000;           ///< of a pair, at least 1
  double tau = 0.1;                       ///< temperature, from 1e-6 to 1e6
  Surrogate surrogate = Surrogate::tanh;  ///< sigma

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_at_least_one("negatives", negatives);
    require_temperature("tau", tau);
    require_enumerator("surrogate", surrogate, Surrogate::relu);
  }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives, .overwrites_gradient = true, .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const auto pairs = static_cast<double>(batch.pairs());
    const T inverse_temperature = static_cast<T>(1 / tau);
    const double total =
        loss_over_cosines(step, unit_output, [&](std::size_t, std::span<T> cosine) {
          const std::span<T> negative = cosine.subspan(1);
          if (largest_element<Isa>(negative.data(), negative.size()) <= masked_score<T>) {
            std::ranges::fill(cosine, T{0});  // the pair has no negative
            return 0.0;
          }
          std::vector<T> slope(negative.size());  // of log sigma
          log_surrogate<Isa>(surrogate, negative.data(), slope.data(), cosine[0], negative.size());
          const T maximum = largest_element<Isa>(negative.data(), negative.size());
          const T sum =
              softmax_terms<Isa>(negative.data(), inverse_temperature, maximum, negative.size());
          const T scale = inverse_temperature / (2 * static_cast<T>(pairs) * sum);
          T d_negatives = 0;
          for (std::size_t j = 0; j < negative.size(); ++j) {
            negative[j] *= scale * slope[j];
            d_negatives += negative[j];
          }
          cosine[0] = -d_negatives;
          return std::log(static_cast<double>(sum)) +
                 static_cast<double>(inverse_temperature * maximum);
        });
    return total / pairs;
  }
};

static_assert(LossPolicy<PSL>);

}  // namespace prism::inline PRISM_ISA
