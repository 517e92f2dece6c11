// SPDX-License-Identifier: BSD-3-Clause
// The rows' own magnitudes to another power when ranking, and quality over a list of rankings.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

const Split& small_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 150, .items = 120, .interactions_per_user = 12}),
      {.validation = 0.2, .test = 0.1, .seed = 1});
  return split;
}

/// PRISM ranks popular items first: rows in random directions differ systematically only in length.
using PopularFirst = Recommender<MF<8>, DirectAU, None, PRISM<1.0>>;
const PopularFirst& model() {
  static const PopularFirst made(small_split().train);
  return made;
}

Scorer<float> with_exponent(const Scorer<float>& scorer, double beta) {
  return with_ranking(scorer, {.exponent = beta}, small_split().train);
}

std::vector<Index> all_lists(const Scorer<float>& scorer, Similarity similarity) {
  std::vector<Index> items;
  for (Index user = 0; user < 150; ++user) {
    const RecommendOptions options{.exclude_seen = false, .similarity = similarity};
    for (const auto& best : recommend(scorer, small_split().train, user, 120, options)) {
      items.push_back(best.item);
    }
  }
  return items;
}

bool same(const Report& a, const Report& b) {
  return a.ndcg == b.ndcg && a.ndcg_by_stratum == b.ndcg_by_stratum && a.recall == b.recall &&
         a.gini == b.gini && a.average_popularity == b.average_popularity;
}

/// A scorer of one user and these items, both of 8 columns; each item is (number, 0, 0, ...).
Scorer<float> of_magnitudes(const std::vector<float>& numbers) {
  Matrix<float> users = zeros<float>(1, 8), items = zeros<float>(numbers.size(), 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) items(i, 0) = numbers[i];
  return {Output<float>(std::move(users), std::move(items))};
}

const std::vector<double> betas{0, 0.5, 1, 1.5, 2};

}  // namespace

TEST_CASE("with exponent 1 a scorer is what it was, to the last bit") {
  const Scorer<float> scorer = model().scorer();
  const Scorer<float> same_scorer = with_exponent(scorer, 1);
  CHECK(same_scorer.output.items().data() == scorer.output.items().data());
  CHECK(same_scorer.output.users().data() == scorer.output.users().data());
}

TEST_CASE("with exponent 0 items rank as by cosine") {
  const Scorer<float> scorer = model().scorer();
  const std::vector<Index> by_cosine = all_lists(scorer, Similarity::cosine);
  CHECK(all_lists(with_exponent(scorer, 0), Similarity::dot) == by_cosine);
  CHECK(all_lists(scorer, Similarity::dot) != by_cosine);
}

TEST_CASE("a row's magnitude is taken to the exponent, and its direction stays") {
  const Scorer<float> scorer = model().scorer();
  const Rows<const float> items = scorer.output.items();
  for (const double beta : {-1.0, 0.0, 0.3, 2.0}) {
    const Scorer<float> scaled = with_exponent(scorer, beta);
    const Rows<const float> to = scaled.output.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double length = static_cast<double>(norm(items[i], 8));
      for (std::size_t c = 0; c < 8; ++c) {
        CHECK(static_cast<double>(to[i][c]) ==
              doctest::Approx(std::pow(length, beta - 1) * static_cast<double>(items[i][c]))
                  .epsilon(1e-5));
      }
    }
    CHECK(std::equal(scorer.output.users().data(), scorer.output.users().data() + 150 * 8,
                     scaled.output.users().data()));
  }
}

TEST_CASE("the magnitude of a very short row is taken to the exponent, too") {
  const Scorer<float> scaled = with_exponent(of_magnitudes({1e-13F}), 0.5);
  CHECK(static_cast<double>(scaled.output.items()[0][0]) ==
        doctest::Approx(std::sqrt(1e-13)).epsilon(1e-5));
}

TEST_CASE("short rows have magnitudes that are continuous in the exponent") {
  const Scorer<float> scorer = of_magnitudes({1e-14F, 1e-25F, 1e-40F});  // two have squares of 0
  for (const double beta : {0.0, 1e-9}) {
    const Scorer<float> scaled = with_exponent(scorer, beta);
    CHECK(scaled.output.items()[0][0] == doctest::Approx(1));
    CHECK(scaled.output.items()[1][0] == 1e-25F);
    CHECK(scaled.output.items()[2][0] == 1e-40F);
  }
}

TEST_CASE("rows of zeros stay, and so do a ranking rule's factors and offset") {
  Matrix<double> users = zeros<double>(1, 2), items = zeros<double>(2, 2);
  users.fill(1);
  items(0, 1) = 4;
  const Scorer<double> scorer{Output<double>(users, items), {2}, {3, 5}, 0.25};
  const Interactions train(1, 2, std::vector<Interaction>{{0, 0}, {0, 1}});
  for (const double beta : {-2.0, 0.0, 0.5}) {
    const Scorer<double> scaled = with_ranking(scorer, {.exponent = beta}, train);
    CHECK(scaled.output.items()[0][1] == doctest::Approx(std::pow(4, beta)));
    CHECK(scaled.output.items()[1][0] == 0);
    CHECK(scaled.output.items()[1][1] == 0);
    CHECK(scaled.user_factor == scorer.user_factor);
    CHECK(scaled.item_factor == scorer.item_factor);
    CHECK(scaled.offset == 0.25);
  }
}

