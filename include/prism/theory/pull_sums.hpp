// SPDX-License-Identifier: BSD-3-Clause
// The expected change of an item that meets each of its users in a way of its own: as the theorem
// has it, and as a real batch behaves, in which a popular item stands in many pairs.
#pragma once

#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/constexpr_math.hpp"
#include "prism/theory/magnitude.hpp"
#include "prism/theory/occurrence.hpp"

namespace prism::inline PRISM_ISA {

/// g as it is made of its two rows: g = of_user u + of_item i.
struct PullDirection {
  double of_user = 0;
  double of_item = 0;
};

/// @param uu, ui, ii  |u|^2, u . i and |i|^2; by cosine a row of length 0, or one whose square is
///     no normal number, has no direction, and neither pulls nor is pulled
[[nodiscard]] constexpr PullDirection pull_direction(Alignment alignment, double uu, double ui,
                                                     double ii) noexcept {
  if (alignment == Alignment::dot) return {1, 0};
  if (alignment == Alignment::euclidean) return {2, -2};
  constexpr double smallest = std::numeric_limits<double>::min();
  const double lengths = square_root(uu) * square_root(ii);
  if (uu < smallest || ii < smallest) return {};
  return {1 / lengths, -ui / lengths / ii};
}

/// What an item's pairs do to it, summed up.
struct PullSums {
  double along = 0;     ///< sum of g . i
  double squared = 0;   ///< sum of |g|^2
  double together = 0;  ///< |sum of g|^2
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
/// @param pulls  over the item's setting.popularity pairs
/// @throws ArgumentError  for a number outside its domain, negatives among them; in a constant
///     expression it does not compile
[[nodiscard]] constexpr double expected_change(const TheoremSetting& setting, const PullSums& pulls,
                                               Updates updates) {
  detail::check(setting);
  for (const double sum : {pulls.along, pulls.squared, pulls.together}) {
    detail::require_domain(sum - sum == 0, "pulls", "must be finite numbers", sum);
  }
  detail::require_domain(setting.batches.negatives == 0, "negatives", "must be 0 here",
                         static_cast<double>(setting.batches.negatives));
  const double chance = occurrence(setting.popularity, setting.batches).positive;
  const double decay = (setting.decay == Decay::full ? 1 : chance) *
                       decay_change(setting.pair.item, setting.learning_rate, setting.lambda);
  if (setting.popularity == 0) return decay;
  const double pairs = static_cast<double>(setting.batches.pairs);
  const double in = static_cast<double>(setting.batches.batch_size) / pairs;
  const double shrinkage = setting.learning_rate * setting.lambda;
  const double step = setting.learning_rate * setting.pair_weight;
  if (updates == Updates::at_most_one) {
    const double each = chance / static_cast<double>(setting.popularity);
    return decay + each * pair_change({pulls.along, pulls.squared}, step, shrinkage);
  }
  const double both =
      pairs > 1 ? in * static_cast<double>(setting.batches.batch_size - 1) / (pairs - 1) : 0;
  const double squared = in * pulls.squared + both * (pulls.together - pulls.squared);
  return decay + pair_change({in * pulls.along, squared}, step, shrinkage);
}

}  // namespace prism::inline PRISM_ISA
