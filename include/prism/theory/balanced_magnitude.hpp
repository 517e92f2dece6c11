// SPDX-License-Identifier: BSD-3-Clause
// The magnitude at which growth and decay balance, and the number of steps to reach it.
#pragma once

#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/constexpr_math.hpp"
#include "prism/theory/batch_probability.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The expected change of r^2 for an item of magnitude r, with the angle held constant: constant +
/// linear r + square r^2; for cosine inverse_square / r^2 + square r^2.
struct ExpectedChangeCoefficients {
  double square = 0, linear = 0, constant = 0, inverse_square = 0;
};

constexpr ExpectedChangeCoefficients expected_change_coefficients(const TheoremSetting& setting) {
  check(setting);
  const double shrinkage = setting.learning_rate * setting.lambda;
  require_domain(shrinkage <= 1, "lambda", "times learning_rate must be at most 1", shrinkage);
  const BatchProbability probability = batch_probability(setting.popularity, setting.batches);
  const auto& [user, item, cosine] = setting.pair;
  const double weighted_rate = setting.learning_rate * setting.pair_weight;
  const double second = probability.in_batch() * weighted_rate * weighted_rate;
  const double first =
      2 * weighted_rate * (1 - shrinkage) * (probability.positive - probability.negative_only);
  const double decay =
      (setting.decay == Decay::full ? 1 : probability.in_batch()) * shrinkage * (shrinkage - 2);
  switch (setting.pair_loss) {
    case PairLoss::cosine:
      return {.square = decay, .inverse_square = second * (1 - cosine * cosine)};
    case PairLoss::dot:
      return {decay, first * user * cosine, second * user * user};
    case PairLoss::euclidean:
      break;
  }
  return {decay - 2 * first + 4 * second, (2 * first - 8 * second) * user * cosine,
          4 * second * user * user};
}

/// The r at which square r^2 + linear r + constant, constant >= 0, first becomes negative as r
/// grows from 0; infinity if it never does.
constexpr double first_root(const ExpectedChangeCoefficients& change) noexcept {
  const auto& [square, linear, constant, unused] = change;
  const double discriminant = linear * linear - 4 * square * constant;
  // Both formulas avoid cancellation.
  if (linear < 0 && discriminant >= 0) return 2 * constant / (square_root(discriminant) - linear);
  if (linear >= 0 && square < 0) return (linear + square_root(discriminant)) / (-2 * square);
  return std::numeric_limits<double>::infinity();
}

}  // namespace detail

/// The magnitude |i|* at which the expected change is 0, with the angle held constant: above it
/// magnitudes decrease, below it they increase. setting.pair.item is not used. For cosine with full
/// decay,
///   |i|*^4 = P(i in B) eta w^2 (1 - cos^2) / (lambda (2 - eta lambda)):
/// decay encodes popularity in magnitudes. With batched decay P cancels, and decay does not.
///
/// @returns infinity if nothing limits growth (as for cosine without decay); 0 if nothing grows
/// @throws ArgumentError  for a number outside its domain, or if eta lambda is above 1; in a
///                        constant expression it does not compile
[[nodiscard]] constexpr double balanced_magnitude(const TheoremSetting& setting) {
  const detail::ExpectedChangeCoefficients change = detail::expected_change_coefficients(setting);
  const auto& [square, linear, constant, inverse_square] = change;
  if (setting.pair_loss != PairLoss::cosine) {
    const bool still = square == 0 && linear == 0 && constant == 0;
    return still ? 0 : detail::first_root(change);
  }
  if (inverse_square == 0) return 0;
  if (square == 0) return std::numeric_limits<double>::infinity();
  return detail::square_root(detail::square_root(inverse_square / -square));
}

/// The number of steps a magnitude takes from setting.pair.item to within a fraction `within` of
/// the balance |i|*, with the angle held constant: the time that decay needs to encode popularity,
/// and that PRISM saves. In the limit of small steps, where the expected change is a differential
/// equation; the relative error of the steps is about eta lambda. For cosine, with a = eta lambda
/// (2 - eta lambda), times P(i in B) if decay is batched,
///   log(| |i|^4 - |i|*^4 | / | (1 +- within)^4 - 1 | |i|*^4) / 2a.
///
/// @param within  at least 1e-9 and below 1
/// @returns infinity if there is no balance above 0, or it is not reached from this start
/// @throws ArgumentError  as balanced_magnitude
[[nodiscard]] constexpr double steps_to_balance(const TheoremSetting& setting,
                                                double within = 0.01) {
  detail::require_domain(within >= 1e-9 && within < 1, "within",
                         "must be at least 1e-9 and below 1", within);
  constexpr double never = std::numeric_limits<double>::infinity();
  const detail::ExpectedChangeCoefficients change = detail::expected_change_coefficients(setting);
  const double balance = balanced_magnitude(setting);
  if (balance == 0 || balance == never) return never;
  // In units of the balance.
  const double start = setting.pair.item / balance;
  const double end = start < 1 ? 1 - within : 1 + within;
  if (start >= 1 - within && start <= 1 + within) return 0;
  if (setting.pair_loss == PairLoss::cosine) {
    // log((start^4 - 1) / (end^4 - 1)), without powers that might overflow.
    const double from = start * start, to = end * end;
    return (detail::natural_log((from - 1) / (to - 1)) +
            detail::natural_log((from + 1) / (to + 1))) /
           (-2 * change.square);
  }
  const double left = detail::natural_log((end - 1) / (start - 1));
  // dr/dt = linear (r - 1) / 2r
  if (change.square == 0) return 2 * balance * (left + end - start) / change.linear;
  // dr/dt = square (r - 1) (r - other) / 2r, by partial fractions.
  const double other = change.constant / change.square / (balance * balance);
  if (other == 1 || (other > 1 && start >= other)) return never;
  return 2 * (left - other * detail::natural_log((end - other) / (start - other))) /
         (change.square * (1 - other));
}

}  // namespace prism::inline PRISM_ISA
