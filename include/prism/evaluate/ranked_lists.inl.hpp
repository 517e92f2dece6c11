// SPDX-License-Identifier: BSD-3-Clause
// Functions that ranked_lists.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
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
#include "prism/evaluate/ranked_lists.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/evaluate/user_metrics.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE double gini(std::vector<std::size_t> counts) {
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

PRISM_INLINE RankedLists::RankedLists(const Interactions& relevant, std::size_t items,
                                      const EvaluateOptions& options)
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
      ranked_items_ = std::max(ranked_items_, options.candidates->on_host().items_of(user).size());
    }
  }
  length_ = std::min(k_, ranked_items_);
  relevant_.reserve(users_.size());
  for (const Index user : users_) relevant_.push_back(relevant.items_of(user).size());
  sizes_.resize(users_.size());
  items_.resize(users_.size() * length_);
  entries_.resize(users_.size() * length_);
}

PRISM_INLINE UserMetrics RankedLists::metrics(std::size_t k) const {
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

PRISM_INLINE Report RankedLists::report(std::size_t k) const {
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

PRISM_INLINE UserAUC RankedLists::auc() const {
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

PRISM_INLINE void RankedLists::describe_items(std::size_t k, Report& report) const {
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

}  // namespace prism::inline PRISM_ISA
