// SPDX-License-Identifier: BSD-3-Clause
// Functions that estimate.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/estimate.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE Estimate estimate(std::span<const double> values, std::size_t population) {
  require(std::ranges::all_of(values, [](double value) { return detail::is_finite(value); }),
          "values", "must be finite numbers");
  require(population == 0 || population >= values.size(), "population",
          "must be 0, or at least the number of values, " + std::to_string(values.size()) +
              ", not " + std::to_string(population));
  Estimate result{.count = values.size()};
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double not_sampled = population == 0 ? 1
                                             : static_cast<double>(population - values.size()) /
                                                   static_cast<double>(population);
  result.standard_error = std::sqrt(squares / (count - 1) / count * not_sampled);
  return result;
}

PRISM_INLINE std::vector<Index> groups_by_count(std::span<const Index> counts,
                                                std::span<const Index> bounds) {
  require(std::ranges::is_sorted(bounds), "bounds", "must be in ascending order");
  std::vector<Index> groups(counts.size());
  std::ranges::transform(counts, groups.begin(), [&](Index count) {
    return static_cast<Index>(std::ranges::upper_bound(bounds, count) - bounds.begin());
  });
  return groups;
}

PRISM_INLINE std::vector<Estimate> estimate_by_group(std::span<const Index> users,
                                                     std::span<const double> values,
                                                     std::span<const Index> group_of) {
  require(users.size() == values.size(), "values",
          "must have one number for each of the " + std::to_string(users.size()) + " users, not " +
              std::to_string(values.size()));
  std::vector<std::vector<double>> grouped;
  for (const Index group : group_of) {
    if (group == absent) continue;
    // Numbers of groups, not identifiers, which might be anything.
    require(group < group_of.size(), "group_of",
            "must have groups numbered from 0, below the number of users, not " +
                std::to_string(group));
    if (group >= grouped.size()) grouped.resize(std::size_t{group} + 1);
  }
  for (std::size_t j = 0; j < users.size(); ++j) {
    require(users[j] < group_of.size(), "group_of",
            "must have a group for each user, also for " + std::to_string(users[j]));
    if (const Index group = group_of[users[j]]; group != absent) {
      grouped[group].push_back(values[j]);
    }
  }
  std::vector<Estimate> estimates;
  for (const std::vector<double>& of_group : grouped) estimates.push_back(estimate(of_group));
  return estimates;
}

}  // namespace prism::inline PRISM_ISA
