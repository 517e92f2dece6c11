// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set into training, validation and test sets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/execution/serial.hpp"

namespace prism::inline PRISM_ISA {

struct SplitOptions {
  double validation = 0.1;   ///< fraction of all interactions, in [0, 1)
  double test = 0.1;         ///< fraction of all interactions, in [0, 1)
  std::uint64_t seed = 123;  ///< equal seeds give equal parts
};

struct GivenSplitOptions {
  double validation = 0.1;     ///< fraction of the training set, in [0, 1)
  std::uint64_t seed = 123;    ///< equal seeds give equal parts
  bool drop_repeated = false;  ///< remove interactions from test that are also in train; if false,
                               ///< they are an error
};

namespace detail {

/// `fraction` of n, rounded to the nearest integer, halves up.
[[nodiscard]] inline std::size_t part_size(std::size_t n, double fraction, const char* option) {
  require(fraction >= 0 && fraction < 1, option,
          "must be a fraction in [0, 1), not " + format_number(fraction));
  return static_cast<std::size_t>(std::floor(static_cast<double>(n) * fraction + 0.5));
}

/// 0, ..., n-1 in random order.
[[nodiscard]] inline std::vector<std::size_t> random_permutation(std::size_t n,
                                                                 std::uint64_t seed) {
  require(n <= std::numeric_limits<std::uint32_t>::max(), "interactions",
          "can be split at random only up to 4294967295 of them");
  std::vector<std::size_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  shuffle(serial, std::span(positions), Random(seed, Stream::split));
  return positions;
}

}  // namespace detail

/// Draws the validation and test sets at random from all interactions; the rest is train. A
/// fraction of n interactions is rounded to the nearest integer, halves up: 0.1 of 25 is 3.
/// @throws ArgumentError  for a fraction outside [0, 1), or if nothing is left to train on
[[nodiscard]] inline Split random_split(const Interactions& data,
                                        const SplitOptions& options = {}) {
  const std::size_t n = data.size();
  const std::size_t validation = detail::part_size(n, options.validation, "validation");
  const std::size_t test = detail::part_size(n, options.test, "test");
  require(validation + test < n, "validation + test",
          "leave nothing to train on: they take " + std::to_string(validation) + " and " +
              std::to_string(test) + " of " + std::to_string(n) + " interactions");
  const std::vector<std::size_t> positions = detail::random_permutation(n, options.seed);
  const std::span<const std::size_t> all(positions);
  return {.train = data.subset(all.subspan(validation + test)),
          .validation = data.subset(all.first(validation)),
          .test = data.subset(all.subspan(validation, test))};
}

/// Keeps a published test set, and draws the validation set at random from the published
/// training set.
/// @throws ArgumentError  if the two have different users, items or ids; if an interaction is in
///                        both, unless drop_repeated; for a fraction outside [0, 1); if nothing is
///                        left to train on
[[nodiscard]] inline Split given_split(const Interactions& train, const Interactions& test,
                                       const GivenSplitOptions& options = {}) {
  require(*train.user_ids() == *test.user_ids() && *train.item_ids() == *test.item_ids(), "test",
          "has other users or items than train; read both at once, so that they share their ids");
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < test.size(); ++k) {
    if (!train.contains(test[k].user, test[k].item)) kept.push_back(k);
  }
  require(options.drop_repeated || kept.size() == test.size(), "test",
          std::to_string(test.size() - kept.size()) + " of its " + std::to_string(test.size()) +
              " interactions are also in train; the option drop_repeated leaves them out of test");
  Split split =
      random_split(train, {.validation = options.validation, .test = 0, .seed = options.seed});
  split.test = test.subset(kept);
  return split;
}

/// Merges the validation set into the training set and keeps the test set, to train again once
/// the hyperparameters have been chosen on the validation set.
[[nodiscard]] inline Split merge_validation(const Split& split) {
  std::vector<Interaction> pairs;
  std::vector<double> times;
  for (const Interactions* part : {&split.train, &split.validation}) {
    for (std::size_t k = 0; k < part->size(); ++k) pairs.push_back((*part)[k]);
    times.insert(times.end(), part->times().begin(), part->times().end());
  }
  const Interactions& train = split.train;
  return {.train = Interactions(train.user_ids(), train.item_ids(), pairs, times),
          .validation = Interactions(train.user_ids(), train.item_ids(), {}),
          .test = split.test};
}

/// Splits by time: each user's last interaction goes to test, the one before it to validation, the
/// rest to train. Users with fewer than 3 interactions stay entirely in train. Of two interactions
/// at the same time, the one with the lower item row counts as earlier.
/// @throws ArgumentError  if the data has no times, or no interactions
[[nodiscard]] inline Split leave_last_out(const Interactions& data) {
  require(!data.empty(), "data", "has no interactions");
  require(!data.times().empty(), "data",
          "has no times, so that no interaction is the last; read a column of times, or use "
          "random_split");
  std::vector<std::size_t> train, validation, test, by_time;
  std::size_t begin = 0;
  for (Index user = 0; user < data.users(); ++user) {
    by_time.resize(data.user_degree()[user]);
    std::iota(by_time.begin(), by_time.end(), begin);
    begin += by_time.size();
    std::ranges::sort(by_time, {}, [&](std::size_t k) { return std::pair(data.times()[k], k); });
    if (by_time.size() >= 3) {
      test.push_back(by_time.back());
      by_time.pop_back();
      validation.push_back(by_time.back());
      by_time.pop_back();
    }
    train.insert(train.end(), by_time.begin(), by_time.end());
  }
  return {.train = data.subset(train),
          .validation = data.subset(validation),
          .test = data.subset(test)};
}

}  // namespace prism::inline PRISM_ISA
