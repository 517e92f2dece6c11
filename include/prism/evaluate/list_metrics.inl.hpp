// SPDX-License-Identifier: BSD-3-Clause
// Functions that list_metrics.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/list_metrics.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/kernel/power.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE Gains::Gains(std::size_t ranks) : discount_(ranks), ideal_(ranks + 1) {
  // Early stopping depends on these sums: with the C library's logarithm, the best epoch could
  // differ between machines.
  for (std::size_t place = 0; place < ranks; ++place) {
    discount_[place] = elementary::log(2.0) / elementary::log(static_cast<double>(place + 2));
    ideal_[place + 1] = ideal_[place] + discount_[place];
  }
}

PRISM_INLINE ListMetrics list_metrics(std::span<const Index> items,
                                      std::span<const ListEntry> entries, std::size_t k,
                                      std::size_t relevant, std::span<const Stratum> stratum,
                                      const Gains& gains, RecallDenominator denominator) {
  ListMetrics metrics;
  double hits = 0;
  for (std::size_t place = 0; place < items.size(); ++place) {
    if ((entries[place] & is_hit) == 0) continue;
    const double rank = static_cast<double>(place + 1);
    if (hits == 0) metrics.reciprocal_rank = 1.0 / rank;
    ++hits;
    metrics.average_precision += hits / rank;
    metrics.gain[static_cast<std::size_t>(stratum[items[place]])] += gains.at(place);
  }
  const std::size_t max_hits = std::min(k, relevant);
  const double ideal = gains.ideal(max_hits);
  for (double& gain : metrics.gain) gain /= ideal;
  const bool capped = denominator == RecallDenominator::at_most_k;
  const double findable = static_cast<double>(capped ? max_hits : relevant);
  metrics.recall = hits / findable;
  metrics.average_precision /= findable;
  metrics.precision = hits / static_cast<double>(k);
  metrics.hit = hits > 0 ? 1 : 0;
  return metrics;
}

PRISM_INLINE std::optional<double> list_auc(std::span<const ListEntry> entries) {
  // In the order of the list, entries of equal scores form one group.
  double hits = 0, others = 0, correct = 0, group_hits = 0, group_others = 0;
  const auto close_group = [&] {
    correct += group_others * (hits + group_hits / 2);
    hits += group_hits;
    others += group_others;
    group_hits = group_others = 0;
  };
  for (const ListEntry entry : entries) {
    if ((entry & is_tied) == 0) close_group();
    ((entry & is_hit) != 0 ? group_hits : group_others) += 1;
  }
  close_group();
  if (hits == 0 || others == 0) return std::nullopt;
  return correct / (hits * others);
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
