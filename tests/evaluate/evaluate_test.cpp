// SPDX-License-Identifier: BSD-3-Clause
// Metrics computed by hand, and edge cases.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"
#include "support/fixed_scores.hpp"

using namespace prism;
using test::FixedScores;

namespace {

Interactions part(Index users, Index items, const std::vector<Interaction>& pairs) {
  return {users, items, pairs};
}

}  // namespace

TEST_CASE("the metrics of two users, computed by hand") {
  const FixedScores scores({{9, 8, 7, 6}, {1, 2, 3, 4}, {0, 0, 0, 0}});
  const Interactions relevant = part(3, 4, {{0, 1}, {0, 3}, {1, 0}});
  const Interactions seen = part(3, 4, {{0, 0}});
  const std::vector<Index> popularity{100, 10, 5, 1};  // strata: 1 popular, 0 neutral, 3 unpopular
  const Report report =
      evaluate(scores.scorer(), relevant, {.k = 2, .exclude = {&seen}, .popularity = popularity});
  // User 0 gets items 1, 2 (0 is seen): a hit at rank 1, ideal over 2. User 1 gets 3, 2: no hit.
  // User 2 has no relevant item and does not count.
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

TEST_CASE("the strata's NDCG sum to the NDCG, the mean over users of gain / ideal gain") {
  const Split split = random_split(synthetic_interactions({.users = 200, .items = 150}));
  const Recommender<MF<8>, BPR> model(split.train);
  const Report report = evaluate(model, split.test, {.exclude = {&split.train}});
  double sum = 0, users = 0;
  for (Index u = 0; u < 200; ++u) {
    const auto relevant = split.test.items_of(u);
    if (relevant.empty()) continue;
    double gain = 0, ideal = 0, place = 2;
    for (const auto& scored : recommend(model, u, 20)) {
      if (std::ranges::count(relevant, scored.item) > 0) gain += 1 / std::log2(place);
      ++place;
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(20, relevant.size()); ++k) {
      ideal += 1 / std::log2(static_cast<double>(k + 2));
    }
    sum += gain / ideal;
    ++users;
  }
  REQUIRE(sum > 0);
  CHECK(report.ndcg_by_stratum[0] + report.ndcg_by_stratum[1] + report.ndcg_by_stratum[2] ==
        doctest::Approx(sum / users));
  CHECK(report.ndcg == doctest::Approx(sum / users));
}

TEST_CASE("a perfect ranking has metrics 1, also with fewer relevant items than k") {
  const FixedScores scores({{5, 4, 3, 2, 1}});
  const Report report = evaluate(scores.scorer(), part(1, 5, {{0, 0}, {0, 1}}), {.k = 20});
  CHECK(report.ndcg == doctest::Approx(1));
  CHECK(report.recall == 1);
  CHECK(report.precision == doctest::Approx(2.0 / 20));
  CHECK(report.coverage == 1);
}

TEST_CASE("cosine ranking ignores magnitudes") {
  auto users = zeros<float>(1, 2), items = zeros<float>(2, 2);
  users(0, 0) = 3;
  items(0, 0) = 1;                 // the same direction
  items(1, 0) = items(1, 1) = 10;  // greater norm, at an angle
  const Scorer<float> scorer{
      Embeddings<const float>{rows(std::as_const(users)), rows(std::as_const(items))}};
  const Interactions relevant = part(1, 2, {{0, 0}});
  CHECK(evaluate(scorer, relevant, {.k = 1}).hit_rate == 0);
  CHECK(evaluate(scorer, relevant, {.k = 1, .similarity = Similarity::cosine}).hit_rate == 1);
}

TEST_CASE("users without relevant items, or with all items seen, are handled") {
  const FixedScores scores({{1, 2, 3}, {1, 2, 3}});
  const Interactions all = part(2, 3, {{0, 0}, {0, 1}, {0, 2}});
  const Report full = evaluate(scores.scorer(), part(2, 3, {{0, 1}}), {.exclude = {&all}});
  CHECK(full.users == 1);
  CHECK(full.ndcg == 0);
  CHECK(full.coverage == 0);
  CHECK(full.gini == 0);
  CHECK(full.average_popularity == 0);
}

TEST_CASE("evaluate names the argument that does not fit") {
  const FixedScores scores({{1, 2, 3}});
  const Interactions relevant = part(1, 3, {{0, 0}}), wider = part(1, 4, {{0, 0}});
  const std::vector<Index> short_list{1};
  const auto refused = [&](const Interactions& data, const EvaluateOptions& options) {
    try {
      static_cast<void>(evaluate(scores.scorer(), data, options));
    } catch (const ArgumentError& error) {
      return error.argument();
    }
    return std::string("nothing");
  };
  CHECK(refused(relevant, {}) == "nothing");
  CHECK(refused(relevant, {.k = 0}) == "k");
  CHECK(refused(wider, {}) == "relevant");
  CHECK(refused(part(1, 3, {}), {}) == "relevant");
  CHECK(refused(relevant, {.exclude = {&wider}}) == "exclude");
  CHECK(refused(relevant, {.exclude = {nullptr}}) == "exclude");
  CHECK(refused(relevant, {.similarity = Similarity(7)}) == "similarity");
  CHECK(refused(relevant, {.averaged_users = AveragedUsers(7)}) == "averaged_users");
  CHECK(refused(relevant, {.recall_denominator = RecallDenominator(7)}) == "recall_denominator");
  CHECK(refused(relevant, {.popularity = short_list}) == "popularity");
}

TEST_CASE("full ranking equals a sort of every score, for many sizes") {
  for (const Index items : {1u, 63u, 64u, 65u, 300u}) {
    for (const Index users : {1u, 95u, 97u}) {
      std::vector<Interaction> pairs;
      const Random random(items * 1000 + users, Stream::synthetic);
      for (std::uint64_t q = 0; q < 4 * users; ++q) {
        pairs.push_back({random.uniform_int(2 * q, users), random.uniform_int(2 * q + 1, items)});
      }
      const Interactions seen(users, items, pairs);
      const Recommender<MF<7>, BPR> model(seen);
      std::vector<Index> all(users);
      for (Index u = 0; u < users; ++u) all[u] = users - 1 - u;  // in another order than the table
      const Interactions* const exclude[] = {&seen};
      // The products are denormal: both rankings treat them as zeros.
      Recommender<MF<7>, BPR> tiny = model;
      for (float& weight : tiny.weights().users) weight *= 1e-20F;
      for (float& weight : tiny.weights().items) weight *= 1e-20F;
      for (const auto* ranked : {&model, &std::as_const(tiny)}) {
        std::vector<std::vector<ScoredItem<float>>> got(users);
        rank_items(ranked->scorer(), all, 10, exclude, Similarity::dot,
                   [&](std::size_t position, std::span<const ScoredItem<float>> best) {
                     got[position].assign(best.begin(), best.end());
                   });
        // recommend() scores the items without panels.
        for (std::size_t position = 0; position < users; ++position) {
          CHECK(got[position] ==
                recommend(*ranked, all[position], 10, {.untrained = Untrained::rows}));
        }
      }
    }
  }
}

TEST_CASE("ranking rejects users out of range and k of 0") {
  const Interactions seen = part(3, 40, {{0, 0}, {1, 5}, {2, 7}}), fewer = part(2, 40, {{0, 0}});
  const Recommender<MF<6>, BPR> model(seen);
  const auto rank = [&](std::vector<Index> users, std::size_t k, const Interactions& exclude) {
    const Interactions* const parts[] = {&exclude};
    rank_items(model.scorer(), users, k, parts, Similarity::dot, [](std::size_t, auto) {});
  };
  rank({0, 1, 2}, 1, seen);
  CHECK_THROWS_WITH_AS(rank({0}, 0, seen), doctest::Contains("k: must be at least 1"),
                       ArgumentError);
  CHECK_THROWS_WITH_AS(rank({0, 3}, 1, seen), doctest::Contains("below 3, not 3"), ArgumentError);
  CHECK_THROWS_AS(rank({0, 2}, 1, fewer), ArgumentError);
  const Interactions* const none[] = {nullptr};
  const std::vector<Index> users{0};
  CHECK_THROWS_WITH_AS(
      rank_items(model.scorer(), users, 1, none, Similarity::dot, [](std::size_t, auto) {}),
      doctest::Contains("exclude: "), ArgumentError);
}

TEST_CASE("a scorer whose rows or factors do not fit together is refused") {
  const Interactions seen = part(3, 40, {{0, 0}, {1, 5}, {2, 7}});
  const auto says = [&](const Scorer<float>& scorer, const std::string& text) {
    CAPTURE(text);
    CHECK(test::refusal([&] { return evaluate(scorer, seen); }).starts_with(text));
    CHECK(test::refusal([&] { return recommend(scorer, seen, 0, 5); }).starts_with(text));
    CHECK(test::refusal([&] { return query_of(scorer, 0); }).starts_with(text));
    CHECK(test::refusal([&] { return ItemIndex<float>(scorer); }).starts_with(text));
  };
  const auto output = [](std::size_t user_dim, std::size_t item_dim) {
    return Output<float>(zeros<float>(3, user_dim), zeros<float>(40, item_dim));
  };
  says({output(64, 4)},
       "scorer: must have rows of the same dimension for users and items, not 64 and 4");
  says({output(4, 64)}, "scorer: must have rows of the same dimension");
  says({output(4, 4), {1, 2}}, "user_factor: must be empty, or have 3 numbers, not 2");
  says({output(4, 4), {}, {1, 2}}, "item_factor: must be empty, or have 40 numbers, not 2");
}

TEST_CASE("of no items all lists are empty, pruned or not") {
  const Matrix<float> users = zeros<float>(3, 8), items = zeros<float>(0, 8);
  const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
  for (const Pruning pruning : {Pruning::always, Pruning::never}) {
    std::size_t lists = 0;
    rank_items(
        scorer, std::vector<Index>{0, 1, 2}, 5, {}, Similarity::dot,
        [&](std::size_t, auto best) { lists += best.empty(); }, pruning);
    CHECK(lists == 3);
  }
}

TEST_CASE("the correlation with a constant is not a number, however its mean is rounded") {
  std::vector<double> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  CHECK(std::isnan(pearson(std::vector<double>(10, 0.1), numbers)));
  CHECK(std::isnan(pearson(numbers, std::vector<double>(10, 0.1))));
}

TEST_CASE("the correlation of small and large numbers is that of their ratios") {
  for (const double scale : {1e-100, 1.0, 1e100}) {
    const std::vector<double> x{scale, 2 * scale, 3 * scale}, y{scale, 2 * scale, 4 * scale};
    CHECK(pearson(x, y) == doctest::Approx(3 / std::sqrt(2 * 14.0 / 3)));
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

TEST_CASE("the rank correlation of NaN is an error") {
  const std::vector<double> x{1, NAN, 2}, y{1, 2, 3}, shorter{1, 2};
  CHECK_THROWS_AS(static_cast<void>(spearman(x, y)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(spearman(y, shorter)), ArgumentError);
  const Matrix<float> table = zeros<float>(3, 2);
  const std::vector<Index> two(2);
  CHECK_THROWS_WITH_AS(static_cast<void>(magnitude_popularity_correlation(rows(table), two)),
                       "popularity: must have one number for each of the 3 rows, not 2",
                       ArgumentError);
}

TEST_CASE("MACR ranks by its own rule, by dot product and by cosine") {
  const Interactions train = part(3, 40, {{0, 0}, {1, 5}, {2, 7}});
  Recommender<MF<6>, MACR> model(train, {.loss = {.c = 0.7}});
  const Random random(3, Stream::synthetic);
  std::uint64_t at = 0;
  auto& weights = model.weights();
  for (Matrix<float>* table :
       {&weights.users, &weights.items, &weights.loss.user_head, &weights.loss.item_head}) {
    for (float& value : *table) value = static_cast<float>(standard_normal(random, at++));
  }
  for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
    for (Index u = 0; u < 3; ++u) {
      const float* const user = rows(model.users())[u];
      const float user_share = sigmoid(dot(user, weights.loss.user_head.data(), 6));
      const auto best = recommend(model, u, 40, {.exclude_seen = false, .similarity = similarity});
      REQUIRE(best.size() == 40);
      float last = INFINITY;
      for (const auto& [item, score] : best) {
        const float* const row = rows(model.items())[item];
        float match = dot(user, row, 6);
        if (similarity == Similarity::cosine) match /= norm(user, 6) * norm(row, 6);
        const float expected =
            (match - 0.7f) * sigmoid(dot(row, weights.loss.item_head.data(), 6)) * user_share;
        CHECK(score == doctest::Approx(expected).epsilon(1e-4));
        CHECK(score <= last);
        last = score;
      }
      // Full ranking uses the same scores.
      const Interactions* const none[] = {&train};
      const Index users[] = {u};
      rank_items(model.scorer(), users, 5, std::span(none).first(0), similarity,
                 [&](std::size_t, std::span<const ScoredItem<float>> top) {
                   for (std::size_t k = 0; k < 5; ++k) CHECK(top[k].item == best[k].item);
                 });
    }
  }
}

TEST_CASE("PRISM's magnitudes follow popularity from the start") {
  const Interactions data = synthetic_interactions({.users = 200, .items = 150});
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(data);
  const auto output = model.output();
  CHECK(magnitude_popularity_correlation(output.items(), data.item_degree()) > 0.999);
}

TEST_CASE("the most popular items are the same for all users, except those they have seen") {
  const std::vector<Interaction> pairs{{0, 2}, {1, 2}, {2, 2}, {0, 1}, {1, 1}, {2, 0}};
  const Interactions train(4, 4, pairs);
  const auto scorer = most_popular(train);
  const auto items = [&](Index user) {
    std::vector<Index> ranked;
    for (const auto& scored : recommend(scorer, train, user, 4)) ranked.push_back(scored.item);
    return ranked;
  };
  CHECK(items(3) == std::vector<Index>{2, 1, 0, 3});
  CHECK(items(0) == std::vector<Index>{0, 3});
  CHECK(items(2) == std::vector<Index>{1, 3});
}

TEST_CASE("over all users, those without relevant items count as 0") {
  const Split split = random_split(synthetic_interactions({.users = 90, .items = 90}),
                                   {.validation = 0.1, .test = 0.01, .seed = 3});
  const Recommender<MF<8>, BPR> model(split.train);
  const Report some = evaluate(model, split.test);
  const Report all = evaluate(model, split.test, {.averaged_users = AveragedUsers::all});
  REQUIRE(some.users < 90);
  CHECK(all.users == some.users);
  const double share = static_cast<double>(some.users) / 90;
  REQUIRE(some.recall > 0);
  CHECK(all.recall == doctest::Approx(some.recall * share));
  CHECK(all.ndcg == doctest::Approx(some.ndcg * share));
  CHECK(all.hit_rate == doctest::Approx(some.hit_rate * share));
}

TEST_CASE("recall divides by the relevant items, or by as many of them as a list can have") {
  const FixedScores scores({{9, 8, 7, 6}, {1, 2, 3, 4}});
  // User 0 has 3 relevant items, one of them in the list of 2; user 1 has one, and finds it.
  const Interactions relevant = part(2, 4, {{0, 0}, {0, 2}, {0, 3}, {1, 3}});
  const auto recall = [&](RecallDenominator denominator) {
    return evaluate(scores.scorer(), relevant, {.k = 2, .recall_denominator = denominator}).recall;
  };
  CHECK(recall(RecallDenominator::relevant) == doctest::Approx((1.0 / 3 + 1) / 2));
  CHECK(recall(RecallDenominator::at_most_k) == doctest::Approx((1.0 / 2 + 1) / 2));
}