TEST_CASE("exponents are refused that are no numbers, or make none of rows") {
  const auto message = [](const Scorer<float>& scorer, double beta) {
    return refusal([&] { return with_exponent(scorer, beta); });
  };
  const Scorer<float> scorer = model().scorer();
  CHECK(message(scorer, std::nan("")) == "exponent: must be from -100 to 100, not nan");
  CHECK(message(scorer, 1e4) == "exponent: must be from -100 to 100, not 10000");
  CHECK(message(of_magnitudes({0.01F, 0.02F}), 30)
            .starts_with("exponent: must be closer to 0, not 30: a row of magnitude 0.00999"));
  for (const double beta : {-1.0, 0.0, 0.5}) {
    CHECK(message(of_magnitudes({1, 1e20F}), beta) ==
          "scorer: has a row whose squared magnitude is not finite, so it has no score");
  }
}

TEST_CASE("a curve has the reports of its scorers, the same for any number of threads") {
  const Scorer<float> scorer = model().scorer();
  const Split& split = small_split();
  std::vector<Ranking> rankings = rankings_over(&Ranking::exponent, betas);
  rankings.push_back({.power = 0.5});
  rankings.push_back({.alpha = 2, .users = true});
  const auto curve = ranking_curve(model(), split.validation, rankings);
  REQUIRE(curve.size() == 7);
  const EvaluateOptions options{.exclude = {&split.train}};
  const ThreadLimit limit(1);
  const auto curve_of_scorer =
      ranking_curve(scorer, split.train, split.validation, rankings, options);
  REQUIRE(curve_of_scorer.size() == 7);
  for (std::size_t k = 0; k < rankings.size(); ++k) {
    CHECK(curve[k].ranking.label() == rankings[k].label());
    CHECK(same(curve[k].report, curve_of_scorer[k].report));
    const Report expected =
        evaluate(with_ranking(scorer, rankings[k], split.train), split.validation, options);
    CHECK(same(curve[k].report, expected));
  }
  CHECK(same(curve[2].report, evaluate(model(), split.validation)));
  // Popular items have longer rows: the greater the exponent, the more popular the recommendations.
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(curve[k].report.average_popularity > curve[k - 1].report.average_popularity);
  }
}

TEST_CASE("a curve is of the model as trained, whatever the model's own ranking") {
  PopularFirst other(small_split().train, {.ranking = {.power = 0.5}});
  const std::vector<Ranking> rankings{Ranking{}, {.exponent = 2}, other.ranking()};
  const auto curve = ranking_curve(other, small_split().validation, rankings);
  const auto expected = ranking_curve(model(), small_split().validation, rankings);
  for (std::size_t k = 0; k < 3; ++k) CHECK(same(curve[k].report, expected[k].report));
  CHECK(same(curve[2].report, evaluate(other, small_split().validation)));
  other.set_ranking({.exponent = 2});
  CHECK(same(curve[1].report, evaluate(other, small_split().validation)));
}

TEST_CASE("a curve needs rankings, and its best point needs a curve") {
  const Scorer<float> scorer = model().scorer();
  const Split& split = small_split();
  CHECK(refusal([&] { return ranking_curve(scorer, split.train, split.validation, {}); }) ==
        "rankings: must not be empty");
  CHECK(refusal([&] { return ranking_curve(model(), split.validation, {}); }) ==
        "rankings: must not be empty");
  CHECK(refusal([&] {
          return ranking_curve(model(), split.validation, rankings_over(&Ranking::alpha, {0, 4}));
        }).starts_with("alpha: must be from 0 to 3.25, not 4; "));
  CHECK(refusal([&] { return best_point({}); }) == "curve: must have at least one point");
}

TEST_CASE("rankings over a member have each of its values, and nothing else") {
  for (const auto member : {&Ranking::power, &Ranking::alpha, &Ranking::exponent}) {
    const std::vector<Ranking> rankings = rankings_over(member, {0, 0.5, 2});
    REQUIRE(rankings.size() == 3);
    const double values[] = {0, 0.5, 2};
    for (std::size_t k = 0; k < 3; ++k) {
      const Ranking& ranking = rankings[k];
      CHECK(ranking.*member == values[k]);
      CHECK(ranking.power.has_value() + ranking.alpha.has_value() + ranking.exponent.has_value() ==
            1);
    }
  }
  CHECK(rankings_over(&Ranking::power, default_powers()).size() == default_powers().size());
  CHECK(rankings_over(&Ranking::power, {}).empty());
}

TEST_CASE("the best point of a curve has the greatest metric, and of equal ones is the first") {
  std::vector<RankingPoint> curve;
  for (const double power : {0.0, 0.5, 1.2, 3.0}) curve.push_back({{.power = power}, {}});
  curve[1].report.ndcg = curve[2].report.ndcg = 0.3;
  curve[3].report.recall = 0.1;
  curve[0].report.ndcg_by_stratum[2] = 0.2;
  CHECK(best_point(curve).ranking.power == 0.5);
  std::ranges::reverse(curve);
  CHECK(best_point(curve).ranking.power == 1.2);
  CHECK(best_point(curve, &Report::recall).ranking.power == 3);
  CHECK(best_point(curve, [](const Report& r) { return r.ndcg_by_stratum[2]; }).ranking.power == 0);
}
