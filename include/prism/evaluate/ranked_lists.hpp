// SPDX-License-Identifier: BSD-3-Clause
// The top-k lists of an evaluation's users, from which all metrics at every length up to k follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/evaluated_parts.hpp"
#include "prism/evaluate/list_metrics.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/evaluate/user_metrics.hpp"
#include "prism/kernel/scored_item.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The Gini coefficient of counts; 0 if their sum is 0.
[[nodiscard]] inline double gini(std::vector<std::size_t> counts) {
  std::ranges::sort(counts);
  double weighted = 0, total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    weighted += static_cast<double>(i + 1) * static_cast<double>(counts[i]);
    total += static_cast<double>(counts[i]);
  }
  const double n = static_cast<double>(counts.size());
  return total > 0 ? (2 * weighted / total - (n + 1)) / n : 0;
}

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
  RankedLists(const Interactions& relevant, std::size_t items, const EvaluateOptions& options)
      : users_(detail::evaluated_users(relevant, options)),
        popularity_(detail::total_popularity(relevant, options)),
        stratum_(strata(popularity_)),
        k_(options.k),
        ranked_items_(items),
        denominator_(options.recall_denominator),
        gains_(std::min(options.k, items)) {
    const std::size_t all = options.users.empty() ? relevant.users() : options.users.size();
    averaged_ = options.averaged_users == AveragedUsers::all ? all : users_.size();
    if (options.candidates != nullptr) {
      ranked_items_ = 0;
      for (const Index user : users_) {
        ranked_items_ =
            std::max(ranked_items_, options.candidates->on_host().items_of(user).size());
      }
    }
    length_ = std::min(k_, ranked_items_);
    relevant_.reserve(users_.size());
    for (const Index user : users_) relevant_.push_back(relevant.items_of(user).size());
    sizes_.resize(users_.size());
    items_.resize(users_.size() * length_);
    entries_.resize(users_.size() * length_);
  }

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
  [[nodiscard]] UserMetrics metrics(std::size_t k) const {
    check_k(k);
    UserMetrics users{.k = k};
    for (const auto& [name, values] : user_metric_names) (users.*values).resize(users_.size());
    for (std::size_t position = 0; position < users_.size(); ++position) {
      const detail::ListMetrics list = list_metrics(position, k);
      users.ndcg[position] = list.ndcg();
      users.recall[position] = list.recall;
      users.precision[position] = list.precision;
      users.average_precision[position] = list.average_precision;
      users.reciprocal_rank[position] = list.reciprocal_rank;
      users.hit[position] = list.hit;
    }
    return users;
  }

  /// The means over users at k, and statistics of the items in the lists: evaluate() with this k,
  /// bit for bit.
  /// @throws ArgumentError  for k of 0, or above k()
  [[nodiscard]] Report report(std::size_t k) const {
    check_k(k);
    Report report{.k = k, .users = users_.size()};
    for (std::size_t position = 0; position < users_.size(); ++position) {
      const detail::ListMetrics user = list_metrics(position, k);
      report.recall += user.recall;
      report.precision += user.precision;
      report.mrr += user.reciprocal_rank;
      report.hit_rate += user.hit;
      for (std::size_t s = 0; s < 3; ++s) report.ndcg_by_stratum[s] += user.gain[s];
    }
    const double mean = 1.0 / static_cast<double>(averaged_);
    for (double* sum : {&report.recall, &report.precision, &report.mrr, &report.hit_rate}) {
      *sum *= mean;
    }
    for (double& gain : report.ndcg_by_stratum) {
      gain *= mean;
      report.ndcg += gain;
    }
    describe_items(k, report);
    return report;
  }

  /// The area under the ROC curve of each user's list, which must have all items that were ranked:
  /// all candidates, or all items of the catalogue. Users with only relevant items in the list, or
  /// with none, are left out.
  /// @throws ArgumentError  if k() is less than that
  [[nodiscard]] UserAUC auc() const {
    require(k_ >= ranked_items_, "k",
            "must be at least " + std::to_string(ranked_items_) +
                ", the number of items that are ranked for a user, not " + std::to_string(k_) +
                ": the area under the ROC curve depends on all of them");
    UserAUC users;
    for (std::size_t position = 0; position < users_.size(); ++position) {
      const auto auc = detail::list_auc(entries(position, k_));
      if (!auc) continue;
      users.position.push_back(position);
      users.auc.push_back(*auc);
    }
    return users;
  }

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
  void describe_items(std::size_t k, Report& report) const {
    const std::size_t items = popularity_.size();
    std::vector<std::size_t> times_recommended(items);
    double popularity_sum = 0, recommendations = 0;
    for (std::size_t position = 0; position < users_.size(); ++position) {
      for (const Index item : this->items(position).first(std::min(k, sizes_[position]))) {
        ++times_recommended[item];
        popularity_sum += static_cast<double>(popularity_[item]);
        ++recommendations;
      }
    }
    const auto never_recommended = std::ranges::count(times_recommended, std::size_t{0});
    report.coverage = 1.0 - static_cast<double>(never_recommended) / static_cast<double>(items);
    report.average_popularity = recommendations > 0 ? popularity_sum / recommendations : 0;
    report.gini = detail::gini(std::move(times_recommended));
  }

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
