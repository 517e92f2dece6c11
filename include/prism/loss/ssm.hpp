// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/ops/scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// Sampled softmax: mean over the batch's pairs of
///   -log(exp(cos(u, i) / tau) / sum_j exp(cos(u, j) / tau)),
/// where j runs over i and the pair's negatives. Wu et al.: "On the effectiveness of sampled
/// softmax loss for item recommendation", TOIS 2024. With log_q, cos(u, j) / tau - log q_j replaces
/// cos(u, j) / tau for i and every j, where q_j is the probability that the sampler draws j. Bengio
/// and Senecal: "Quick training of probabilistic neural nets by importance sampling", AISTATS 2003.
struct SSM {
  static constexpr std::string_view name = "SSM";
  static constexpr Similarity similarity = Similarity::cosine;

  std::size_t negatives = 10;  ///< per pair, at least 1
  double tau = 0.2;            ///< temperature, from 1e-6 to 1e6
  /// Whether to correct for a sampler's unequal probabilities; a sampler without log_probability
  /// counts as uniform.
  bool log_q = false;

  static constexpr auto options =
      option_table(option<&SSM::negatives>("negatives", domain::at_least_one),
                   option<&SSM::tau>("tau", domain::temperature), option<&SSM::log_q>("log_q"));

  /// Of the log probabilities that are subtracted from cosines.
  [[nodiscard]] constexpr double log_q_scale() const noexcept { return log_q ? tau : 0; }

  template <class T, class Isa>
  PRISM_HOST_DEVICE double listwise(PairScores<T, Isa> cosines, T weight) const {
    const T inverse_temperature = static_cast<T>(1 / tau);
    // The maximum is subtracted so that no exponential overflows.
    const auto all = cosines.all();
    const T maximum = all.largest();
    const T positive_logit = inverse_temperature * (cosines.positive() - maximum);
    const T sum = all.softmax_terms(inverse_temperature, maximum);
    all.multiply(weight * inverse_temperature / sum);
    cosines.set_positive(cosines.positive() - weight * inverse_temperature);
    return static_cast<double>(elementary::log(sum) - positive_logit);
  }
};

static_assert(LossPolicy<SSM>);

}  // namespace prism::inline PRISM_ISA
