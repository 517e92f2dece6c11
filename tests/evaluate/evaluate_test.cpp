// SPDX-License-Identifier: BSD-3-Clause
// Measures by hand, and at the edges.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/npy.hpp"

using namespace prism;

namespace {

/// Output rows by which user u scores item i with scores[u][i].
struct Scores {
  Matrix<float> users, items;
  explicit Scores(const std::vector<std::vector<float>>& scores)
      : users(zeros<float>(scores.size(), scores[0].size())),
        items(zeros<float>(scores[0].size(), scores[0].size())) {
    for (std::size_t u = 0; u < scores.size(); ++u) {
      for (std::size_t i = 0; i < scores[u].size(); ++i) users(u, i) = scores[u][i];
    }
    for (std::size_t i = 0; i < scores[0].size(); ++i) items(i, i) = 1;
  }
  Scorer<float> scorer() const { return {Embeddings<const float>{rows(users), rows(items)}}; }
};

Interactions part(Index users, Index items, const std::vector<Interaction>& pairs) {
  return {users, items, pairs};
}

}  // namespace

TEST_CASE("the measures of two users, by hand") {
  const Scores scores({{9, 8, 7, 6}, {1, 2, 3, 4}, {0, 0, 0, 0}});
  const Interactions relevant = part(3, 4, {{0, 1}, {0, 3}, {1, 0}});
  const Interactions seen = part(3, 4, {{0, 0}});
  const std::vector<Index> popularity{100, 10, 5, 1};  // strata: 1 popular, none neutral, 3 rest
  const Report report =
      evaluate(scores.scorer(), relevant, {.k = 2, .exclude = {&seen}, .popularity = popularity});
  // User 0 gets items 1, 2 (0 is seen): a hit at rank 1, ideal over 2. User 1 gets 3, 2: no hit.
  // User 2 has nothing to find and does not count.
  const double ideal = 1 + 1 / std::log2(3.0);
  CHECK(report.users == 2);
  CHECK(report.ndcg == doctest::Approx(1 / ideal / 2));
  CHECK(report.ndcg_by_stratum[0] == 0);
  CHECK(report.ndcg_by_stratum[2] == doctest::Approx(report.ndcg));
  CHECK(report.recall == doctest::Approx(0.5 / 2));
  CHECK(report.precision == doctest::Approx(0.5 / 2));
  CHECK(report.mrr == doctest::Approx(0.5));
  CHECK(report.hit_rate == doctest::Approx(0.5));
  CHECK(report.coverage == doctest::Approx(0.75));
  CHECK(report.average_popularity == doctest::Approx((10 + 5 + 1 + 5) / 4.0));
  // Counts 0, 1, 2, 1: sorted 0 1 1 2, Gini = 2 (2*1 + 3*1 + 4*2) / (4 * 4) - 5 / 4
  CHECK(report.gini == doctest::Approx(2 * 13 / 16.0 - 5 / 4.0));
}

TEST_CASE("strata add up to the whole, whatever the popularity") {
  const Split split = random_split(synthetic_interactions({.users = 200, .items = 150}));
  const Recommender<MF<8>, BPR> model(split.train);
  const Report report = evaluate(model, split.test, {.exclude = {&split.train}});
  CHECK(report.ndcg_by_stratum[0] + report.ndcg_by_stratum[1] + report.ndcg_by_stratum[2] ==
        doctest::Approx(report.ndcg));
  CHECK(report.ndcg > 0);
}

TEST_CASE("a perfect ranking scores 1, also where there is less to find than k") {
  const Scores scores({{5, 4, 3, 2, 1}});
  const Report report = evaluate(scores.scorer(), part(1, 5, {{0, 0}, {0, 1}}), {.k = 20});
  CHECK(report.ndcg == doctest::Approx(1));
  CHECK(report.recall == 1);
  CHECK(report.precision == doctest::Approx(2.0 / 20));
  CHECK(report.coverage == 1);
}

TEST_CASE("cosine ranking ignores lengths") {
  auto users = zeros<float>(1, 2), items = zeros<float>(2, 2);
  users(0, 0) = 3;
  items(0, 0) = 1;                 // the same direction
  items(1, 0) = items(1, 1) = 10;  // longer, and askew
  const Scorer<float> scorer{
      Embeddings<const float>{rows(std::as_const(users)), rows(std::as_const(items))}};
  const Interactions relevant = part(1, 2, {{0, 0}});
  CHECK(evaluate(scorer, relevant, {.k = 1}).hit_rate == 0);
  CHECK(evaluate(scorer, relevant, {.k = 1, .similarity = Similarity::cosine}).hit_rate == 1);
}

TEST_CASE("users without anything relevant, or with everything seen, do no harm") {
  const Scores scores({{1, 2, 3}, {1, 2, 3}});
  const Report empty = evaluate(scores.scorer(), part(2, 3, {}), {});
  CHECK(empty.users == 0);
  CHECK(empty.ndcg == 0);
  CHECK(empty.coverage == 0);
  CHECK(empty.gini == 0);
  const Interactions all = part(2, 3, {{0, 0}, {0, 1}, {0, 2}});
  const Report full = evaluate(scores.scorer(), part(2, 3, {{0, 1}}), {.exclude = {&all}});
  CHECK(full.users == 1);
  CHECK(full.ndcg == 0);
  CHECK(full.average_popularity == 0);
}

