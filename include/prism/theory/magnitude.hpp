// SPDX-License-Identifier: BSD-3-Clause
// The expected change of an item's squared magnitude in a step of gradient descent, as a function
// of its popularity. Everything is double precision and constexpr.
//
// A step with learning rate eta and decay lambda changes the item's row to
//   i' = (1 - eta lambda) i + eta w g,
// where -g is the gradient of one pair's loss and w the weight of a pair in the batch's loss; g is
// 0 unless the item is in the batch. So
//   |i'|^2 - |i|^2 = eta lambda (eta lambda - 2) |i|^2
//                    + 2 eta w (1 - eta lambda) (g . i) + eta^2 w^2 |g|^2,
// where the first term is for rows that decay, and the others occur with probability P(i in B).
#pragma once

#include <cstdint>

#include "prism/core/config.hpp"
#include "prism/theory/batch_probability.hpp"

namespace prism::inline PRISM_ISA {

/// The loss of a pair: -cos(u, i), -u.i, |u - i|^2.
enum class PairLoss : std::uint8_t { cosine, dot, euclidean };

/// Which rows decay in a step: all, or those in the batch.
enum class Decay : std::uint8_t { full, batched };

/// The user and the item of a pair.
struct PairGeometry {
  double user = 1;    ///< |u|, from 0 to 1e50; not used for cosine
  double item = 1;    ///< |i|, from 1e-50 to 1e50
  double cosine = 0;  ///< of the angle between them, from -1 to 1
};

/// The quantities in the theorem.
struct TheoremSetting {
  PairLoss pair_loss = PairLoss::cosine;
  Decay decay = Decay::full;
  double learning_rate = 0;  ///< eta, from 0 to 1e50
  double lambda = 0;         ///< from 0 to 1e50
  PairGeometry pair{};       ///< of all the item's pairs, negatives included
  std::int64_t popularity = 0;
  BatchSampling batches{};
  /// w: 1 if a batch's loss is a sum over its pairs, as in the theorem; 1/|B| for a mean.
  double pair_weight = 1;
};

/// g, minus the gradient of a pair's loss with respect to the item, in the terms that change
/// magnitudes.
struct PairGradient {
  double dot_item = 0;      ///< g . i
  double squared_norm = 0;  ///< |g|^2
};

// Terms of the expected change; their arguments are not checked.

/// g is (u^ - cos i^) / |i| for cosine, u for dot, 2 (u - i) for euclidean.
[[nodiscard]] constexpr PairGradient pair_gradient(PairLoss pair_loss,
                                                   const PairGeometry& pair) noexcept {
  const auto& [user, item, cosine] = pair;
  const double dot = user * item * cosine;
  if (pair_loss == PairLoss::cosine) return {0, (1 - cosine * cosine) / (item * item)};
  if (pair_loss == PairLoss::dot) return {dot, user * user};
  return {2 * (dot - item * item), 4 * (user * user - 2 * dot + item * item)};
}

/// The change of |i|^2 by decay in a step: eta lambda (eta lambda - 2) |i|^2.
[[nodiscard]] constexpr double decay_change(double item, double learning_rate,
                                            double lambda) noexcept {
  const double shrinkage = learning_rate * lambda;
  return shrinkage * (shrinkage - 2) * item * item;
}

/// What a pair adds to the change of |i|^2: 2 s eta w (1 - eta lambda) (g.i) + eta^2 w^2 |g|^2.
/// @param weighted_rate  eta w
/// @param sign  s: 1 for a positive pair, -1 for a negative one
[[nodiscard]] constexpr double pair_change(const PairGradient& pair_gradient, double weighted_rate,
                                           double shrinkage, double sign = 1) noexcept {
  return 2 * sign * weighted_rate * (1 - shrinkage) * pair_gradient.dot_item +
         weighted_rate * weighted_rate * pair_gradient.squared_norm;
}

namespace detail {

constexpr void check(const TheoremSetting& setting) {
  // So that their squares do not overflow.
  constexpr double max_value = 1e50;
  const auto non_negative = [](const char* argument, double x) {
    require_domain(x >= 0 && x <= max_value, argument, "must be at least 0 and at most 1e50", x);
  };
  non_negative("learning_rate", setting.learning_rate);
  non_negative("lambda", setting.lambda);
  non_negative("pair_weight", setting.pair_weight);
  non_negative("pair.user", setting.pair.user);
  require_domain(setting.pair.item >= 1 / max_value && setting.pair.item <= max_value, "pair.item",
                 "must be at least 1e-50 and at most 1e50", setting.pair.item);
  require_domain(setting.pair.cosine >= -1 && setting.pair.cosine <= 1, "pair.cosine",
                 "must be at least -1 and at most 1", setting.pair.cosine);
  require_enumerator("pair_loss", setting.pair_loss, PairLoss::euclidean);
  require_enumerator("decay", setting.decay, Decay::batched);
}

}  // namespace detail

/// The expected change of |i|^2 in one step, if the item has at most one update in it (the paper,
/// KDD 2025, theorem 1, for cosine with full decay and no negatives). By pair loss, with full
/// decay, w = 1 and P = P(i in B):
///   cosine     eta lambda (eta lambda - 2) |i|^2 + P eta^2 (1 - cos^2) / |i|^2
///   dot        eta lambda (eta lambda - 2) |i|^2 + P (2 (eta - eta^2 lambda) u.i + eta^2 |u|^2)
///   euclidean  eta lambda (eta lambda - 2) |i|^2
///                + P (4 (eta - eta^2 lambda) (u.i - |i|^2) + 4 eta^2 |u - i|^2)
/// With batched decay P multiplies both terms. The paper's printed line for the distance drops the
/// factor of two of its own gradient, 2 (i - u); this is the form derived from that gradient. For a
/// negative, g has the opposite sign, which changes the first-order term of dot and euclidean. If
/// the item is in a pair and among the negatives, the positive pair is the one update.
///
/// @throws ArgumentError  for a number outside its domain; in a constant expression it does not
///                        compile
[[nodiscard]] constexpr double expected_change(const TheoremSetting& setting) {
  detail::check(setting);
  const BatchProbability probability = batch_probability(setting.popularity, setting.batches);
  const double shrinkage = setting.learning_rate * setting.lambda;
  const double weighted_rate = setting.learning_rate * setting.pair_weight;
  const PairGradient g = pair_gradient(setting.pair_loss, setting.pair);
  const double decay = decay_change(setting.pair.item, setting.learning_rate, setting.lambda);
  return (setting.decay == Decay::full ? 1 : probability.in_batch()) * decay +
         probability.positive * pair_change(g, weighted_rate, shrinkage) +
         probability.negative_only * pair_change(g, weighted_rate, shrinkage, -1);
}

}  // namespace prism::inline PRISM_ISA
