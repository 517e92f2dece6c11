// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set by time: into a past to train on, and a future to validate and test on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"

namespace prism::inline PRISM_ISA {

/// The splits are named after Meng et al.: "Exploring data splitting strategies for the evaluation
/// of recommendation models", RecSys 2020.
struct TemporalSplitOptions {
  double validation = 0.1;  ///< fraction of each user's, or of all, interactions, in [0, 1)
  double test = 0.1;        ///< fraction of each user's, or of all, interactions, in [0, 1)
};

namespace detail {

/// How many interactions go to a part.
struct PartSizes {
  std::size_t validation;
  std::size_t test;
};

/// `fraction` of n, as computed in double, rounded to the nearest integer, halves up.
[[nodiscard]] inline std::size_t part_size(std::size_t n, double fraction, const char* option) {
  require(fraction >= 0 && fraction < 1, option,
          "must be a fraction in [0, 1), not " + format_number(fraction));
  return static_cast<std::size_t>(std::floor(static_cast<double>(n) * fraction + 0.5));
}

/// @throws ArgumentError  for a fraction outside [0, 1), or if nothing is left to train on
[[nodiscard]] PRISM_INLINE PartSizes part_sizes(std::size_t n, double validation, double test);

/// @param argument  the name of `data` in an error
PRISM_INLINE void require_times(const Interactions& data, const char* argument = "data");

/// Whether there are ten users or more with two interactions or more, and each user's are all
/// before or all after another's.
[[nodiscard]] PRISM_INLINE bool is_one_user_after_another(const Interactions& data);

/// Adjacency lists in chronological order, and tables sorted by user, give the order of each user's
/// interactions, but not the order between those of different users.
PRISM_INLINE void require_order_across_users(const Interactions& data, const char* argument);

/// A random number for each interaction, to order those at the same time. It depends on the ids, as
/// rows are numbered in the order of first appearance, that is, by the rest of the file, and by
/// popularity.
[[nodiscard]] PRISM_INLINE std::uint64_t tie_breaker(const Interactions& data, std::size_t k);

/// Whether interaction a is before b in chronological order, and of equal times in a random one.
[[nodiscard]] inline bool is_earlier(const Interactions& data, std::size_t a, std::size_t b) {
  const double time_a = data.times()[a], time_b = data.times()[b];
  if (time_a != time_b) return time_a < time_b;
  return std::pair(tie_breaker(data, a), a) < std::pair(tie_breaker(data, b), b);
}

/// The last of each user's interactions go to test, those before them to validation.
/// @param sizes  (std::size_t degree) -> PartSizes
template <class Sizes>
[[nodiscard]] Split split_each_user(const Interactions& data, const Sizes& sizes) {
  std::vector<std::size_t> train, validation, test, by_time;
  std::size_t begin = 0;
  for (Index user = 0; user < data.users(); ++user) {
    by_time.resize(data.user_degree()[user]);
    std::iota(by_time.begin(), by_time.end(), begin);
    begin += by_time.size();
    std::ranges::sort(by_time,
                      [&](std::size_t a, std::size_t b) { return is_earlier(data, a, b); });
    const PartSizes parts = sizes(by_time.size());
    const auto take = [&](std::vector<std::size_t>& part, std::size_t count) {
      const auto first = by_time.end() - static_cast<std::ptrdiff_t>(count);
      part.insert(part.end(), first, by_time.end());
      by_time.erase(first, by_time.end());
    };
    take(test, parts.test);
    take(validation, parts.validation);
    take(train, by_time.size());
  }
  return {.train = data.subset(train),
          .validation = data.subset(validation),
          .test = data.subset(test)};
}

/// Each user's last of 2 or more interactions goes to validation, the rest to train.
[[nodiscard]] inline Split validate_on_last(const Interactions& data) {
  return split_each_user(data, [](std::size_t degree) {
    return PartSizes{.validation = degree >= 2 ? std::size_t{1} : 0, .test = 0};
  });
}

}  // namespace detail

/// Splits by time: each user's last interaction goes to test, the one before it to validation, the
/// rest to train. Users with fewer than 3 interactions stay entirely in train. Interactions at the
/// same time are in a random order that depends only on their ids.
/// @throws ArgumentError  if the data has no times, only equal ones, or no interactions
[[nodiscard]] PRISM_INLINE Split leave_last_out(const Interactions& data);

/// Splits by time: the last fraction of each user's interactions goes to test, the fraction before
/// it to validation, the rest to train. A fraction of a user's n interactions is rounded to the
/// nearest integer, halves up: 0.1 of 5 is 1, of 4 is 0. A user of whom nothing would be left to
/// train on stays entirely in train. Interactions at the same time are in a random order that
/// depends only on their ids. The test set of one user may be earlier than another's training set:
/// where that matters, use temporal_global_split.
/// @throws ArgumentError  if the data has no times, only equal ones, or no interactions; for a
///     fraction outside [0, 1); if the fractions add up to 1 or more
[[nodiscard]] PRISM_INLINE Split temporal_user_split(const Interactions& data,
                                                     const TemporalSplitOptions& options = {});

/// Splits by time: everything from one time on goes to test, everything from an earlier time on to
/// validation, the rest to train. The times are those for which each part is as large as its
/// fraction (of n interactions rounded to the nearest integer, halves up) or, because interactions
/// at the same time stay together, the next smaller size. Test and validation sets may have users
/// and items that the training set does not have, and often have many.
/// @throws ArgumentError  if the data has no times, only equal ones, or no interactions; if times
///     are positions in a file (file_order) that lists one user after another; for a fraction
///     outside [0, 1); if nothing is left to train on
[[nodiscard]] PRISM_INLINE Split temporal_global_split(const Interactions& data,
                                                       const TemporalSplitOptions& options = {});

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/temporal_split.inl.hpp"
#endif
