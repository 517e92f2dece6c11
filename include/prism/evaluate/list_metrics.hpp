// SPDX-License-Identifier: BSD-3-Clause
// The metrics of one list. Means over users, reports, and values of each user all come from here.
#pragma once

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

namespace prism::inline PRISM_ISA::detail {

/// What an entry of a list is, as bits.
using ListEntry = std::uint8_t;
inline constexpr ListEntry is_hit = 1;   ///< the item is relevant
inline constexpr ListEntry is_tied = 2;  ///< its score equals that of the entry before

/// The gain of a hit at each rank, and that of ideal lists.
class Gains {
 public:
  /// @param ranks  the number of ranks
  explicit Gains(std::size_t ranks);

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
[[nodiscard]] PRISM_INLINE ListMetrics list_metrics(std::span<const Index> items,
                                                    std::span<const ListEntry> entries,
                                                    std::size_t k, std::size_t relevant,
                                                    std::span<const Stratum> stratum,
                                                    const Gains& gains,
                                                    RecallDenominator denominator);

/// The area under the ROC curve of a list of all items that were ranked; unset if none of them, or
/// each of them, is a hit.
[[nodiscard]] PRISM_INLINE std::optional<double> list_auc(std::span<const ListEntry> entries);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/evaluate/list_metrics.inl.hpp"
#endif
