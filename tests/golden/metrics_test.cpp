// SPDX-License-Identifier: BSD-3-Clause
// Ranking and its measures. Given scores are the dot products of their rows with unit rows.
#include "golden.hpp"

using namespace prism;

namespace {

Interactions from_mask(const test::Array& mask) {
  std::vector<Interaction> pairs;
  for (std::size_t i = 0; i < mask.values.size(); ++i) {
    if (mask.values[i] != 0) {
      pairs.push_back(
          {static_cast<Index>(i / mask.columns()), static_cast<Index>(i % mask.columns())});
    }
  }
  return {static_cast<Index>(mask.rows()), static_cast<Index>(mask.columns()), pairs};
}

}  // namespace

TEST_CASE("metrics") {
  const test::GoldenCase golden("metrics");
  const auto score = golden.matrix<double>("score");
  auto identity = zeros<double>(score.shape(1), score.shape(1));
  for (std::size_t i = 0; i < score.shape(1); ++i) rows(identity)[i][i] = 1;
  const Scorer<double> scorer{Embeddings<const double>{rows(score), rows(std::as_const(identity))}};
  const Interactions relevant = from_mask(golden["relevant"]), seen = from_mask(golden["seen"]);
  const std::vector<Index> popularity = golden.indices("popularity");

  SUBCASE("strata") {
    const std::vector<Index> expected = golden.indices("stratum");
    const std::vector<Stratum> actual = strata(popularity);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(static_cast<Index>(actual[i]) == expected[i]);
    }
  }
  SUBCASE("top lists") {
    const std::vector<Index> expected = golden.indices("top");
    std::vector<Index> users(score.shape(0));
    std::iota(users.begin(), users.end(), Index{0});
    std::vector<Index> actual(expected.size());
    const Interactions* const exclude[] = {&seen};
    rank_items(test::GoldenExecution{}, scorer, users, 20, exclude, Similarity::dot,
               [&](std::size_t position, std::span<const ScoredItem<double>> best) {
                 REQUIRE(best.size() == 20);
                 for (std::size_t i = 0; i < 20; ++i) actual[position * 20 + i] = best[i].item;
               });
    CHECK(actual == expected);
  }
  SUBCASE("measures") {
    const Report report = evaluate(test::GoldenExecution{}, scorer, relevant,
                                   {.k = 20, .exclude = {&seen}, .popularity = popularity});
    CHECK(report.ndcg == doctest::Approx(golden["ndcg"].values[0]).epsilon(1e-12));
    CHECK(report.recall == doctest::Approx(golden["recall"].values[0]).epsilon(1e-12));
    const std::vector<double> by_stratum = golden["ndcg_popular_neutral_unpopular"].values;
    CHECK(test::relative_error(std::span<const double>(report.ndcg_by_stratum), by_stratum) <=
          1e-12);
  }
}
