// SPDX-License-Identifier: BSD-3-Clause
// The probability that an item is in a batch, as a function of its popularity.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// How batches are sampled in an epoch. Counts are signed, so that negative ones can be rejected.
struct BatchSampling {
  std::int64_t pairs = 0;       ///< |E|, training interactions, at least 1
  std::int64_t batch_size = 0;  ///< |B|, from 1 to pairs
  std::int64_t negatives = 0;   ///< n, drawn uniformly for each pair
  std::int64_t items = 0;       ///< |I|, from which negatives are drawn; required if negatives > 0
  /// Whether a batch's negatives are distinct, as the paper's n|B|/|I| assumes; otherwise they are
  /// drawn independently: 1 - (1 - 1/|I|)^(n|B|).
  bool distinct_negatives = true;
};

/// Probabilities that an item is in a batch.
struct BatchProbability {
  double positive = 0;       ///< in at least one of its pairs
  double negative_only = 0;  ///< among its negatives, and in none of its pairs

  /// P(i in B).
  [[nodiscard]] constexpr double in_batch() const noexcept { return positive + negative_only; }
};

namespace detail {

/// Not constexpr: in a constant expression a value outside its domain gives a compile error here,
/// which shows the requirement.
[[noreturn]] inline void outside_domain(const char* argument, const char* requirement,
                                        double value) {
  throw ArgumentError(argument, std::string(requirement) + ", not " + format_number(value));
}

constexpr void require_domain(bool condition, const char* argument, const char* requirement,
                              double value) {
  if (!condition) outside_domain(argument, requirement, value);
}

/// 1 - (1 - p)^times, by doubling and without cancellation: p becomes the probability of a success
/// in 2, 4, 8, ... trials.
constexpr double probability_of_any(double p, std::int64_t times) noexcept {
  double any = 0;
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) any += p * (1 - any);
    p += p * (1 - p);
  }
  return any;
}

constexpr void check(const BatchSampling& batches) {
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const auto& [pairs, batch_size, negatives, items, distinct] = batches;
  require_domain(pairs >= 1, "pairs", "must be at least 1", number(pairs));
  require_domain(batch_size >= 1 && batch_size <= pairs, "batch_size",
                 "must be at least 1 and at most the number of pairs", number(batch_size));
  require_domain(negatives >= 0, "negatives", "must be at least 0", number(negatives));
  require_domain(negatives == 0 || items >= 1, "items",
                 "must be at least 1 where there are negatives", number(items));
  require_domain(negatives <= std::numeric_limits<std::int64_t>::max() / batch_size, "negatives",
                 "times batch_size must be below 2^63", number(negatives) * number(batch_size));
  require_domain(
      negatives == 0 || !distinct || negatives <= items / batch_size, "negatives",
      "times batch_size must be at most the number of items (or distinct_negatives false)",
      number(negatives) * number(batch_size));
}

}  // namespace detail

/// The probability that an item is in a batch (the paper, KDD 2025, theorem 1 and its extension to
/// negatives): each of its `popularity` interactions is in the batch with probability |B|/|E|,
///   P(i in B) = 1 - (1 - |B|/|E|)^d * (1 - n|B|/|I|).
/// If batches are consecutive parts of a shuffled epoch, the interactions are not independent, and
/// the relative error of the first factor is about d^2 |B| / (2 |E|^2).
///
/// @param popularity  d, from 0 to batches.pairs
/// @throws ArgumentError  for a count outside its domain; in a constant expression it does not
///                        compile
[[nodiscard]] constexpr BatchProbability batch_probability(std::int64_t popularity,
                                                           const BatchSampling& batches) {
  detail::check(batches);
  detail::require_domain(popularity >= 0 && popularity <= batches.pairs, "popularity",
                         "must be at least 0 and at most the number of pairs",
                         static_cast<double>(popularity));
  const double pair_probability =
      static_cast<double>(batches.batch_size) / static_cast<double>(batches.pairs);
  const double positive = detail::probability_of_any(pair_probability, popularity);
  if (batches.negatives == 0) return {positive, 0};
  const std::int64_t draws = batches.negatives * batches.batch_size;
  const double items = static_cast<double>(batches.items);
  const double negative = batches.distinct_negatives ? static_cast<double>(draws) / items
                                                     : detail::probability_of_any(1 / items, draws);
  return {positive, (1 - positive) * negative};
}

}  // namespace prism::inline PRISM_ISA
