// SPDX-License-Identifier: BSD-3-Clause
// One step of message passing at ranking time: adds to each row of a trained model the rows of its
// neighbours in the training graph.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/power.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/propagation.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// How neighbours' rows are added to a row: u + weight |N_u|^n sum over i in N_u of |N_i|^m i for a
/// user u with the training items N_u, and likewise for an item; both use the scorer's rows,
/// for a model those that it ranks with.
/// Ju et al.: "How does message passing improve collaborative filtering?" (TAG-CF), NeurIPS 2024,
/// whose weight is 1; m and n are those of its published code.
struct Aggregation {
  double neighbour_exponent = -0.5;  ///< m, of the neighbour's number of interactions
  double own_exponent = -0.5;        ///< n, of the row's own number of interactions
  double weight = 1;                 ///< at least 0; with 0, rows do not change

  /// "m -0.5, n -0.5, weight 1"; "none" for a weight of 0.
  [[nodiscard]] std::string label() const {
    if (weight == 0) return "none";
    return "m " + format_number(neighbour_exponent) + ", n " + format_number(own_exponent) +
           ", weight " + format_number(weight);
  }
};

/// Candidates for selection on the validation set: none, and 48 settings, tried on MovieLens 100K
/// with several losses and on Gowalla and Yelp2018 with SLK (docs/how_to/test_time_aggregation.md).
inline constexpr std::array<Aggregation, 49> aggregation_grid = [] {
  std::array<Aggregation, 49> grid{{{.weight = 0}}};
  std::size_t k = 1;
  for (const double m : {-0.5, -0.7, -1.0}) {
    for (const double n : {-0.2, -0.5, -0.7, -0.85}) {
      for (const double weight : {0.1, 0.3, 1.0, 3.0}) grid[k++] = {m, n, weight};
    }
  }
  return grid;
}();

namespace detail {

/// factor * d^exponent for each degree d, 0 for d = 0.
template <class T>
[[nodiscard]] std::vector<T> degree_powers(std::span<const Index> degree, double exponent,
                                           double factor) {
  std::vector<T> powers(degree.size());
  std::ranges::transform(degree, powers.begin(), [=](Index d) {
    return d == 0 ? T{0}
                  : static_cast<T>(factor * elementary::pow(static_cast<double>(d), exponent));
  });
  return powers;
}

}  // namespace detail

/// Returns the scorer with neighbours' rows added to each row. With weight 0 this is the same
/// scorer, bit for bit, and a view of the model if it was one. A ranking rule's factors and offset
/// are kept, not recomputed from the new rows. Rows of users and items without interactions do not
/// change.
/// @param exec   where it runs; for a device, the host that it belongs to; the host's threads if
///     left out
/// @param train  the interactions that the model learnt from, `model.train()`
/// @throws ArgumentError  for options that are not finite, a negative weight, a scorer whose rows
///     or factors do not fit together, a training set whose numbers of users and items differ from
///     the scorer's, or rows that would not be finite
template <Execution X, class T>
[[nodiscard]] Scorer<T> with_aggregation(const X& exec, const Scorer<T>& scorer,
                                         const Interactions& train,
                                         const Aggregation& aggregation) {
  const auto& [m, n, weight] = aggregation;
  require(detail::is_finite(m) && detail::is_finite(n), "aggregation",
          "must have finite exponents");
  require(detail::is_finite(weight) && weight >= 0, "aggregation",
          "must have a finite weight of at least 0, not " + format_number(weight));
  detail::check_scorer(scorer);
  const Rows<const T> users = scorer.output.users(), items = scorer.output.items();
  require(train.users() == users.size() && train.items() == items.size(), "train",
          "must have the scorer's " + std::to_string(users.size()) + " users and " +
              std::to_string(items.size()) + " items");
  if (weight == 0) return scorer;

  const auto host = host_of(exec);
  const auto numbers = [](Rows<const T> rows) {
    return std::span<const T>(rows.data(), rows.num_elements());
  };
  const HostView<T, X> user_numbers(exec, numbers(users)), item_numbers(exec, numbers(items));
  const Rows<const T> own_users(user_numbers.numbers().data(), users.size(), users.dim());
  const Rows<const T> own_items(item_numbers.numbers().data(), items.size(), items.dim());
  Scratch scratch;
  const auto aggregate = [&](Adjacency neighbours, std::span<const Index> own_degree,
                             Rows<const T> own, std::span<const Index> neighbour_degree,
                             Rows<const T> of_neighbours) {
    const std::vector<T> own_scale = detail::degree_powers<T>(own_degree, n, weight);
    const std::vector<T> neighbour_scale = detail::degree_powers<T>(neighbour_degree, m, 1);
    Matrix<T> sum = make_table<T>(own.size(), own.dim());
    scratch.reset();
    detail::propagate_side<T>(host, neighbours, of_neighbours, neighbour_scale, own_scale,
                              scratch.allocate<T>(own.size(), own.dim()), own, rows(sum), T{1});
    require(all_finite(host, std::span<const T>(sum.data(), sum.size())), "aggregation",
            "produces rows with numbers that are not finite: " + aggregation.label());
    return sum;
  };
  const Interactions& graph = train.on_host();
  Matrix<T> user_rows = aggregate(graph.items_by_user(), graph.user_degree(), own_users,
                                  graph.item_degree(), own_items);
  Matrix<T> item_rows = aggregate(graph.users_by_item(), graph.item_degree(), own_items,
                                  graph.user_degree(), own_users);
  return {Output<T>(std::move(user_rows), std::move(item_rows)), scorer.user_factor,
          scorer.item_factor, scorer.offset};
}
/// The same, on the host's threads.
template <class T>
[[nodiscard]] Scorer<T> with_aggregation(const Scorer<T>& scorer, const Interactions& train,
                                         const Aggregation& aggregation) {
  return with_aggregation(par, scorer, train, aggregation);
}

