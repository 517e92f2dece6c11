// SPDX-License-Identifier: BSD-3-Clause
// The choice of a ranking's alpha or power on the validation set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/training/metric.hpp"

namespace prism::inline PRISM_ISA::detail {

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

}  // namespace prism::inline PRISM_ISA::detail