TEST_CASE("evaluate names the argument that does not fit") {
  const Scores scores({{1, 2, 3}});
  const Interactions relevant = part(1, 3, {{0, 0}}), wider = part(1, 4, {{0, 0}});
  const std::vector<Index> short_list{1};
  const auto refused = [&](const Interactions& data, const EvaluateOptions& options) {
    CHECK_THROWS_AS(static_cast<void>(evaluate(scores.scorer(), data, options)), ArgumentError);
  };
  refused(relevant, {.k = 0});
  refused(wider, {});
  refused(relevant, {.exclude = {&wider}});
  refused(relevant, {.exclude = {nullptr}});
  refused(relevant, {.popularity = short_list});
}

TEST_CASE("full ranking equals a sort of every score, for many sizes") {
  for (const Index items : {1u, 63u, 64u, 65u, 300u}) {
    for (const Index users : {1u, 95u, 97u}) {
      std::vector<Interaction> pairs;
      const Random random(items * 1000 + users, Stream::synthetic);
      for (std::uint64_t q = 0; q < 4 * users; ++q) {
        pairs.push_back({random.below(2 * q, users), random.below(2 * q + 1, items)});
      }
      const Interactions seen(users, items, pairs);
      const Recommender<MF<7>, BPR> model(seen);
      std::vector<Index> all(users);
      for (Index u = 0; u < users; ++u) all[u] = users - 1 - u;  // in another order than the table
      const Interactions* const exclude[] = {&seen};
      std::vector<std::vector<Index>> got(users);
      rank_items(model.scorer(), all, 10, exclude, Similarity::dot,
                 [&](std::size_t position, std::span<const Scored<float>> best) {
                   for (const auto& scored : best) got[position].push_back(scored.item);
                 });
      for (std::size_t position = 0; position < users; ++position) {
        // recommend scores one item at a time.
        std::vector<Index> expected;
        for (const auto& scored : recommend(model, all[position], 10)) {
          expected.push_back(scored.item);
        }
        CHECK(got[position] == expected);
      }
    }
  }
}

TEST_CASE("Spearman's correlation, ties included") {
  const std::vector<double> x{1, 2, 3, 4, 5}, y{2, 4, 6, 8, 100}, down{5, 4, 3, 2, 1};
  CHECK(spearman(x, y) == doctest::Approx(1));
  CHECK(spearman(x, down) == doctest::Approx(-1));
  // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: Pearson by hand.
  const std::vector<double> ties{1, 2, 2, 3}, order{1, 2, 3, 4};
  CHECK(spearman(ties, order) == doctest::Approx(4.5 / std::sqrt(4.5 * 5)));
  CHECK(std::isnan(spearman(x, std::vector<double>(5, 1.0))));
}

TEST_CASE("PRISM's magnitudes follow popularity from the start") {
  const Interactions data = synthetic_interactions({.users = 200, .items = 150});
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(data);
  const auto output = model.output();
  CHECK(magnitude_popularity_correlation(output.items(), data.item_degree()) > 0.999);
}

TEST_CASE("recommend leaves out what the user has, and ends where there is no more") {
  const Interactions train = part(2, 3, {{0, 0}, {0, 1}, {0, 2}, {1, 2}});
  const Recommender<MF<4>, BPR> model(train);
  CHECK(recommend(model, 0, 5).empty());
  CHECK(recommend(model, 0, 5, {.exclude_seen = false}).size() == 3);
  for (const auto& scored : recommend(model, 1, 5)) CHECK(scored.item != 2);
  CHECK(recommend(model, 1, 5).size() == 2);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, 2, 5)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, 0, 0)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(similar_items(model, 3, 5)), ArgumentError);
}

TEST_CASE("similar items are ordered by cosine, the item itself left out") {
  const Interactions train = part(1, 4, {{0, 0}});
  Recommender<MF<2>, BPR> model(train);
  auto& items = model.weights().items;
  const float angles[] = {0.0f, 0.1f, 2.0f, 0.05f};
  for (std::size_t i = 0; i < 4; ++i) {
    items(i, 0) = static_cast<float>(i + 1) * std::cos(angles[i]);
    items(i, 1) = static_cast<float>(i + 1) * std::sin(angles[i]);
  }
  const auto similar = similar_items(model, 0, 3);
  REQUIRE(similar.size() == 3);
  CHECK(similar[0].item == 3);
  CHECK(similar[1].item == 1);
  CHECK(similar[2].item == 2);
  CHECK(similar[1].score == doctest::Approx(std::cos(0.1)).epsilon(1e-5));
}

TEST_CASE("saved embeddings can be read back, and nothing half-written stays") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "prism-save-test";
  fs::remove_all(folder);
  const Interactions train = part(3, 2, {{0, 0}, {2, 1}});
  const Recommender<MF<5>, BPR, None, Xavier, Adam, UniformNegatives, double> model(train);
  save_embeddings(model, folder);
  const test::Array users = test::read_npy(folder / "users.npy");
  CHECK(users.shape == std::vector<std::size_t>{3, 5});
  CHECK(std::ranges::equal(users.values, model.users()));
  std::ifstream ids(folder / "item_ids.txt");
  std::string line;
  REQUIRE(std::getline(ids, line));
  CHECK(line == "0");
  save_embeddings(model, folder);  // again, over itself
  for (const auto& entry : fs::directory_iterator(folder)) {
    CHECK(entry.path().extension() != ".partial");
  }
  fs::remove_all(folder);
  std::ofstream(folder) << "a file where the folder should be";
  CHECK_THROWS_AS(save_embeddings(model, folder), DataError);
  fs::remove_all(folder);
}
