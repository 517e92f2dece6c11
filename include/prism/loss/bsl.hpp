// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// log mean_p exp(cos(u, i_p) / tau) of each pair's user, and the derivative of its mean over the
/// pairs with respect to the pair's cosine; both pairs x 1. Without `average`, each pair has its
/// own term instead: cos(u, i) / tau.
template <class T>
struct Positives {
  Rows<T> value;
  Rows<T> d_cosine;
};

template <class T, Execution X>
[[nodiscard]] Positives<T> positive_terms(const LossStep<T, X>& step,
                                          const UnitOutput<T>& unit_output, double tau,
                                          bool average) {
  const Batch& batch = step.batch;
  const Positives<T> terms{step.scratch.template allocate<T>(batch.pairs(), 1),
                           step.scratch.template allocate<T>(batch.pairs(), 1)};
  const T inverse_temperature = static_cast<T>(1 / tau);
  const T pair_weight = inverse_temperature / static_cast<T>(batch.pairs());
  const BatchSide users = batch.user_side;
  const std::span<const Index> items = batch.items;
  const UnitOutput<T> unit = unit_output;
  constexpr std::size_t grain = 256;
  for_each_row(step.exec, users.num_active, grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    using Isa = typename X::isa;
    const std::span<const Index> user_pairs = users.occurrence_positions(k);
    T maximum = -1;
    for (const Index p : user_pairs) {
      const T cosine =
          dot<Isa>(unit.users.unit[k], unit.items.unit[items[p]], unit.users.unit.dim());
      Lanes<Isa>::once([=] { *terms.value[p] = cosine; });
      maximum = cosine > maximum ? cosine : maximum;
    }
    T sum = 0;
    for (const Index p : user_pairs) {
      sum += elementary::exp(inverse_temperature * (*terms.value[p] - maximum));
    }
    const auto count = static_cast<T>(user_pairs.size());
    for (const Index p : user_pairs) {
      const T cosine = *terms.value[p];
      Lanes<Isa>::once([=] {
        if (average) {
          *terms.value[p] = elementary::log(sum / count) + inverse_temperature * maximum;
          *terms.d_cosine[p] = elementary::exp(inverse_temperature * (cosine - maximum)) *
                               (pair_weight * count / sum);
        } else {
          *terms.value[p] = cosine * inverse_temperature;
          *terms.d_cosine[p] = pair_weight;
        }
      });
    }
  });
  return terms;
}

}  // namespace detail

/// Bilateral softmax loss: mean over the batch's pairs of
///   -log mean_p exp(cos(u, i_p) / tau1) + power * tau2 / tau1 * log sum_j exp(cos(u, j) / tau2),
/// where p runs over the batch's pairs of user u, and j over the pair's negatives only; there is no
/// second term if all of them are masked. Wu et al.: "BSL: Understanding and improving softmax loss
/// for recommendation", ICDE 2024. The published code has a single temperature (tau1 = tau2) and
/// the power; its best values for MF are tau 0.11 and power 1.10 on Yelp2018, 0.08 and 1.22 on
/// Gowalla.
struct BSL {
  static constexpr std::string_view name = "BSL";

  std::size_t negatives = 800;    ///< per pair, at least 1
  double tau1 = 0.1;              ///< temperature of the positives, from 1e-6 to 1e6
  double tau2 = 0.1;              ///< temperature of the negatives, from 1e-6 to 1e6
  double power = 1;               ///< exponent of the negatives' sum, above 0
  bool average_positives = true;  ///< otherwise each pair has its own term: cos(u, i) / tau1

  static constexpr auto options =
      option_table(option<&BSL::negatives>("negatives", domain::at_least_one),
                   option<&BSL::tau1>("tau1", domain::temperature),
                   option<&BSL::tau2>("tau2", domain::temperature),
                   option<&BSL::power>("power", domain::positive),
                   option<&BSL::average_positives>("average_positives"));

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives, .overwrites_gradient = true, .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const auto pairs = static_cast<double>(batch.pairs());
    const auto positives = detail::positive_terms(step, unit_output, tau1, average_positives);
    const T inverse_temperature = static_cast<T>(1 / tau2);
    const double negative_weight = power * tau2 / tau1;
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, typename X::isa> cosines) -> double {
          const double positive = static_cast<double>(*positives.value[p]);
          cosines.set_positive(-*positives.d_cosine[p]);
          const auto negative_cosines = cosines.negatives();
          const T maximum = negative_cosines.largest();
          if (maximum <= masked_score<T>) {  // all are masked: the pair has no negative
            negative_cosines.fill(T{0});
            return -positive;
          }
          const T sum = negative_cosines.softmax_terms(inverse_temperature, maximum);
          negative_cosines.multiply(static_cast<T>(negative_weight / pairs) * inverse_temperature /
                                    sum);
          const double log_sum = elementary::log(static_cast<double>(sum)) +
                                 static_cast<double>(inverse_temperature * maximum);
          return negative_weight * log_sum - positive;
        });
    return total / pairs;
  }
};

static_assert(LossPolicy<BSL>);

}  // namespace prism::inline PRISM_ISA
