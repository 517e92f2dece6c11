// SPDX-License-Identifier: BSD-3-Clause
// The expected change of an item whose pairs differ in magnitude and angle: under the theorem's
// assumption, and in real batches, in which a popular item occurs in many pairs.
#pragma once

#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/constexpr_math.hpp"
#include "prism/theory/batch_probability.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// The pair gradient as a combination of its rows: g = user_coefficient u + item_coefficient i.
struct PairGradientCoefficients {
  double user_coefficient = 0;
  double item_coefficient = 0;
};

/// For cosine, a row has no direction, and g is 0, if its squared magnitude is 0 or not a normal
/// number.
/// @param uu  |u|^2
/// @param ui  u . i
/// @param ii  |i|^2
[[nodiscard]] constexpr PairGradientCoefficients gradient_coefficients(PairLoss pair_loss,
                                                                       double uu, double ui,
                                                                       double ii) noexcept {
  if (pair_loss == PairLoss::dot) return {1, 0};
  if (pair_loss == PairLoss::euclidean) return {2, -2};
  constexpr double smallest = std::numeric_limits<double>::min();
  const double norm_product = detail::square_root(uu) * detail::square_root(ii);
  if (uu < smallest || ii < smallest) return {};
  return {1 / norm_product, -ui / norm_product / ii};
}

/// Sums over an item's pairs.
struct GradientSums {
  double dot_item = 0;             ///< sum of g . i
  double squared_norm = 0;         ///< sum of |g|^2
  double squared_norm_of_sum = 0;  ///< |sum of g|^2
};

/// Which of an item's pairs in a batch update it.
enum class Updates : std::uint8_t {
  at_most_one,  ///< the theorem's assumption: only one of them
  every_pair,   ///< as in training: the sum over all of them
};

/// The expected change of |i|^2 in one step, for an item whose pairs differ; user and cosine of
/// setting.pair are not used.
///
/// With at most one update, the item's pairs are equally probable. With every pair, two of the
/// item's pairs are in one batch with probability |B| (|B| - 1) / (|E| (|E| - 1)), and the
/// expectation of |sum g|^2 is
///   |B|/|E| sum |g|^2 + |B| (|B| - 1) / (|E| (|E| - 1)) (|sum g|^2 - sum |g|^2).
///
/// @param gradients  over the item's setting.popularity pairs
/// @throws ArgumentError  for a number outside its domain, or with negatives; in a constant
///                        expression it does not compile
[[nodiscard]] constexpr double expected_change(const TheoremSetting& setting,
                                               const GradientSums& gradients, Updates updates) {
  detail::check(setting);
  for (const double sum :
       {gradients.dot_item, gradients.squared_norm, gradients.squared_norm_of_sum}) {
    detail::require_domain(sum - sum == 0, "gradients", "must be finite numbers", sum);
  }
  detail::require_domain(setting.batches.negatives == 0, "negatives",
                         "must be 0 with gradient sums",
                         static_cast<double>(setting.batches.negatives));
  const double probability = batch_probability(setting.popularity, setting.batches).positive;
  const double decay = (setting.decay == Decay::full ? 1 : probability) *
                       decay_change(setting.pair.item, setting.learning_rate, setting.lambda);
  if (setting.popularity == 0) return decay;
  const double pairs = static_cast<double>(setting.batches.pairs);
  const double in = static_cast<double>(setting.batches.batch_size) / pairs;
  const double shrinkage = setting.learning_rate * setting.lambda;
  const double weighted_rate = setting.learning_rate * setting.pair_weight;
  if (updates == Updates::at_most_one) {
    const double each = probability / static_cast<double>(setting.popularity);
    return decay + each * pair_change({gradients.dot_item, gradients.squared_norm}, weighted_rate,
                                      shrinkage);
  }
  const double both =
      pairs > 1 ? in * static_cast<double>(setting.batches.batch_size - 1) / (pairs - 1) : 0;
  const double squared_norm =
      in * gradients.squared_norm + both * (gradients.squared_norm_of_sum - gradients.squared_norm);
  return decay + pair_change({in * gradients.dot_item, squared_norm}, weighted_rate, shrinkage);
}

}  // namespace prism::inline PRISM_ISA
