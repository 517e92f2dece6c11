// SPDX-License-Identifier: BSD-3-Clause
// Items' magnitudes to another power when ranking.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
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

std::vector<Index> ranking(const Scorer<float>& scorer, Similarity similarity) {
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

constexpr std::array<double, 5> betas{0, 0.5, 1, 1.5, 2};

}  // namespace

TEST_CASE("with exponent 1 a scorer is what it was, to the last bit") {
  const Scorer<float> scorer = model().scorer();
  const Scorer<float> same_scorer = with_magnitude_exponent(scorer, 1);
  CHECK(same_scorer.output.items().data() == scorer.output.items().data());
  CHECK(same_scorer.output.users().data() == scorer.output.users().data());
}

TEST_CASE("with exponent 0 items rank as by cosine") {
  const Scorer<float> scorer = model().scorer();
  const std::vector<Index> by_cosine = ranking(scorer, Similarity::cosine);
  CHECK(ranking(with_magnitude_exponent(scorer, 0), Similarity::dot) == by_cosine);
  CHECK(ranking(scorer, Similarity::dot) != by_cosine);
}

TEST_CASE("a row's magnitude is taken to the exponent, and its direction stays") {
  const Scorer<float> scorer = model().scorer();
  const Rows<const float> items = scorer.output.items();
  for (const double beta : {-1.0, 0.0, 0.3, 2.0}) {
    const Scorer<float> scaled = with_magnitude_exponent(scorer, beta);
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
  Matrix<float> users = zeros<float>(1, 8), items = zeros<float>(1, 8);
  items(0, 0) = 1e-13F;
  const Scorer<float> scaled =
      with_magnitude_exponent(Scorer<float>{Output<float>(users, items), {}, {}, {}}, 0.5);
  CHECK(static_cast<double>(scaled.output.items()[0][0]) ==
        doctest::Approx(std::sqrt(1e-13)).epsilon(1e-5));
}

TEST_CASE("short rows have magnitudes that are continuous in the exponent") {
  Matrix<float> users = zeros<float>(1, 8), items = zeros<float>(2, 8);
  items(0, 0) = 1e-14F;
  items(1, 0) = 1e-25F;  // its square is zero
  const Scorer<float> scorer{Output<float>(users, items), {}, {}, {}};
  for (const double beta : {0.0, 1e-9}) {
    const Scorer<float> scaled = with_magnitude_exponent(scorer, beta);
    CHECK(scaled.output.items()[0][0] == doctest::Approx(1));
    CHECK(scaled.output.items()[1][0] == 1e-25F);
  }
}

TEST_CASE("rows of zeros stay, and so do a ranking rule's factors and offset") {
  Matrix<double> users = zeros<double>(1, 2), items = zeros<double>(2, 2);
  users.fill(1);
  items(0, 1) = 4;
  const Scorer<double> scorer{Output<double>(users, items), {2}, {3, 5}, 0.25};
  for (const double beta : {-2.0, 0.0, 0.5}) {
    const Scorer<double> scaled = with_magnitude_exponent(scorer, beta);
    CHECK(scaled.output.items()[0][1] == doctest::Approx(std::pow(4, beta)));
    CHECK(scaled.output.items()[1][0] == 0);
    CHECK(scaled.output.items()[1][1] == 0);
    CHECK(scaled.user_factor == scorer.user_factor);
    CHECK(scaled.item_factor == scorer.item_factor);
    CHECK(scaled.offset == 0.25);
  }
}

TEST_CASE("exponents are refused that are no numbers, or make none of rows") {
  const Scorer<float> scorer = model().scorer();
  CHECK(refusal([&] { return with_magnitude_exponent(scorer, std::nan("")); }) ==
        "beta: must be a finite number");
  CHECK(refusal([&] {
          return with_magnitude_exponent(scorer, 1e4);
        }).starts_with("beta: must be closer to 0, not "));
  Matrix<float> short_users = zeros<float>(1, 8), short_items = zeros<float>(2, 8);
  short_items(0, 0) = 0.01F;
  short_items(1, 0) = 0.02F;
  const Scorer<float> of_short{Output<float>(short_users, short_items), {}, {}, {}};
  CHECK(refusal([&] {
          return with_magnitude_exponent(of_short, 30);
        }).starts_with("beta: must be closer to 0, not 30: a row of magnitude 0.00999"));
  Matrix<float> users = zeros<float>(1, 8), long_items = zeros<float>(1, 8);
  long_items(0, 0) = 1e20F;
  const Scorer<float> of_long{Output<float>(users, long_items), {}, {}, {}};
  for (const double beta : {-1.0, 0.0, 0.5}) {
    CHECK(refusal([&] {
            return with_magnitude_exponent(of_long, beta);
          }).starts_with("scorer: has an item row whose squared magnitude is not finite"));
  }
  CHECK(refusal([&] { return magnitude_curve(scorer, small_split().validation, {}); }) ==
        "betas: must not be empty");
  CHECK(refusal([&] { return best_point({}); }) == "curve: must have at least one point");
}

TEST_CASE("a curve has the reports of its scorers, the same for any number of threads") {
  const Scorer<float> scorer = model().scorer();
  const Split& split = small_split();
  const auto curve = magnitude_curve(model(), split.validation, betas);
  REQUIRE(curve.size() == 5);
  const EvaluateOptions options{.exclude = {&split.train}};
  const ThreadLimit limit(1);
  const auto of_scorer = magnitude_curve(scorer, split.validation, betas, options);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(curve[k].beta == betas[k]);
    CHECK(same(curve[k].report, of_scorer[k].report));
    const Report expected =
        evaluate(with_magnitude_exponent(scorer, betas[k]), split.validation, options);
    CHECK(same(curve[k].report, expected));
  }
  CHECK(same(curve[2].report, evaluate(model(), split.validation)));
  // Popular items have longer rows: the greater the exponent, the more popular the recommendations.
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(curve[k].report.average_popularity > curve[k - 1].report.average_popularity);
  }
}

TEST_CASE("the best point has the greatest metric, and of equal ones the beta closest to 1") {
  std::vector<MagnitudePoint> curve;
  for (const double beta : {0.0, 0.5, 1.2, 3.0}) curve.push_back({.beta = beta});
  curve[1].report.ndcg = curve[2].report.ndcg = 0.3;
  curve[3].report.recall = 0.1;
  curve[0].report.ndcg_by_stratum[2] = 0.2;
  CHECK(best_point(curve).beta == 1.2);
  std::ranges::reverse(curve);
  CHECK(best_point(curve).beta == 1.2);
  CHECK(best_point(curve, &Report::recall).beta == 3);
  CHECK(best_point(curve, [](const Report& r) { return r.ndcg_by_stratum[2]; }).beta == 0);
}
