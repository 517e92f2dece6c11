// SPDX-License-Identifier: BSD-3-Clause
// Ranking quality of a model, and its relation to popularity.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/kernel/ascending_rows.hpp"
#include "prism/kernel/power.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The metrics of one user.
struct UserMetrics {
  double recall = 0, precision = 0, mrr = 0, hit = 0;
  std::array<double, 3> gain{};
};

/// The metrics of one list.
/// @param relevant  ascending, at least one
/// @param discount  of each rank, min(k, items) numbers
template <class T>
[[nodiscard]] UserMetrics list_metrics(std::span<const ScoredItem<T>> best,
                                       std::span<const Index> relevant, std::size_t k,
                                       std::span<const Stratum> stratum,
                                       std::span<const double> discount,
                                       RecallDenominator denominator) {
  UserMetrics metrics;
  double hits = 0;
  for (std::size_t place = 0; place < best.size(); ++place) {
    if (!std::ranges::binary_search(relevant, best[place].item)) continue;
    if (hits == 0) metrics.mrr = 1.0 / static_cast<double>(place + 1);
    ++hits;
    metrics.gain[static_cast<std::size_t>(stratum[best[place].item])] += discount[place];
  }
  const std::size_t max_hits = std::min(k, relevant.size());
  const std::span<const double> ideal_gains = discount.first(max_hits);
  const double ideal = std::accumulate(ideal_gains.begin(), ideal_gains.end(), 0.0);
  for (double& gain : metrics.gain) gain /= ideal;
  const bool capped = denominator == RecallDenominator::at_most_k;
  metrics.recall = hits / static_cast<double>(capped ? max_hits : relevant.size());
  metrics.precision = hits / static_cast<double>(k);
  metrics.hit = hits > 0 ? 1 : 0;
  return metrics;
}

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

/// The number of interactions of each item in all parts together; an interaction that is in several
/// parts counts once.
[[nodiscard]] inline std::vector<Index> total_popularity(const Interactions& relevant,
                                                         const EvaluateOptions& options) {
  if (!options.popularity.empty()) return {options.popularity.begin(), options.popularity.end()};
  const std::span<const Index> counts = relevant.item_degree();
  std::vector<Index> popularity(counts.begin(), counts.end());
  std::vector<AscendingRows> counted;
  for (Index user = 0; user < relevant.users(); ++user) {
    counted.assign(1, AscendingRows(relevant.items_of(user)));
    for (const Interactions* seen : options.exclude) {
      const std::span<const Index> items = seen->on_host().items_of(user);
      for (const Index item : items) {
        const bool anew = std::ranges::none_of(
            counted, [=](const AscendingRows& part) { return part.contains(item); });
        popularity[item] += anew ? 1 : 0;
      }
      counted.emplace_back(items);
    }
  }
  return popularity;
}

inline void check(const EvaluateOptions& options, const Interactions& relevant, std::size_t users,
                  std::size_t items) {
  const auto fits = [&](const Interactions& part) {
    return part.users() == users && part.items() == items;
  };
  const std::string shape =
      std::to_string(users) + " users and " + std::to_string(items) + " items, as the model has";
  require_at_least_one("k", options.k);
  require_enumerator("similarity", options.similarity, Similarity::cosine);
  require_enumerator("averaged_users", options.averaged_users, AveragedUsers::all);
  require_enumerator("recall_denominator", options.recall_denominator,
                     RecallDenominator::at_most_k);
  require(fits(relevant), "relevant", "must have " + shape);
  require(!relevant.empty(), "relevant", "has no interactions, so there is nothing to evaluate");
  for (const Interactions* seen : options.exclude) {
    require(seen != nullptr && fits(*seen), "exclude",
            "each part must be non-null and have " + shape);
  }
  require(options.popularity.empty() || options.popularity.size() == items, "popularity",
          "must have one count for each of the " + std::to_string(items) + " items");
}

/// Whether `part` has every interaction of `other`. @param other  of the same users
[[nodiscard]] inline bool has_all_of(const Interactions& part, const Interactions& other) {
  for (Index user = 0; user < other.users(); ++user) {
    if (!std::ranges::includes(part.items_of(user), other.items_of(user))) return false;
  }
  return true;
}

