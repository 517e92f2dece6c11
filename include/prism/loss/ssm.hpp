// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Sampled softmax: mean over the batch's pairs of
///   -log(exp(cos(u, i) / tau) / sum_j exp(cos(u, j) / tau)),
/// where j runs over i and the pair's negatives. Wu et al.: "On the effectiveness of sampled
/// softmax loss for item recommendation", TOIS 2024.
struct SSM {
  static constexpr std::string_view name = "SSM";

  std::size_t negatives = 10;  ///< per pair, at least 1
  double tau = 0.2;            ///< temperature, at least 1e-6

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_at_least_one("negatives", negatives);
    require(tau >= 1e-6 && tau < 1e300, "tau",
            "must be at least 1e-6 and less than 1e300, not " + format_number(tau));
  }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives, .overwrites_gradient = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const T pair_weight = T{1} / static_cast<T>(batch.pairs());
    const T inverse_temperature = static_cast<T>(1 / tau);
    const double total =
        loss_over_cosines(step, unit_output, [=](std::size_t, std::span<T> cosine) {
          // The maximum is subtracted so that no exponential overflows.
          const T maximum = *std::max_element(cosine.begin(), cosine.end());
          const T positive_logit = inverse_temperature * (cosine[0] - maximum);
          const T sum = softmax_terms<typename X::isa>(cosine.data(), inverse_temperature, maximum,
                                                       cosine.size());
          const T d_cosine_scale = pair_weight * inverse_temperature / sum;
          for (T& c : cosine) c *= d_cosine_scale;
          cosine[0] -= pair_weight * inverse_temperature;
          return static_cast<double>(std::log(sum) - positive_logit);
        });
    return total / static_cast<double>(batch.pairs());
  }
};

static_assert(LossPolicy<SSM>);

}  // namespace prism::inline PRISM_ISA