/// The ranking quality with one aggregation.
struct AggregationPoint {
  Aggregation aggregation{};
  Report report{};
};

/// Evaluates a scorer with each of these aggregations.
/// @param train     the interactions that the model learnt from, which are not recommended
/// @param relevant  the part to predict, such as validation
/// @throws ArgumentError  as with_aggregation() and evaluate(); for no aggregations
template <Execution X, class T>
[[nodiscard]] std::vector<AggregationPoint> aggregation_points(
    const X& exec, const Scorer<T>& scorer, const Interactions& train, const Interactions& relevant,
    std::span<const Aggregation> aggregations, const EvaluateOptions& options = {}) {
  require(!aggregations.empty(), "aggregations", "must not be empty");
  const EvaluateOptions scorer_options = detail::excluding_seen(options, train, relevant);
  std::vector<AggregationPoint> points;
  for (const Aggregation& aggregation : aggregations) {
    const auto aggregated = with_aggregation(exec, scorer, train, aggregation);
    points.push_back({aggregation, evaluate(exec, aggregated, relevant, scorer_options)});
  }
  return points;
}
/// The same for a model.
template <Execution X, class Model>
[[nodiscard]] std::vector<AggregationPoint> aggregation_points(
    const X& exec, const Model& model, const Interactions& relevant,
    std::span<const Aggregation> aggregations, const EvaluateOptions& options = {}) {
  return aggregation_points(exec, model.scorer(exec), model.train(), relevant, aggregations,
                            options);
}
/// The same, on the host's threads.
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] std::vector<AggregationPoint> aggregation_points(
    const Model& model, const Interactions& relevant, std::span<const Aggregation> aggregations,
    const EvaluateOptions& options = {}) {
  return aggregation_points(par, model, relevant, aggregations, options);
}

/// Returns the point with the greatest value of a metric; in a tie, the first.
/// @param metric  `&Report::ndcg`, or any function of a Report
/// @throws ArgumentError  for no points
template <class Metric = double Report::*>
[[nodiscard]] AggregationPoint best_aggregation(std::span<const AggregationPoint> points,
                                                const Metric& metric = &Report::ndcg) {
  require(!points.empty(), "points", "must not be empty");
  return *std::ranges::max_element(
      points, {}, [&](const AggregationPoint& point) { return std::invoke(metric, point.report); });
}

}  // namespace prism::inline PRISM_ISA