/// The options with which a model's scorer is evaluated: `exclude` includes the training set if
/// exclude_seen is set.
/// @throws ArgumentError  as evaluate() of a model
[[nodiscard]] inline EvaluateOptions excluding_seen(EvaluateOptions options,
                                                    const Interactions& train,
                                                    const Interactions& relevant) {
  check(options, relevant, train.users(), train.items());
  if (!options.exclude_seen) return options;
  require(!have_common_interaction(relevant.on_host(), train.on_host()), "relevant",
          "must have no interactions in common with the training set, which exclude_seen removes "
          "from the ranking; pass {.exclude_seen = false} to rank training items too");
  // A part that has all training interactions leaves them out already.
  if (std::ranges::none_of(options.exclude, [&](const Interactions* part) {
        return has_all_of(part->on_host(), train.on_host());
      })) {
    options.exclude.push_back(&train);
  }
  return options;
}

}  // namespace detail

/// Ranks all items for every user with a relevant item, and returns the metrics.
/// @param exec      where the ranking runs; the host's threads if left out
/// @param scorer    from Recommender::scorer()
/// @param relevant  the part to predict, validation or test
/// @throws ArgumentError  for k of 0; if a part or popularity does not have the scorer's shape; if
///     `relevant` has no interactions
template <Execution X, class T>
[[nodiscard]] Report evaluate(const X& exec, const Scorer<T>& scorer, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  if (device_memory(relevant.memory()) != nullptr) {
    return evaluate(exec, scorer, relevant.on_host(), options);
  }
  const std::size_t items = scorer.output.items().size();
  detail::check(options, relevant, scorer.output.users().size(), items);
  const std::vector<Index> popularity = detail::total_popularity(relevant, options);
  const std::vector<Stratum> stratum = strata(popularity);
  const std::size_t list_length = std::min(options.k, items);
  std::vector<double> discount(list_length);
  // Early stopping depends on these sums: with the C library's logarithm, the best epoch could
  // differ between machines.
  for (std::size_t place = 0; place < list_length; ++place) {
    discount[place] = elementary::log(2.0) / elementary::log(static_cast<double>(place + 2));
  }
  std::vector<Index> users;
  for (Index user = 0; user < relevant.users(); ++user) {
    if (!relevant.items_of(user).empty()) users.push_back(user);
  }

  std::vector<detail::UserMetrics> metrics(users.size());
  std::vector<Index> recommended(users.size() * list_length, absent);
  rank_items(exec, scorer, users, options.k, options.exclude, options.similarity,
             [&](std::size_t position, std::span<const ScoredItem<T>> best) {
               metrics[position] =
                   detail::list_metrics(best, relevant.items_of(users[position]), options.k,
                                        stratum, discount, options.recall_denominator);
               std::ranges::transform(best, recommended.data() + position * list_length,
                                      &ScoredItem<T>::item);
             });

  Report report{.k = options.k, .users = users.size()};
  for (const detail::UserMetrics& user : metrics) {
    report.recall += user.recall;
    report.precision += user.precision;
    report.mrr += user.mrr;
    report.hit_rate += user.hit;
    for (std::size_t s = 0; s < 3; ++s) report.ndcg_by_stratum[s] += user.gain[s];
  }
  const double mean =
      1.0 / static_cast<double>(options.averaged_users == AveragedUsers::all ? relevant.users()
                                                                             : users.size());
  for (double* sum : {&report.recall, &report.precision, &report.mrr, &report.hit_rate}) {
    *sum *= mean;
  }
  for (double& gain : report.ndcg_by_stratum) {
    gain *= mean;
    report.ndcg += gain;
  }

  std::vector<std::size_t> times_recommended(items);
  double popularity_sum = 0, recommendations = 0;
  for (const Index item : recommended) {
    if (item == absent) continue;  // a list shorter than k
    ++times_recommended[item];
    popularity_sum += static_cast<double>(popularity[item]);
    ++recommendations;
  }
  const auto never_recommended = std::ranges::count(times_recommended, std::size_t{0});
  report.coverage = 1.0 - static_cast<double>(never_recommended) / static_cast<double>(items);
  report.average_popularity = recommendations > 0 ? popularity_sum / recommendations : 0;
  report.gini = detail::gini(std::move(times_recommended));
  return report;
}

/// Evaluates a model. Each user's training items are left out unless {.exclude_seen = false}:
/// evaluate(model, split.test, {.exclude = {&split.validation}}).
/// @throws ArgumentError  as for a scorer; if exclude_seen is set and `relevant` has an interaction
///     in common with the training set
template <Execution X, class Model>
[[nodiscard]] Report evaluate(const X& exec, const Model& model, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  const EvaluateOptions of_scorer = detail::excluding_seen(options, model.train(), relevant);
  return evaluate(exec, model.scorer(exec), relevant, of_scorer);
}

/// The same for a scorer or a model, on the host's threads.
template <class Ranked>
[[nodiscard]] Report evaluate(const Ranked& ranked, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  return evaluate(par, ranked, relevant, options);
}

}  // namespace prism::inline PRISM_ISA
