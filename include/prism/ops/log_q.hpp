// SPDX-License-Identifier: BSD-3-Clause
// The correction of scores for the probabilities with which a sampler draws negatives. Bengio and
// Senecal: "Quick training of probabilistic neural nets by importance sampling", AISTATS 2003.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/ops/scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// scale log q_j of the batch's items; empty if scale is 0 or the batch has no log-probabilities.
template <class T>
class LogQ {
 public:
  template <Execution X>
  LogQ(const LossStep<T, X>& step, double scale)
      : pair_item_(step.batch.items),
        negatives_(step.batch.negatives),
        negatives_per_pair_(step.batch.negatives_per_pair),
        shared_(step.batch.shared_negatives) {
    const std::span<const double> log_probability = step.batch.item_log_probability;
    if (scale == 0 || log_probability.empty()) return;
    item_correction_ = scaled(step.exec, log_probability, scale,
                              step.scratch.template allocate<T>(log_probability.size(), 1));
  }

  /// Public because CUDA compilers accept device lambdas only in public functions.
  template <Execution X>
  static Rows<T> scaled(const X& exec, std::span<const double> log_probability, double scale,
                        Rows<T> to) {
    constexpr std::size_t grain = 4096;
    for_each_element(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      *to[k] = static_cast<T>(scale * log_probability[k]);
    });
    return to;
  }

  /// Subtracts scale log q_j from the scores of pair p.
  template <class Isa>
  PRISM_HOST_DEVICE void subtract(std::size_t p, PairScores<T, Isa> scores) const noexcept {
    if (item_correction_.size() == 0) return;
    const std::size_t first = shared_ ? 0 : p * negatives_per_pair_;
    scores.set_positive(scores.positive() - *item_correction_[pair_item_[p]]);
    scores.negatives().for_each(
        [=, this](std::size_t j, T& score) { score -= *item_correction_[negatives_[first + j]]; });
  }

 private:
  std::span<const Index> pair_item_;
  std::span<const Index> negatives_;
  std::size_t negatives_per_pair_;
  bool shared_;
  Rows<T> item_correction_;
};

}  // namespace prism::inline PRISM_ISA::detail
