// SPDX-License-Identifier: BSD-3-Clause
// The choice of a ranking's alpha on the validation set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/training/metric.hpp"

namespace prism::inline PRISM_ISA::detail {

/// An alpha, and the validation set ranked with it.
struct ChosenAlpha {
  double alpha;
  Report report;
};

/// The alpha that ranks best; in a tie, the one tried first.
/// @param alphas    ascending, at least one
/// @param metric    greater is better
/// @param start     where the search begins: it goes to neighbouring alphas as long as these rank
///     better, for three rankings or a few more. If unset, all alphas are tried
/// @param validate  returns the report of an alpha
template <class Validate>
[[nodiscard]] ChosenAlpha choose_alpha(std::span<const double> alphas, const Metric& metric,
                                       std::optional<double> start, const Validate& validate) {
  std::size_t best = 0;
  if (start) {
    const auto at = std::ranges::lower_bound(alphas, *start);
    best = std::min<std::size_t>(static_cast<std::size_t>(at - alphas.begin()), alphas.size() - 1);
  }
  Report report = validate(alphas[best]);
  double value = metric(report);
  // Whether alphas[k] ranks better; it is then the best.
  const auto improves = [&](std::size_t k) {
    Report other = validate(alphas[k]);
    const double other_value = metric(other);
    if (!(other_value > value)) return false;
    best = k;
    report = std::move(other);
    value = other_value;
    return true;
  };
  if (!start) {
    for (std::size_t k = 1; k < alphas.size(); ++k) improves(k);
    return {alphas[best], std::move(report)};
  }
  bool rose = false;
  while (best + 1 < alphas.size() && improves(best + 1)) rose = true;
  while (!rose && best > 0 && improves(best - 1)) {
  }
  return {alphas[best], std::move(report)};
}

}  // namespace prism::inline PRISM_ISA::detail
