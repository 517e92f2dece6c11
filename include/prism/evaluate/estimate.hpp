// SPDX-License-Identifier: BSD-3-Clause
// Means of users' metrics with their standard errors: over a sample of users, and by user group.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// A mean and its standard error.
struct Estimate {
  std::size_t count = 0;                                   ///< of the values
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< NaN without values
  /// s / sqrt(count), where s is the standard deviation with the denominator count - 1; NaN for
  /// fewer than two values.
  double standard_error = std::numeric_limits<double>::quiet_NaN();
};

/// The mean of some values, such as lists.metrics(20).ndcg.
/// @param population  if the values are a sample without replacement from this many, of which the
///     mean is to be estimated: the standard error is then multiplied by
///     sqrt(1 - count / population) (Cochran, "Sampling techniques", 1977, section 2.6). If 0, from
///     unlimitedly many
/// @throws ArgumentError  for a value that is not finite, or a population smaller than the sample
[[nodiscard]] PRISM_INLINE Estimate estimate(std::span<const double> values,
                                             std::size_t population = 0);

/// The group of each row by a count, such as that of a user's training interactions: the number of
/// bounds that are at most its count. With the bounds 10 and 50: 0 below 10, 1 from 10 to 49, 2
/// from 50 on.
/// @param counts  one for each row: train.user_degree()
/// @param bounds  ascending
/// @throws ArgumentError  if the bounds are not ascending
[[nodiscard]] PRISM_INLINE std::vector<Index> groups_by_count(std::span<const Index> counts,
                                                              std::span<const Index> bounds);

/// The mean of each group's values, in the order of the groups' numbers, up to the largest.
/// @param users     of the values: lists.users()
/// @param values    a number for each of them: lists.metrics(20).ndcg
/// @param group_of  the group of every user of the data, from 0; `absent` for users in no group
/// @throws ArgumentError  if users and values differ in number, if a user has no entry in
///     group_of, for a group of more than the number of all users, or a value that is not finite
[[nodiscard]] PRISM_INLINE std::vector<Estimate> estimate_by_group(std::span<const Index> users,
                                                                   std::span<const double> values,
                                                                   std::span<const Index> group_of);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/estimate.inl.hpp"
#endif
