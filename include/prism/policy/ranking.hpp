// SPDX-License-Identifier: BSD-3-Clause
// How a model ranks items: with the magnitudes that training gave their rows, or with magnitudes
// from popularity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/prism_magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// The magnitude with which an item's output row v is ranked:
///   m(d) |v|^exponent,   m(d) = alpha log(d + 2) + 1 - alpha,
/// where d is the item's popularity, its number of training interactions. By default rows are
/// ranked as trained. With an alpha they have PRISM's magnitudes, written after training instead of
/// before: losses over cosines then learn directions from short rows, which turn fast, and need no
/// weight decay.
///
///   {.alpha = 0.75}                     PRISM's magnitudes, whatever the rows' own
///   {.exponent = 0.5}                   the rows' own magnitudes to a power; 0 ranks by cosine
///   {.alpha = 0.5, .exponent = 1}       the product of both
///   {.magnitude = [](double d) { return std::sqrt(d + 1); }}    another function of popularity
///   alpha_by_validation()               training chooses alpha on the validation set
struct Ranking {
  /// From 0, which ignores popularity, to max_prism_alpha. With `alphas`, the one that was chosen.
  std::optional<double> alpha{};
  /// Of the row's own magnitude. If unset: 0 if another member gives magnitudes, otherwise 1.
  std::optional<double> exponent{};
  /// In place of alpha: a function of popularity whose values are finite and above 0.
  std::function<double(double popularity)> magnitude{};
  /// In place of alpha: the magnitude of each item, finite and above 0.
  std::vector<double> magnitudes{};
  /// Alphas to choose from in training: each time the validation set is ranked, alpha is set to the
  /// one that ranks it best. Ascending. Until then rows are ranked with `alpha`, or as trained.
  std::vector<double> alphas{};
  /// Whether users' rows are scaled too, by the users' popularity. That changes scores, but no
  /// user's list. Not with `magnitudes`, which are items'.
  bool users = false;

  /// Whether popularity, a function of it or a table gives the magnitudes.
  [[nodiscard]] bool sets_magnitudes() const noexcept {
    return alpha.has_value() || magnitude != nullptr || !magnitudes.empty();
  }
  /// The exponent in effect.
  [[nodiscard]] double own_exponent() const noexcept {
    return exponent.value_or(sets_magnitudes() ? 0.0 : 1.0);
  }
  /// Whether rows are ranked with the magnitudes that training gave them.
  [[nodiscard]] bool as_trained() const noexcept {
    return !sets_magnitudes() && own_exponent() == 1;
  }
  /// m(d), 1 if nothing gives it. Not for `magnitudes`.
  [[nodiscard]] double operator()(double popularity) const {
    if (magnitude) return magnitude(popularity);
    return alpha ? prism_magnitude(*alpha, popularity) : 1.0;
  }

  /// @throws ArgumentError  for a member outside its domain, or two that exclude each other
  void check() const;

  /// "alpha 0.75", "alpha 0.75, exponent 0.5", "own function, exponent 1"; "as trained".
  [[nodiscard]] std::string label() const;
};

/// The alphas among which alpha_by_validation() chooses.
[[nodiscard]] inline std::vector<double> default_alphas() {
  return {0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.25, 1.5, 1.75, 2, 2.5, 3};
}

/// PRISM's magnitudes, with the alpha that ranks the validation set best:
///   Recommender<MF<64>, DirectAU> model(split.train, {.ranking = alpha_by_validation()});
[[nodiscard]] inline Ranking alpha_by_validation() { return {.alphas = default_alphas()}; }

inline void Ranking::check() const {
  if (alpha) check_prism_alpha(*alpha);
  if (exponent) require(is_finite(*exponent), "exponent", "must be a finite number");
  require(static_cast<int>(alpha || !alphas.empty()) + static_cast<int>(magnitude != nullptr) +
                  static_cast<int>(!magnitudes.empty()) <=
              1,
          "ranking", "must have only one of alpha, alphas, magnitude and magnitudes");
  for (const double each : alphas) check_prism_alpha(each);
  require(std::ranges::is_sorted(alphas, std::ranges::less_equal{}), "alphas",
          "must be ascending, each different from the others");
  for (const double each : magnitudes) {
    require(is_finite(each) && each > 0, "magnitudes",
            "must be finite and above 0, not " + format_number(each));
  }
  require(!users || magnitudes.empty(), "users",
          "cannot be set with `magnitudes`, which are those of items; give a function of "
          "popularity instead");
}

inline std::string Ranking::label() const {
  if (as_trained() && alphas.empty()) return "as trained";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (alpha) add("alpha " + format_number(*alpha));
  if (!alphas.empty()) {
    std::string list = "alpha by validation from";
    for (const double each : alphas) list += " " + format_number(each);
    add(list);
  }
  if (magnitude) add("own function");
  if (!magnitudes.empty()) add("own magnitudes");
  if (exponent) add("exponent " + format_number(*exponent));
  if (users) add("users too");
  return text;
}

namespace detail {

/// The magnitudes m(d) of rows, in the table's scalar type; empty if all are 1.
/// @param popularity  of each row
/// @throws ArgumentError  for a magnitude that is not finite and above 0, or a wrong number of them
template <class T>
[[nodiscard]] std::vector<T> magnitudes_for(const Ranking& ranking,
                                            std::span<const Index> popularity) {
  if (!ranking.sets_magnitudes()) return {};
  std::vector<T> values(popularity.size());
  if (!ranking.magnitudes.empty()) {
    require(ranking.magnitudes.size() == popularity.size(), "magnitudes",
            "must have one number for each of the " + std::to_string(popularity.size()) +
                " items, not " + std::to_string(ranking.magnitudes.size()));
  }
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double value =
        ranking.magnitudes.empty() ? ranking(popularity[r]) : ranking.magnitudes[r];
    values[r] = static_cast<T>(value);
    require(is_finite(values[r]) && values[r] > 0, "magnitude",
            "must be finite and above 0, not " + format_number(value) + " for popularity " +
                std::to_string(popularity[r]));
  }
  return values;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
