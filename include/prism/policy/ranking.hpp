// SPDX-License-Identifier: BSD-3-Clause
// How a model ranks items: with the magnitudes that training gave their rows, or with magnitudes
// from popularity.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/policy/prism_alpha.hpp"

namespace prism::inline PRISM_ISA {

/// The magnitude with which an item's output row v is ranked:
///   m(d) |v|^exponent,
/// where d is the item's popularity, its number of training interactions, and m one of
///   alpha log(d + 2) + 1 - alpha     PRISM's (the paper, section 4)
///   (d + 1)^power                    weight decay tends to 1/4: docs/explanation/theorem.md
/// By default rows are ranked as trained. Losses over cosines do not depend on magnitudes: with
/// these, written after training, they need no weight decay, and can learn directions from short
/// rows, which turn fast.
///
///   {.power = 0.25}, {.alpha = 0.75}    magnitudes from popularity, whatever the rows' own
///   {.exponent = 0.5}                   the rows' own magnitudes to a power; 0 ranks by cosine
///   {.power = 0.1, .exponent = 1}       the product of both
///   {.magnitude = [](double d) { return std::log(d + 2); }}     another function of popularity
///   power_by_validation()               training chooses the power on the validation set
struct Ranking {
  /// PRISM's alpha, from 0, which ignores popularity, to max_prism_alpha.
  std::optional<double> alpha{};
  /// The power of d + 1, from -max_power to max_power; 0 ignores popularity.
  std::optional<double> power{};
  static constexpr double max_power = 4;
  /// The exponent of the row's own magnitude. If unset: 0 if another member gives magnitudes,
  /// otherwise 1. From -max_exponent to max_exponent.
  std::optional<double> exponent{};
  static constexpr double max_exponent = 100;
  /// In place of alpha and power: a function of popularity, finite and above 0.
  std::function<double(double popularity)> magnitude{};
  /// In place of alpha and power: the magnitude of each item, finite and above 0.
  std::vector<double> magnitudes{};
  /// Values to choose from in training, ascending. Each validation sets alpha or power: it tries
  /// the last choice and its neighbours, as long as these rank better, on a sample of the users
  /// where there are more than 4096. At the end all values are tried for the best epoch's weights.
  /// Before the first validation of a training rows are ranked as the other members say, also in a
  /// model that was trained without them: ranking_curve() chooses for that.
  std::vector<double> alphas{};
  std::vector<double> powers{};
  /// Whether users' rows are scaled too, by the users' popularity. This changes scores, but no
  /// user's list, unless the loss's ranking rule has an offset, as MACR's has. Together with a
  /// function `magnitude`, the model cannot be saved. Not with `magnitudes`, which are those of
  /// items.
  bool users = false;

  /// Whether popularity, a function of it or a table gives the magnitudes.
  [[nodiscard]] bool sets_magnitudes() const noexcept {
    return alpha || power || magnitude || !magnitudes.empty();
  }
  /// The exponent in effect.
  [[nodiscard]] double own_exponent() const noexcept {
    return exponent.value_or(sets_magnitudes() ? 0.0 : 1.0);
  }
  /// Whether rows are ranked with the magnitudes that training gave them.
  [[nodiscard]] bool as_trained() const noexcept {
    return !sets_magnitudes() && own_exponent() == 1;
  }
  /// Whether rows are ranked as trained, and training chooses nothing.
  [[nodiscard]] bool is_default() const noexcept { return as_trained() && !chooses(); }
  /// Whether training chooses alpha or power.
  [[nodiscard]] bool chooses() const noexcept { return !alphas.empty() || !powers.empty(); }
  /// The values that it chooses from.
  [[nodiscard]] std::span<const double> choices() const noexcept {
    return powers.empty() ? alphas : powers;
  }
  /// The alpha or power that was chosen; unset before that.
  [[nodiscard]] std::optional<double> chosen() const noexcept {
    return powers.empty() ? alpha : power;
  }
  /// This ranking with another choice. @param value  of alphas or powers; unset: none
  [[nodiscard]] Ranking with_choice(std::optional<double> value) const {
    Ranking ranking = *this;
    (powers.empty() ? ranking.alpha : ranking.power) = value;
    return ranking;
  }
  /// This ranking with the choice fixed: without values to choose from.
  [[nodiscard]] Ranking as_chosen() const {
    Ranking ranking = *this;
    ranking.alphas.clear();
    ranking.powers.clear();
    return ranking;
  }

  /// @throws ArgumentError  for a member outside its domain, or two that exclude each other
  void check() const;
  /// @throws ArgumentError  if there are values to choose from, and training has chosen none of
  /// them
  void check_has_choice() const {
    require(!chooses() || chosen(), powers.empty() ? "alphas" : "powers",
            "are for training to choose from: give one value instead");
  }

  /// "power 0.25", "alpha 0.75, exponent 0.5", "own function"; "as trained".
  [[nodiscard]] std::string label() const;
  /// The label without the values that training chooses from: "power by validation".
  [[nodiscard]] std::string name() const;
};

/// The values among which alpha_by_validation() and power_by_validation() choose.
[[nodiscard]] inline std::vector<double> default_alphas() {
  return {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875,
          1, 1.25,  1.5,  1.75,  2,   2.5,   3,    max_prism_alpha};
}
[[nodiscard]] inline std::vector<double> default_powers() {
  return {0,   0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2,  0.225, 0.25, 0.3, 0.35,
          0.4, 0.45,  0.5,  0.6,   0.7, 0.8,   0.9,  1,     1.25, 1.5,   2,    2.5, 3};
}

/// Magnitudes (d + 1)^power, with the power that ranks the validation set best. For losses over
/// cosines; under one of dot products, such as BPR, `exponent` 1 beside it keeps the magnitudes
/// that the loss has learnt, which may be better or not:
///   Recommender<MF<64>, DirectAU> model(split.train, {.ranking = power_by_validation()});
[[nodiscard]] inline Ranking power_by_validation() { return {.powers = default_powers()}; }
/// PRISM's magnitudes, with the alpha that ranks the validation set best.
[[nodiscard]] inline Ranking alpha_by_validation() { return {.alphas = default_alphas()}; }

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/policy/ranking.inl.hpp"
#endif
