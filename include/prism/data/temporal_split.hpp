// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set by time: into a past to train on, and a future to validate and test on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"

namespace prism::inline PRISM_ISA {

/// The names of these splits are those of Meng et al.: "Exploring data splitting strategies for the
/// evaluation of recommendation models", RecSys 2020.
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

/// `fraction` of n, rounded to the nearest integer, halves up.
[[nodiscard]] inline std::size_t part_size(std::size_t n, double fraction, const char* option) {
  require(fraction >= 0 && fraction < 1, option,
          "must be a fraction in [0, 1), not " + format_number(fraction));
  return static_cast<std::size_t>(std::floor(static_cast<double>(n) * fraction + 0.5));
}

/// @throws ArgumentError  for a fraction outside [0, 1), or if nothing is left to train on
[[nodiscard]] inline PartSizes part_sizes(std::size_t n, double validation, double test) {
  const PartSizes sizes{.validation = part_size(n, validation, "validation"),
                        .test = part_size(n, test, "test")};
  require(sizes.validation + sizes.test < n, "validation + test",
          "leave no interactions to train on: they take " + std::to_string(sizes.validation) +
              " and " + std::to_string(sizes.test) + " of " + std::to_string(n) + " interactions");
  return sizes;
}

inline void require_times(const Interactions& data) {
  require(!data.empty(), "data", "has no interactions");
  require(!data.times().empty(), "data",
          "has no times, so its interactions cannot be ordered; use the option time to choose the "
          "column that has them, or the file's order");
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
    std::ranges::sort(by_time, {}, [&](std::size_t k) { return std::pair(data.times()[k], k); });
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
  require_times(data);
  return split_each_user(data, [](std::size_t degree) {
    return PartSizes{.validation = degree >= 2 ? std::size_t{1} : 0, .test = 0};
  });
}

}  // namespace detail

/// Splits by time: each user's last interaction goes to test, the one before it to validation, the
/// rest to train. Users with fewer than 3 interactions stay entirely in train. Of two interactions
/// at the same time, the one with the lower item row counts as earlier.
/// @throws ArgumentError  if the data has no times, or no interactions
[[nodiscard]] inline Split leave_last_out(const Interactions& data) {
  detail::require_times(data);
  return detail::split_each_user(data, [](std::size_t degree) {
    const std::size_t one = degree >= 3 ? 1 : 0;
    return detail::PartSizes{.validation = one, .test = one};
  });
}

/// Splits by time: the last fraction of each user's interactions goes to test, the fraction before
/// it to validation, the rest to train. A fraction of a user's n interactions is rounded to the
/// nearest integer, halves up: 0.1 of 5 is 1, of 4 is 0. A user of whom nothing would be left to
/// train on stays entirely in train. Of two interactions at the same time, the one with the lower
/// item row counts as earlier. The test set of one user may be earlier than another's training set:
/// where that matters, use temporal_global_split.
/// @throws ArgumentError  if the data has no times, or no interactions; for a fraction outside
///     [0, 1)
[[nodiscard]] inline Split temporal_user_split(const Interactions& data,
                                               const TemporalSplitOptions& options = {}) {
  detail::require_times(data);
  return detail::split_each_user(data, [&options](std::size_t degree) {
    const detail::PartSizes sizes{
        .validation = detail::part_size(degree, options.validation, "validation"),
        .test = detail::part_size(degree, options.test, "test")};
    return sizes.validation + sizes.test < degree ? sizes : detail::PartSizes{};
  });
}

/// Splits by time: everything from one time on goes to test, everything from an earlier time on to
/// validation, the rest to train. The times are those for which each part is as large as its
/// fraction (of n interactions rounded to the nearest integer, halves up) or, because interactions
/// at the same time stay together, the next smaller size. Test and validation sets may have users
/// and items that the training set does not have.
/// @throws ArgumentError  if the data has no times, or no interactions; for a fraction outside
///     [0, 1); if nothing is left to train on
[[nodiscard]] inline Split temporal_global_split(const Interactions& data,
                                                 const TemporalSplitOptions& options = {}) {
  detail::require_times(data);
  const std::span<const double> times = data.times();
  const std::size_t n = data.size();
  const auto [validation, test] = detail::part_sizes(n, options.validation, options.test);
  std::vector<std::size_t> by_time(n);
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::sort(by_time, {}, [&](std::size_t k) { return std::pair(times[k], k); });
  // The first position from which on at most `count` interactions are left, and that does not
  // separate interactions at the same time.
  const auto boundary = [&](std::size_t count) {
    std::size_t at = n - count;
    while (at < n && times[by_time[at]] == times[by_time[at - 1]]) ++at;
    return at;
  };
  const std::size_t test_begin = boundary(test), validation_begin = boundary(validation + test);
  const std::span<const std::size_t> all(by_time);
  return {.train = data.subset(all.first(validation_begin)),
          .validation = data.subset(all.subspan(validation_begin, test_begin - validation_begin)),
          .test = data.subset(all.subspan(test_begin))};
}

}  // namespace prism::inline PRISM_ISA
