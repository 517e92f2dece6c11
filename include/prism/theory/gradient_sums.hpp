// SPDX-License-Identifier: BSD-3-Clause
// The expected change of an item that meets each of its users in a way of its own: as the theorem
// has it, and as a real batch behaves, in which a popular item stands in many pairs.
#pragma once

#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/constexpr_math.hpp"
#include "prism/theory/batch_probability.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// g as it is made of its two rows: g = of_user u + of_item i.
struct GradientCoefficients {
  double user_coefficient = 0;
  double item_coefficient = 0;
};

/// @param uu, ui, ii  |u|^2, u . i and |i|^2; by cosine a row of length 0, or one whose square is
///     no normal number, has no direction, and neither pulls nor is pulled
[[nodiscard]] constexpr GradientCoefficients gradient_coefficients(PairLoss pair_loss, double uu,
                                                                   double ui, double ii) noexcept {
  if (pair_loss == PairLoss::dot) return {1, 0};
  if (pair_loss == PairLoss::euclidean) return {2, -2};
  constexpr double smallest = std::numeric_limits<double>::min();
  const double norm_product = square_root(uu) * square_root(ii);
  if (uu < smallest || ii < smallest) return {};
  return {1 / norm_product, -ui / norm_product / ii};
}

/// What an item's pairs do to it, summed up.
struct GradientSums {
  double dot_item = 0;             ///< sum of g . i
  double squared_norm = 0;         ///< sum of |g|^2
  double squared_norm_of_sum = 0;  ///< |sum of g|^2
};

/// What a batch does to an item that stands in several of its pairs.
enum class Updates : std::uint8_t {
  at_most_one,  ///< the theorem's assumption: one of its pairs alone counts
  every_pair,   ///< as in training: the sum over its pairs
};

/// The expected change of |i|^2 in one step, for an item that meets each of its users in another
/// way; what setting.pair says of user and angle is not used.
///
/// With at most one update, each of the pairs is as likely. With every pair counted, and B = |B|, E
/// = |E|, two of the item's pairs are in one batch with probability B (B - 1) / (E (E - 1)), and
///   E|sum g|^2 = B/E sum |g|^2 + B (B - 1) / (E (E - 1)) (|sum g|^2 - sum |g|^2).
///
/// @param gradients  over the item's setting.popularity pairs
/// @throws ArgumentError  for a number outside its domain, negatives among them; in a constant
///     expression it does not compile
[[nodiscard]] constexpr double expected_change(const TheoremSetting& setting,
                                               const GradientSums& gradients, Updates updates) {
  detail::check(setting);
  for (const double sum :
       {gradients.dot_item, gradients.squared_norm, gradients.squared_norm_of_sum}) {
    detail::require_domain(sum - sum == 0, "gradients", "must be finite numbers", sum);
  }
  detail::require_domain(setting.batches.negatives == 0, "negatives", "must be 0 here",
                         static_cast<double>(setting.batches.negatives));
  const double probability = batch_probability(setting.popularity, setting.batches).positive;
  const double decay = (setting.decay == Decay::full ? 1 : probability) *
                       decay_change(setting.pair.item, setting.learning_rate, setting.lambda);
  if (setting.popularity == 0) return decay;
  const double pairs = static_cast<double>(setting.batches.pairs);
  const double in = static_cast<double>(setting.batches.batch_size) / pairs;
  const double shrinkage = setting.learning_rate * setting.lambda;
  const double step = setting.learning_rate * setting.pair_weight;
  if (updates == Updates::at_most_one) {
    const double each = probability / static_cast<double>(setting.popularity);
    return decay +
           each * pair_change({gradients.dot_item, gradients.squared_norm}, step, shrinkage);
  }
  const double both =
      pairs > 1 ? in * static_cast<double>(setting.batches.batch_size - 1) / (pairs - 1) : 0;
  const double squared_norm =
      in * gradients.squared_norm + both * (gradients.squared_norm_of_sum - gradients.squared_norm);
  return decay + pair_change({in * gradients.dot_item, squared_norm}, step, shrinkage);
}

}  // namespace prism::inline PRISM_ISA
