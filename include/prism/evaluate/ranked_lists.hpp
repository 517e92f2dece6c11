// SPDX-License-Identifier: BSD-3-Clause
// The top-k lists of an evaluation's users, from which all metrics at every length up to k follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/list_metrics.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/evaluate/user_metrics.hpp"
#include "prism/kernel/scored_item.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The Gini coefficient of counts; 0 if their sum is 0.
[[nodiscard]] PRISM_INLINE double gini(std::vector<std::size_t> counts);

}  // namespace detail

/// The lists of the evaluated users, at most k items each, and which of the items are relevant.
/// ranked_lists() makes them. Takes 5 bytes for each item of a list, and no reference to the
/// arguments of the ranking.
class RankedLists {
 public:
  /// Lists without items, which set() fills.
  /// @param relevant  on the host
  /// @param items     the number of items of the scorer
  /// @throws ArgumentError  for options or a part that do not fit together, as evaluate()
  RankedLists(const Interactions& relevant, std::size_t items, const EvaluateOptions& options);

  /// Sets the list of users()[position]; different lists may be set by several threads at once.
  /// @param best      at most k entries, best first
  /// @param relevant  the user's relevant items, ascending
  template <class T>
  void set(std::size_t position, std::span<const ScoredItem<T>> best,
           std::span<const Index> relevant) {
    sizes_[position] = best.size();
    for (std::size_t place = 0; place < best.size(); ++place) {
      const auto& [item, score] = best[place];
      detail::ListEntry entry = 0;
      if (std::ranges::binary_search(relevant, item)) entry |= detail::is_hit;
      if (place > 0 && score == best[place - 1].score) entry |= detail::is_tied;
      items_[position * length_ + place] = item;
      entries_[position * length_ + place] = entry;
    }
  }

  /// The length of the lists, the greatest k of metrics() and report().
  [[nodiscard]] std::size_t k() const noexcept { return k_; }
  /// The evaluated users that have a relevant item, ascending.
  [[nodiscard]] std::span<const Index> users() const noexcept { return users_; }
  /// The list of users()[position], best first.
  [[nodiscard]] std::span<const Index> items(std::size_t position) const noexcept {
    return std::span(items_).subspan(position * length_, sizes_[position]);
  }

  /// The metrics of each user at k.
  /// @throws ArgumentError  for k of 0, or above k()
  [[nodiscard]] UserMetrics metrics(std::size_t k) const;

  /// The means over users at k, and statistics of the items in the lists: evaluate() with this k,
  /// bit for bit.
  /// @throws ArgumentError  for k of 0, or above k()
  [[nodiscard]] Report report(std::size_t k) const;

  /// The area under the ROC curve of each user's list, which must have all items that were ranked:
  /// all candidates, or all items of the catalogue. Users with only relevant items in the list, or
  /// with none, are left out.
  /// @throws ArgumentError  if k() is less than that
  [[nodiscard]] UserAUC auc() const;

 private:
  void check_k(std::size_t k) const {
    require(k >= 1 && k <= k_, "k",
            "must be from 1 to " + std::to_string(k_) + ", the length of the lists, not " +
                std::to_string(k));
  }

  /// The first k entries of a list.
  [[nodiscard]] std::span<const detail::ListEntry> entries(std::size_t position,
                                                           std::size_t k) const noexcept {
    return std::span(entries_).subspan(position * length_, std::min(k, sizes_[position]));
  }

  [[nodiscard]] detail::ListMetrics list_metrics(std::size_t position, std::size_t k) const {
    const auto of_list = entries(position, k);
    return detail::list_metrics(items(position).first(of_list.size()), of_list, k,
                                relevant_[position], stratum_, gains_, denominator_);
  }

  /// Sets coverage, average popularity and the Gini coefficient.
  void describe_items(std::size_t k, Report& report) const;

  std::vector<Index> users_;
  std::vector<Index> popularity_;  // of every item
  std::vector<Stratum> stratum_;   // of every item
  std::size_t k_;
  std::size_t ranked_items_;  // the most that are ranked for a user
  std::size_t length_ = 0;    // the most entries of a list
  std::size_t averaged_ = 0;  // the number of users of means
  RecallDenominator denominator_;
  detail::Gains gains_;
  std::vector<std::size_t> relevant_;  // the number of each user's relevant items
  std::vector<std::size_t> sizes_;     // of the lists
  std::vector<Index> items_;           // lists of length_ items, one after the other
  std::vector<detail::ListEntry> entries_;
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/ranked_lists.inl.hpp"
#endif
