// SPDX-License-Identifier: BSD-3-Clause
// Rows to which their neighbours' rows are added when ranking.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "guarded_grid.hpp"
#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

constexpr std::size_t dim = 5;

/// User 2 and item 3 have no interactions.
Interactions graph() {
  return Interactions(3, 4, std::array<Interaction, 5>{{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}}});
}

template <class T>
Scorer<T> scorer_of(const Interactions& train) {
  Matrix<T> users = zeros<T>(train.users(), dim), items = zeros<T>(train.items(), dim);
  const Random random(7, Stream::users);
  const auto fill = [&](Matrix<T>& table, std::uint64_t first) {
    for (std::size_t k = 0; k < table.size(); ++k) {
      table.data()[k] = static_cast<T>(random.uniform(first + k) - 0.5);
    }
  };
  fill(users, 0);
  fill(items, 1000);
  return {Output<T>(std::move(users), std::move(items)), {2, 3, 4}, {5, 6, 7, 8}, T(0.25)};
}

/// The definition, number by number.
double expected(const Interactions& train, const Scorer<double>& scorer, bool of_user, Index row,
                std::size_t column, const Aggregation& aggregation) {
  const auto degree = [&](bool user, Index r) {
    return static_cast<double>(user ? train.items_of(r).size() : train.users_of(r).size());
  };
  const auto number = [&](bool user, Index r) {
    return (user ? scorer.output.users() : scorer.output.items())[r][column];
  };
  double sum = 0;
  for (const Index j : of_user ? train.items_of(row) : train.users_of(row)) {
    sum += std::pow(degree(!of_user, j), aggregation.neighbour_exponent) * number(!of_user, j);
  }
  if (degree(of_user, row) == 0) return number(of_user, row);
  return number(of_user, row) +
         aggregation.weight * std::pow(degree(of_user, row), aggregation.own_exponent) * sum;
}

constexpr std::array<Aggregation, 4> some{{{},
                                           {.weight = 0.1},
                                           {.neighbour_exponent = -1, .weight = 0.3},
                                           {.neighbour_exponent = 0.5, .own_exponent = -2}}};

/// A split whose users have neighbours to aggregate.
const Split& split_of_150() {
  static const Split split = random_split(
      synthetic_interactions({.users = 150, .items = 120, .interactions_per_user = 12}),
      {.validation = 0.2, .test = 0.1, .seed = 1});
  return split;
}
using UntrainedModel = Recommender<MF<8>, DirectAU, None, PRISM<1.0>>;
const UntrainedModel& untrained() {
  static const UntrainedModel made(split_of_150().train);
  return made;
}

}  // namespace

TEST_CASE("aggregated rows are the sums of their definition") {
  const Interactions train = graph();
  const Scorer<double> scorer = scorer_of<double>(train);
  for (const Aggregation& aggregation : some) {
    const Scorer<double> aggregated = with_aggregation(scorer, train, aggregation);
    const Output<double>& output = aggregated.output;
    for (std::size_t c = 0; c < dim; ++c) {
      for (Index user = 0; user < 3; ++user) {
        CHECK(output.users()[user][c] ==
              doctest::Approx(expected(train, scorer, true, user, c, aggregation)).epsilon(1e-14));
      }
      for (Index item = 0; item < 4; ++item) {
        CHECK(output.items()[item][c] ==
              doctest::Approx(expected(train, scorer, false, item, c, aggregation)).epsilon(1e-14));
      }
      // Those without interactions stay.
      CHECK(output.users()[2][c] == scorer.output.users()[2][c]);
      CHECK(output.items()[3][c] == scorer.output.items()[3][c]);
    }
    CHECK(aggregated.user_factor == scorer.user_factor);
    CHECK(aggregated.item_factor == scorer.item_factor);
    CHECK(aggregated.offset == scorer.offset);
  }
}

TEST_CASE("one layer of LightGCN is an aggregation by the square roots of degrees") {
  // The mean of layers 0 and 1 is half of what the definition's exponents of -1/2 give.
  const Interactions& train = split_of_150().train;
  const Recommender<LightGCN<8, 1>, DirectAU, None, PRISM<1.0>> lightgcn(train);
  const Scorer<float> of_tables{Output<float>(lightgcn.tables())};
  const Scorer<float> aggregated = with_aggregation(of_tables, train, {});
  const Output<float> output = lightgcn.output();
  const auto check_halves = [](Rows<const float> twice, Rows<const float> layers) {
    for (std::size_t r = 0; r < layers.size(); ++r) {
      for (std::size_t c = 0; c < 8; ++c) {
        CHECK(twice[r][c] / 2 == doctest::Approx(layers[r][c]).epsilon(1e-5));
      }
    }
  };
  check_halves(aggregated.output.users(), output.users());
  check_halves(aggregated.output.items(), output.items());
}

TEST_CASE("with weight 0 a scorer is what it was, to the last bit") {
  const Scorer<float> scorer = untrained().scorer();
  const Scorer<float> same = with_aggregation(scorer, untrained().train(), {.weight = 0});
  CHECK(same.output.items().data() == scorer.output.items().data());
  CHECK(same.output.users().data() == scorer.output.users().data());
}

