// SPDX-License-Identifier: BSD-3-Clause
// Ranking quality of a model, and its relation to popularity.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/evaluated_parts.hpp"
#include "prism/evaluate/rank_candidates.hpp"
#include "prism/evaluate/ranked_lists.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// Ranks all items, or the candidates, for every user with a relevant item. The lists have
/// options.k items; their metrics at each smaller k follow without another ranking:
///   const RankedLists lists = ranked_lists(model, split.test, {.k = 100});
///   lists.report(20), lists.metrics(10).ndcg
/// @param exec      where the ranking runs; the host's threads if left out
/// @param scorer    from Recommender::scorer()
/// @param relevant  the part to predict, validation or test
/// @throws ArgumentError  for k of 0; if a part or popularity does not have the scorer's shape; if
///     `relevant` has no interactions; for users that are not ascending, or have no relevant item;
///     for candidates without any relevant item
template <Execution X, class T>
[[nodiscard]] RankedLists ranked_lists(const X& exec, const Scorer<T>& scorer,
                                       const Interactions& relevant,
                                       const EvaluateOptions& options = {}) {
  const Interactions& on_host = relevant.on_host();
  const std::size_t items = scorer.output.items().size();
  detail::check(options, on_host, scorer.output.users().size(), items);
  RankedLists lists(on_host, items, options);
  const std::span<const Index> users = lists.users();
  const auto set = [&](std::size_t position, std::span<const ScoredItem<T>> best) {
    lists.set(position, best, on_host.items_of(users[position]));
  };
  if (options.candidates != nullptr) {
    rank_candidates(exec, scorer, users, options.k, *options.candidates, options.exclude,
                    options.similarity, set);
  } else {
    rank_items(exec, scorer, users, options.k, options.exclude, options.similarity, set);
  }
  return lists;
}

/// The lists of a model. Each user's training items are left out unless {.exclude_seen = false}.
/// @throws ArgumentError  as for a scorer; if exclude_seen is set and `relevant` has an interaction
///     in common with the training set
template <Execution X, class Model>
[[nodiscard]] RankedLists ranked_lists(const X& exec, const Model& model,
                                       const Interactions& relevant,
                                       const EvaluateOptions& options = {}) {
  const EvaluateOptions scorer_options = detail::excluding_seen(options, model.train(), relevant);
  return ranked_lists(exec, model.scorer(exec), relevant, scorer_options);
}

/// The same for a scorer or a model, on the host's threads.
template <class Ranked>
[[nodiscard]] RankedLists ranked_lists(const Ranked& ranked, const Interactions& relevant,
                                       const EvaluateOptions& options = {}) {
  return ranked_lists(par, ranked, relevant, options);
}

/// Ranks all items, or the candidates, for every user with a relevant item, and returns the
/// metrics.
/// @throws ArgumentError  as ranked_lists()
template <Execution X, class T>
[[nodiscard]] Report evaluate(const X& exec, const Scorer<T>& scorer, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  return ranked_lists(exec, scorer, relevant, options).report(options.k);
}

/// Evaluates a model. Each user's training items are left out unless {.exclude_seen = false}:
/// evaluate(model, split.test, {.exclude = {&split.validation}}).
/// @throws ArgumentError  as for a scorer; if exclude_seen is set and `relevant` has an interaction
///     in common with the training set
template <Execution X, class Model>
[[nodiscard]] Report evaluate(const X& exec, const Model& model, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  const EvaluateOptions scorer_options = detail::excluding_seen(options, model.train(), relevant);
  return evaluate(exec, model.scorer(exec), relevant, scorer_options);
}

/// The same for a scorer or a model, on the host's threads.
template <class Ranked>
[[nodiscard]] Report evaluate(const Ranked& ranked, const Interactions& relevant,
                              const EvaluateOptions& options = {}) {
  return evaluate(par, ranked, relevant, options);
}

}  // namespace prism::inline PRISM_ISA
