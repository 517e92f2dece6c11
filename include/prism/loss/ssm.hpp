// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Sampled softmax: mean over the batch's pairs of
///   -log(exp(cos(u, i) / tau) / sum_j exp(cos(u, j) / tau)),
/// where j runs over i and the pair's negatives. Wu et al.: "On the effectiveness of sampled
/// softmax loss for item recommendation", TOIS 2024. With log_q, cos(u, j) / tau - log q_j takes
/// the place of cos(u, j) / tau for i and every j, where q_j is the probability that the sampler
/// draws j. Bengio and Senecal: "Quick training of probabilistic neural nets by importance
/// sampling", AISTATS 2003.
struct SSM {
  static constexpr std::string_view name = "SSM";

  std::size_t negatives = 10;  ///< of a pair, at least 1
  double tau = 0.2;            ///< temperature, from 1e-6 to 1e6
  /// Whether to correct for a sampler of unequal probabilities; one that does not say what they are
  /// (its log_probability) counts as uniform.
  bool log_q = false;

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_at_least_one("negatives", negatives);
    require_temperature("tau", tau);
  }

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives,
            .overwrites_gradient = true,
            .takes_shared_negatives = true,
            .reads_log_probability = log_q};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const T pair_weight = T{1} / static_cast<T>(batch.pairs());
    const T inverse_temperature = static_cast<T>(1 / tau);
    const LogQ<T> correction(batch, tau, log_q);
    const double total =
        loss_over_cosines(step, unit_output, [&](std::size_t p, std::span<T> cosine) {
          correction.subtract(p, cosine);
          // The maximum is subtracted so that no exponential overflows.
          const T maximum = largest_element<typename X::isa>(cosine.data(), cosine.size());
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

 private:
  /// tau log q_j of the batch's items; nothing where it is not wanted, or the batch has none.
  template <class T>
  class LogQ {
   public:
    LogQ(const Batch& batch, double temperature, bool wanted) : batch_(batch) {
      if (!wanted) return;
      for (const double log_probability : batch.item_log_probability) {
        of_item_.push_back(static_cast<T>(temperature * log_probability));
      }
      if (of_item_.empty() || !batch.shared_negatives) return;
      for (const Index k : batch.negatives) of_negative_.push_back(of_item_[k]);
    }

    /// Subtracts it from the cosines of pair p.
    void subtract(std::size_t p, std::span<T> cosine) const noexcept {
      if (of_item_.empty()) return;
      cosine[0] -= of_item_[batch_.items[p]];
      const std::span<T> of_negatives = cosine.subspan(1);
      if (batch_.shared_negatives) {
        for (std::size_t j = 0; j < of_negatives.size(); ++j) of_negatives[j] -= of_negative_[j];
        return;
      }
      const std::span<const Index> rows = batch_.negatives_of(p);
      for (std::size_t j = 0; j < rows.size(); ++j) of_negatives[j] -= of_item_[rows[j]];
    }

   private:
    const Batch& batch_;
    std::vector<T> of_item_;
    std::vector<T> of_negative_;  // of shared ones, in their order
  };
};

static_assert(LossPolicy<SSM>);

}  // namespace prism::inline PRISM_ISA
