// SPDX-License-Identifier: BSD-3-Clause
// The choice of a ranking's alpha or power on the validation set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/training/metric.hpp"
#include "prism/training/validation_reports.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The users on whom values are compared during training. Fewer would save little: preparing the
/// items for a ranking takes as long as ranking some hundreds of users.
inline constexpr std::size_t users_to_choose_on = 2048;

/// The interactions of every n-th user that has any, for users_to_choose_on users or up to half as
/// many again; none if there are fewer than twice users_to_choose_on.
[[nodiscard]] inline Interactions sample_to_choose_on(const Interactions& validation) {
  std::vector<Interaction> pairs;
  std::size_t users = 0;
  for (Index user = 0; user < validation.users(); ++user) {
    users += validation.items_of(user).empty() ? 0U : 1U;
  }
  const std::size_t stride = users / users_to_choose_on;
  std::size_t place = 0;
  for (Index user = 0; stride > 1 && user < validation.users(); ++user) {
    const auto items = validation.items_of(user);
    if (items.empty() || place++ % stride != 0) continue;
    for (const Index item : items) pairs.push_back({user, item});
  }
  return {validation.user_ids(), validation.item_ids(), pairs};
}

/// A value of alpha or power, and the validation set ranked with it.
struct RankedChoice {
  double value;
  Report report;
};

/// The value that ranks best; in a tie, the one tried first.
/// @param values    ascending, at least one
/// @param metric    greater is better
/// @param start     where the search begins: it goes on to neighbouring values as long as these
///     rank better, mostly three rankings in all. If unset, all values are tried
/// @param validate  returns the report of a value
template <class Validate>
[[nodiscard]] RankedChoice choose_value(std::span<const double> values, const Metric& metric,
                                        std::optional<double> start, const Validate& validate) {
  std::size_t best = 0;
  if (start) {
    const auto at = std::ranges::lower_bound(values, *start);
    best = std::min<std::size_t>(static_cast<std::size_t>(at - values.begin()), values.size() - 1);
  }
  Report report = validate(values[best]);
  double best_metric = metric(report);
  // Whether values[k] ranks better; it is then the best.
  const auto improves = [&](std::size_t k) {
    Report other = validate(values[k]);
    const double other_metric = metric(other);
    if (!(other_metric > best_metric)) return false;
    best = k;
    report = std::move(other);
    best_metric = other_metric;
    return true;
  };
  if (!start) {
    for (std::size_t k = 1; k < values.size(); ++k) improves(k);
    return {values[best], std::move(report)};
  }
  bool rose = false;
  while (best + 1 < values.size() && improves(best + 1)) rose = true;
  while (!rose && best > 0 && improves(best - 1)) {
  }
  return {values[best], std::move(report)};
}

/// What values are compared on.
struct ChoiceParts {
  const Interactions& validation;
  const Interactions& sample;  ///< of it; empty: `validation` itself
};

/// The alpha or power of a ranking that ranks the validation set best.
/// @param quality  quality(ranking, relevant): the report of a ranking
template <class Quality>
[[nodiscard]] RankedChoice choose_ranking(const Ranking& ranking, ChoiceSearch search,
                                          const ChoiceParts& parts, const Metric& metric,
                                          const Quality& quality) {
  constexpr double first_choice = 0.25;  // where the first search begins
  const bool sampled = !parts.sample.empty();
  const Interactions& sample = sampled ? parts.sample : parts.validation;
  const auto on = [&](const Interactions& relevant) {
    return [&](double value) { return quality(ranking.with_choice(value), relevant); };
  };
  std::optional<double> start;
  if (search == ChoiceSearch::nearby) start = ranking.chosen().value_or(first_choice);
  RankedChoice choice = choose_value(ranking.choices(), metric, start, on(sample));
  if (!sampled) return choice;
  if (search == ChoiceSearch::nearby) return {choice.value, on(parts.validation)(choice.value)};
  return choose_value(ranking.choices(), metric, choice.value, on(parts.validation));
}

}  // namespace prism::inline PRISM_ISA::detail
