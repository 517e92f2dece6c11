// SPDX-License-Identifier: BSD-3-Clause
// The ranking quality over a list of rankings: the trade of popular against unpopular items, chosen
// for a trained model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

/// A ranking and its quality; Report::ndcg_by_stratum splits it into popular, neutral and unpopular
/// items.
struct RankingPoint {
  Ranking ranking{};
  Report report{};
};

/// A ranking for each value of one of its members: rankings_over(&Ranking::power,
/// default_powers()), or of `alpha` or `exponent`.
[[nodiscard]] inline std::vector<Ranking> rankings_over(std::optional<double> Ranking::* member,
                                                        const std::vector<double>& values) {
  std::vector<Ranking> rankings(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) rankings[k].*member = values[k];
  return rankings;
}

/// Evaluates a scorer with each of these rankings.
/// @param scorer    ranked as trained: model.scorer(exec, Ranking{})
/// @param train     the training set, whose popularity the magnitudes follow
/// @param relevant  the part to predict, such as validation
/// @throws ArgumentError  as with_ranking() and evaluate(); for no rankings, or one with values to
///     choose from
template <Execution X, class T>
[[nodiscard]] std::vector<RankingPoint> ranking_curve(const X& exec, const Scorer<T>& scorer,
                                                      const Interactions& train,
                                                      const Interactions& relevant,
                                                      std::span<const Ranking> rankings,
                                                      const EvaluateOptions& options = {}) {
  require(!rankings.empty(), "rankings", "must not be empty");
  std::vector<RankingPoint> curve;
  for (const Ranking& ranking : rankings) {
    const Scorer<T> ranked = with_ranking(exec, scorer, ranking, train);
    curve.push_back({ranking, evaluate(exec, ranked, relevant, options)});
  }
  return curve;
}
/// The same, on the host's threads.
template <class T>
[[nodiscard]] std::vector<RankingPoint> ranking_curve(const Scorer<T>& scorer,
                                                      const Interactions& train,
                                                      const Interactions& relevant,
                                                      std::span<const Ranking> rankings,
                                                      const EvaluateOptions& options = {}) {
  return ranking_curve(par, scorer, train, relevant, rankings, options);
}
/// The same for a model; each user's training items are left out as by evaluate().
template <Execution X, class Model>
[[nodiscard]] std::vector<RankingPoint> ranking_curve(const X& exec, const Model& model,
                                                      const Interactions& relevant,
                                                      std::span<const Ranking> rankings,
                                                      const EvaluateOptions& options = {}) {
  const EvaluateOptions measure = detail::excluding_seen(options, model.train(), relevant);
  const auto scorer = model.scorer(exec, Ranking{});
  return ranking_curve(exec, scorer, model.train(), relevant, rankings, measure);
}
/// The same for a model, on the host's threads.
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] std::vector<RankingPoint> ranking_curve(const Model& model,
                                                      const Interactions& relevant,
                                                      std::span<const Ranking> rankings,
                                                      const EvaluateOptions& options = {}) {
  return ranking_curve(par, model, relevant, rankings, options);
}

/// Returns the point of a curve with the greatest value of a metric; in a tie, the first.
/// @param metric  `&Report::ndcg`, or any function of a Report:
///     `[](const Report& r) { return r.ndcg_by_stratum[2]; }`
/// @throws ArgumentError  for an empty curve
template <class Metric = double Report::*>
[[nodiscard]] RankingPoint best_point(std::span<const RankingPoint> curve,
                                      const Metric& metric = &Report::ndcg) {
  require(!curve.empty(), "curve", "must have at least one point");
  return *std::ranges::max_element(
      curve, {}, [&](const RankingPoint& point) { return std::invoke(metric, point.report); });
}

}  // namespace prism::inline PRISM_ISA
