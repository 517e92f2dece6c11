// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// tau log q_j of the batch's items; empty if tau is 0 or the batch has no log-probabilities.
template <class T>
class LogQ {
 public:
  template <Execution X>
  LogQ(const LossStep<T, X>& step, double tau)
      : pair_item_(step.batch.items),
        negatives_(step.batch.negatives),
        negatives_per_pair_(step.batch.negatives_per_pair),
        shared_(step.batch.shared_negatives) {
    const std::span<const double> log_probability = step.batch.item_log_probability;
    if (tau == 0 || log_probability.empty()) return;
    item_log_q_ = scaled(step.exec, log_probability, tau,
                         step.scratch.template allocate<T>(log_probability.size(), 1));
  }

  /// Public because CUDA compilers accept device lambdas only in public functions.
  template <Execution X>
  static Rows<T> scaled(const X& exec, std::span<const double> log_probability, double tau,
                        Rows<T> to) {
    constexpr std::size_t grain = 4096;
    for_each_element(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      *to[k] = static_cast<T>(tau * log_probability[k]);
    });
    return to;
  }

  /// Subtracts tau log q_j from the cosines of pair p.
  template <class Isa>
  PRISM_HOST_DEVICE void subtract(std::size_t p, PairScores<T, Isa> cosines) const noexcept {
    if (item_log_q_.size() == 0) return;
    const std::size_t first = shared_ ? 0 : p * negatives_per_pair_;
    cosines.set_positive(cosines.positive() - *item_log_q_[pair_item_[p]]);
    cosines.negatives().for_each(
        [=, this](std::size_t j, T& cosine) { cosine -= *item_log_q_[negatives_[first + j]]; });
  }

 private:
  std::span<const Index> pair_item_;
  std::span<const Index> negatives_;
  std::size_t negatives_per_pair_;
  bool shared_;
  Rows<T> item_log_q_;
};

}  // namespace detail

/// Sampled softmax: mean over the batch's pairs of
///   -log(exp(cos(u, i) / tau) / sum_j exp(cos(u, j) / tau)),
/// where j runs over i and the pair's negatives. Wu et al.: "On the effectiveness of sampled
/// softmax loss for item recommendation", TOIS 2024. With log_q, cos(u, j) / tau - log q_j replaces
/// cos(u, j) / tau for i and every j, where q_j is the probability that the sampler draws j. Bengio
/// and Senecal: "Quick training of probabilistic neural nets by importance sampling", AISTATS 2003.
struct SSM {
  static constexpr std::string_view name = "SSM";

  std::size_t negatives = 10;  ///< per pair, at least 1
  double tau = 0.2;            ///< temperature, from 1e-6 to 1e6
  /// Whether to correct for a sampler's unequal probabilities; a sampler without log_probability
  /// counts as uniform.
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
    const detail::LogQ<T> correction(step, log_q ? tau : 0);
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, typename X::isa> cosines) -> double {
          correction.subtract(p, cosines);
          // The maximum is subtracted so that no exponential overflows.
          const auto all = cosines.all();
          const T maximum = all.largest();
          const T positive_logit = inverse_temperature * (cosines.positive() - maximum);
          const T sum = all.softmax_terms(inverse_temperature, maximum);
          all.multiply(pair_weight * inverse_temperature / sum);
          cosines.set_positive(cosines.positive() - pair_weight * inverse_temperature);
          return static_cast<double>(elementary::log(sum) - positive_logit);
        });
    return total / static_cast<double>(batch.pairs());
  }
};

static_assert(LossPolicy<SSM>);

}  // namespace prism::inline PRISM_ISA
