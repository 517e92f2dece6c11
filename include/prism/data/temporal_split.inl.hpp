// SPDX-License-Identifier: BSD-3-Clause
// Functions that temporal_split.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
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
#include "prism/data/temporal_split.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE PartSizes part_sizes(std::size_t n, double validation, double test) {
  const PartSizes sizes{.validation = part_size(n, validation, "validation"),
                        .test = part_size(n, test, "test")};
  require(sizes.validation + sizes.test < n, "validation + test",
          "leave no interactions to train on: they take " + std::to_string(sizes.validation) +
              " and " + std::to_string(sizes.test) + " of " + std::to_string(n) + " interactions");
  return sizes;
}

PRISM_INLINE void require_times(const Interactions& data, const char* argument) {
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

PRISM_INLINE bool is_one_user_after_another(const Interactions& data) {
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

PRISM_INLINE void require_order_across_users(const Interactions& data, const char* argument) {
  const auto& summary = data.read_summary();
  const bool lists = summary && summary->format == Format::adjacency;
  require(!data.times_are_positions() || (!lists && !is_one_user_after_another(data)), argument,
          "lists the interactions of one user after another, so their order says nothing about "
          "those of different users; split by the time of each user");
}

PRISM_INLINE std::uint64_t tie_breaker(const Interactions& data, std::size_t k) {
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

}  // namespace detail

PRISM_INLINE Split leave_last_out(const Interactions& data) {
  detail::require_times(data);
  return detail::split_each_user(data, [](std::size_t degree) {
    const std::size_t one = degree >= 3 ? 1 : 0;
    return detail::PartSizes{.validation = one, .test = one};
  });
}

PRISM_INLINE Split temporal_user_split(const Interactions& data,
                                       const TemporalSplitOptions& options) {
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

PRISM_INLINE Split temporal_global_split(const Interactions& data,
                                         const TemporalSplitOptions& options) {
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
