// SPDX-License-Identifier: BSD-3-Clause
// The metrics of one list. Means over users, reports, and values of each user all come from here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/kernel/power.hpp"

namespace prism::inline PRISM_ISA::detail {

/// What an entry of a list is, as bits.
using ListEntry = std::uint8_t;
inline constexpr ListEntry is_hit = 1;   ///< the item is relevant
inline constexpr ListEntry is_tied = 2;  ///< its score equals that of the entry before

/// The gain of a hit at each rank, and that of ideal lists.
class Gains {
 public:
  /// @param ranks  the number of ranks
  explicit Gains(std::size_t ranks) : discount_(ranks), ideal_(ranks + 1) {
    // Early stopping depends on these sums: with the C library's logarithm, the best epoch could
    // differ between machines.
    for (std::size_t place = 0; place < ranks; ++place) {
      discount_[place] = elementary::log(2.0) / elementary::log(static_cast<double>(place + 2));
      ideal_[place + 1] = ideal_[place] + discount_[place];
    }
  }

  /// Of a hit at a place, from 0.
  [[nodiscard]] double at(std::size_t place) const noexcept { return discount_[place]; }
  /// Of a list that begins with this many hits and has no others.
  [[nodiscard]] double ideal(std::size_t hits) const noexcept { return ideal_[hits]; }

 private:
  std::vector<double> discount_;
  std::vector<double> ideal_;
};

struct ListMetrics {
  double recall = 0, precision = 0, average_precision = 0, reciprocal_rank = 0, hit = 0;
  std::array<double, 3> gain{};  ///< the parts of NDCG by stratum

  [[nodiscard]] double ndcg() const noexcept { return gain[0] + gain[1] + gain[2]; }
};

/// @param items     of the list, best first, at most k
/// @param entries   one for each item
/// @param relevant  the number of the user's relevant items, at least one
/// @param stratum   of every item
[[nodiscard]] inline ListMetrics list_metrics(std::span<const Index> items,
                                              std::span<const ListEntry> entries, std::size_t k,
                                              std::size_t relevant,
                                              std::span<const Stratum> stratum, const Gains& gains,
                                              RecallDenominator denominator) {
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

/// The area under the ROC curve of a list of all items that were ranked; unset if none of them, or
/// each of them, is a hit.
[[nodiscard]] inline std::optional<double> list_auc(std::span<const ListEntry> entries) {
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

}  // namespace prism::inline PRISM_ISA::detail
