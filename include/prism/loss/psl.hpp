// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/kernel/surrogate.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Memory for the slopes of a pair's negatives: per thread on the host, per pair on a device.
template <class T, Execution X>
class Slopes {
 public:
  explicit Slopes(const LossStep<T, X>& step)
      : memory_(step.scratch.template allocate<T>(DeviceExecution<X> ? step.batch.pairs() : 0,
                                                  step.batch.negatives_per_pair)) {}

  [[nodiscard]] PRISM_HOST_DEVICE T* of(std::size_t pair) const {
    if constexpr (DeviceExecution<X>) {
      return memory_[pair];
    } else {
#if defined(__CUDA_ARCH__)
      return nullptr;  // host code compiled for a device: never runs
#else
      return thread_slopes(memory_.dim());
#endif
    }
  }

 private:
  static T* thread_slopes(std::size_t size) {
    thread_local std::vector<T> memory;
    if (memory.size() < size) memory.resize(size);
    return memory.data();
  }

  Rows<T> memory_;
};

}  // namespace detail

/// Pairwise softmax loss: mean over the batch's pairs of
///   log sum_j sigma(d_j)^(1 / tau),  d_j = (cos(u, j) - cos(u, i)) / 2,
/// where j runs over the pair's negatives; 0 if all of them are masked. Yang et al.: "PSL:
/// Rethinking and improving softmax loss from pairwise perspective for recommendation", NeurIPS
/// 2024. Cosines are halved, as in the published code, so that d_j is from -1 to 1.
struct PSL {
  static constexpr std::string_view name = "PSL";

  std::size_t negatives = 1000;           ///< per pair, at least 1
  double tau = 0.1;                       ///< temperature, from 1e-6 to 1e6
  Surrogate surrogate = Surrogate::tanh;  ///< sigma

  static constexpr auto options =
      option_table(option<&PSL::negatives>("negatives", domain::at_least_one),
                   option<&PSL::tau>("tau", domain::temperature),
                   option<&PSL::surrogate>(
                       "surrogate", domain::enumerators("tanh, atan, relu", Surrogate::relu)));

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
    const Surrogate kind = surrogate;
    const detail::Slopes<T, X> slopes(step);
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, Isa> cosines) -> double {
          const ScoreRange<T, Isa> negative_cosines = cosines.negatives();
          if (negative_cosines.largest() <= masked_score<T>) {
            cosines.all().fill(T{0});  // the pair has no negative
            return 0.0;
          }
          T* const slope = slopes.of(p);  // of log sigma
          log_surrogate<Isa>(kind, negative_cosines.data(), slope, cosines.positive(),
                             negative_cosines.size());
          const T maximum = negative_cosines.largest();
          const T sum = negative_cosines.softmax_terms(inverse_temperature, maximum);
          const T scale = inverse_temperature / (2 * static_cast<T>(pairs) * sum);
          cosines.set_positive(
              -negative_cosines.template sum_of<T>([=](std::size_t j, T& negative) {
                negative *= scale * slope[j];
                return negative;
              }));
          return elementary::log(static_cast<double>(sum)) +
                 static_cast<double>(inverse_temperature * maximum);
        });
    return total / pairs;
  }
};

static_assert(LossPolicy<PSL>);

}  // namespace prism::inline PRISM_ISA
