// SPDX-License-Identifier: BSD-3-Clause
// Splits a data set by time: into a past to train on, and a future to validate and test on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/read_summary.hpp"
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
[[nodiscard]] inline PartSizes part_sizes(std::size_t n, double validation, double test) {
  const PartSizes sizes{.validation = part_size(n, validation, "validation"),
                        .test = part_size(n, test, "test")};
  require(sizes.validation + sizes.test < n, "validation + test",
          "leave no interactions to train on: they take " + std::to_string(sizes.validation) +
              " and " + std::to_string(sizes.test) + " of " + std::to_string(n) + " interactions");
  return sizes;
}

/// @param argument  the name of `data` in an error
inline void require_times(const Interactions& data, const char* argument = "data") {
  require(!data.empty(), argument, "has no interactions");
  require(
      !data.times().empty(), argument,
      "has no times, so its interactions cannot be ordered; choose the column of times with the "
      "option time, or use file_order");
  const std::span<const double> times = data.times();
  require(times.size() == 1 || std::ranges::any_of(times, [&](double t) { return t != times[0]; }),
          argument,
          "has the same time in all interactions, so they cannot be ordered; choose another column "
          "with the option time, or split at random");
}

/// Whether there are ten users or more with two interactions or more, and each user's are all
/// before or all after another's.
[[nodiscard]] inline bool is_one_user_after_another(const Interactions& data) {
  std::vector<std::pair<double, double>> spans;  // from a user's first time to the last
  std::size_t begin = 0;
  for (Index user = 0; user < data.users(); ++user) {
    const auto times = data.times().subspan(begin, data.user_degree()[user]);
    begin += times.size();
    if (times.size() < 2) continue;
    const auto [first, last] = std::ranges::minmax(times);
    spans.emplace_back(first, last);
  }
  std::ranges::sort(spans);
  const auto overlap = [](const auto& span, const auto& next) { return next.first <= span.second; };
  return spans.size() >= 10 && std::ranges::adjacent_find(spans, overlap) == spans.end();
}

/// Adjacency lists in chronological order, and tables sorted by user, give the order of each user's
/// interactions, but not the order between those of different users.
inline void require_order_across_users(const Interactions& data, const char* argument) {
  const auto& summary = data.read_summary();
  const bool lists = summary && summary->format == Format::adjacency;
  require(!data.times_are_positions() || (!lists && !is_one_user_after_another(data)), argument,
          "lists the interactions of one user after another, so their order says nothing about "
          "those of different users; split by the time of each user");
}

/// A random number for each interaction, to order those at the same time. It depends on the ids, as
/// rows are numbered in the order of first appearance, that is, by the rest of the file, and by
/// popularity.
[[nodiscard]] inline std::uint64_t tie_breaker(const Interactions& data, std::size_t k) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  };
  for (const char c : (*data.user_ids())[data[k].user]) add(c);
  // No id of a file contains it. Pairs of ids from Arrow that do may have the same number, and are
  // then in the order of their positions.
  add('\n');
  for (const char c : (*data.item_ids())[data[k].item]) add(c);
  return Random(0, Stream::split).bits(hash);
}

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
/// train on stays entirely in train. Interactions at the same time are in a random order that
/// depends only on their ids. The test set of one user may be earlier than another's training set:
/// where that matters, use temporal_global_split.
/// @throws ArgumentError  if the data has no times, only equal ones, or no interactions; for a
///     fraction outside [0, 1); if the fractions add up to 1 or more
[[nodiscard]] inline Split temporal_user_split(const Interactions& data,
                                               const TemporalSplitOptions& options = {}) {
  detail::require_times(data);
  const double held_out = options.validation + options.test;
  require(!(held_out >= 1) || options.validation >= 1 || options.test >= 1, "validation + test",
          "must be below 1, not " + format_number(held_out) +
              ", so that interactions are left to train on");
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
/// and items that the training set does not have, and often have many.
/// @throws ArgumentError  if the data has no times, only equal ones, or no interactions; if times
///     are positions in a file (file_order) that lists one user after another; for a fraction
///     outside [0, 1); if nothing is left to train on
[[nodiscard]] inline Split temporal_global_split(const Interactions& data,
                                                 const TemporalSplitOptions& options = {}) {
  detail::require_times(data);
  detail::require_order_across_users(data, "data");
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
  const std::size_t test_begin = boundary(test);
  const std::size_t validation_begin = boundary(validation + (n - test_begin));
  const std::span<const std::size_t> all(by_time);
  return {.train = data.subset(all.first(validation_begin)),
          .validation = data.subset(all.subspan(validation_begin, test_begin - validation_begin)),
          .test = data.subset(all.subspan(test_begin))};
}

}  // namespace prism::inline PRISM_ISA