TEST_CASE("of a device's rows the host makes what it makes of its own") {
  const test::GuardedGrid grid;
  const Scorer<float> scorer = untrained().scorer();
  const UntrainedModel on_device(untrained(), memory_of(grid));
  const Scorer<float> of_device = on_device.scorer(grid);
  const Aggregation aggregation{.weight = 0.3};
  const Scorer<float> expected_rows = with_aggregation(scorer, untrained().train(), aggregation);
  const Scorer<float> found = with_aggregation(grid, of_device, on_device.train(), aggregation);
  const auto same = [](Rows<const float> a, Rows<const float> b) {
    return std::equal(a.data(), a.data() + a.num_elements(), b.data(), b.data() + b.num_elements());
  };
  CHECK(same(found.output.users(), expected_rows.output.users()));
  CHECK(same(found.output.items(), expected_rows.output.items()));
  // The same when the rows passed with the device are in the host's memory.
  const Scorer<float> of_host = with_aggregation(grid, scorer, split_of_150().train, aggregation);
  CHECK(same(of_host.output.items(), expected_rows.output.items()));
}

TEST_CASE("a model in a device's memory has the points of the host's, without aggregation too") {
  const test::GuardedGrid grid;
  const UntrainedModel on_device(untrained(), memory_of(grid));
  const Interactions& validation = split_of_150().validation;
  const auto points = aggregation_points(grid, on_device, validation, aggregation_grid);
  const auto on_host = aggregation_points(untrained(), validation, aggregation_grid);
  REQUIRE(points.size() == on_host.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    CHECK(points[k].report.ndcg == doctest::Approx(on_host[k].report.ndcg).epsilon(1e-9));
  }
}

TEST_CASE("aggregations are refused that have no numbers, or make none of rows") {
  const Interactions train = graph();
  const Scorer<float> scorer = scorer_of<float>(train);
  const auto message = [&](const Aggregation& aggregation) {
    return refusal([&] { return with_aggregation(scorer, train, aggregation); });
  };
  CHECK(message({.neighbour_exponent = std::nan("")}) == "aggregation: must have finite exponents");
  CHECK(message({.own_exponent = std::numeric_limits<double>::infinity()}) ==
        "aggregation: must have finite exponents");
  CHECK(message({.weight = -0.5}) ==
        "aggregation: must have a finite weight of at least 0, not -0.5");
  CHECK(message({.neighbour_exponent = 1e3}) ==
        "aggregation: produces rows with numbers that are not finite: m 1000, n -0.5, weight 1");
  CHECK(refusal([&] { return with_aggregation(scorer, split_of_150().train, {}); }) ==
        "train: must have the scorer's 3 users and 4 items");
  CHECK(refusal([] { return aggregation_points(untrained(), split_of_150().validation, {}); }) ==
        "aggregations: must not be empty");
  const Scorer<float> longer{Output<float>(zeros<float>(3, 5), zeros<float>(4, 6)), {}, {}, {}};
  CHECK(refusal([&] { return with_aggregation(longer, train, {}); }) ==
        "scorer: must have rows of the same dimension for users and items, not 5 and 6");
  CHECK(refusal([] { return best_aggregation({}); }) == "points: must not be empty");
}

TEST_CASE("points have the reports of their aggregations, the same for any number of threads") {
  const Split& split = split_of_150();
  const auto points = aggregation_points(untrained(), split.validation, aggregation_grid);
  REQUIRE(points.size() == aggregation_grid.size());
  const ThreadLimit limit(1);
  const EvaluateOptions options{.exclude = {&split.train}};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Scorer<float> aggregated =
        with_aggregation(untrained().scorer(), split.train, aggregation_grid[k]);
    const Report report = evaluate(aggregated, split.validation, options);
    CHECK(points[k].report.ndcg == report.ndcg);
    CHECK(points[k].report.recall == report.recall);
    CHECK(points[k].aggregation.label() == aggregation_grid[k].label());
  }
  // The first leaves rows as they are.
  CHECK(points[0].aggregation.label() == "none");
  CHECK(points[0].report.ndcg == evaluate(untrained(), split.validation).ndcg);
  // Even random rows rank better once they include those of the user's neighbours.
  CHECK(best_aggregation(points).report.ndcg > 1.1 * points[0].report.ndcg);
}

TEST_CASE("the best aggregation has the greatest metric, and of equal ones is the first") {
  std::vector<AggregationPoint> points(3);
  for (std::size_t k = 0; k < 3; ++k) points[k].aggregation.weight = static_cast<double>(k);
  points[1].report.ndcg = points[2].report.ndcg = 0.3;
  points[0].report.recall = 0.1;
  CHECK(best_aggregation(points).aggregation.weight == 1);
  CHECK(best_aggregation(points, &Report::recall).aggregation.weight == 0);
  CHECK(best_aggregation(points, [](const Report& r) { return r.mrr; }).aggregation.weight == 0);
}
