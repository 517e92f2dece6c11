// SPDX-License-Identifier: BSD-3-Clause
// Metrics of each user, at several k from one ranking, and among candidates. The expected numbers
// are those of ranx 0.3 and scikit-learn 1.9 (roc_auc_score), for these scores and lists:
//   run = Run({f"u{u}": {f"i{i}": score[u][i] for i in allowed(u)} for u in users})
//   evaluate(qrels, run, ["ndcg@5", "recall@5", "precision@5", "map@5", "mrr@5", "hit_rate@5"])
//   roc_auc_score([i in relevant[u] for i in allowed(u)], score[u][allowed(u)])
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <prism/execution/serial.hpp>
#include <prism/execution/serial_grid.hpp>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"
#include "support/fixed_scores.hpp"

using namespace prism;
using test::FixedScores;
using test::refusal;

namespace {

/// Six users and twelve items; user 3 has no relevant item.
struct TwelveItems {
  static Interactions lists(const std::vector<std::vector<Index>>& items_of) {
    std::vector<Interaction> pairs;
    for (std::size_t u = 0; u < items_of.size(); ++u) {
      for (const Index item : items_of[u]) pairs.push_back({static_cast<Index>(u), item});
    }
    return {6, 12, pairs};
  }
  /// @param divisor  above 1, some scores are equal
  static FixedScores scores(float divisor = 1) {
    std::vector<std::vector<float>> all{
        {2, 10, 8, 1, 6, 9, 4, 5, 11, 3, 7, 0}, {10, 9, 4, 7, 2, 1, 11, 8, 3, 5, 6, 0},
        {1, 4, 10, 5, 6, 9, 3, 11, 8, 0, 7, 2}, {9, 2, 4, 8, 11, 7, 1, 0, 3, 5, 6, 10},
        {0, 8, 4, 6, 7, 2, 5, 1, 10, 9, 11, 3}, {8, 10, 6, 0, 4, 9, 11, 3, 7, 2, 1, 5}};
    for (auto& user_scores : all) {
      for (float& score : user_scores) score = std::floor(score / divisor);
    }
    return FixedScores(all);
  }

  Interactions relevant =
      lists({{5}, {1, 3}, {0, 1, 4}, {}, {1, 2, 4, 7, 8}, {1, 5, 6, 8, 9, 10, 11}});
  Interactions seen = lists({{0, 1}, {0, 5}, {7, 10}, {0, 5}, {0, 9}, {0, 3}});
  // Items 3 and 11 of users 1 and 5 are relevant and no candidates; each user's list has an item
  // that is seen, or is user 3's.
  Interactions candidates = lists({{0, 3, 5, 6, 11},
                                   {1, 4, 5, 9, 11},
                                   {0, 1, 3, 4, 5, 6, 11},
                                   {0},
                                   {1, 2, 3, 4, 5, 7, 8, 9, 10},
                                   {0, 1, 2, 4, 5, 6, 7, 8, 9, 10}});
};

void check_values(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t j = 0; j < actual.size(); ++j) {
    CAPTURE(j);
    CHECK(std::abs(actual[j] - expected[j]) < 1e-12);
  }
}

void check_equal_reports(const Report& a, const Report& b) {
  CHECK(a.k == b.k);
  CHECK(a.users == b.users);
  CHECK(a.ndcg_by_stratum == b.ndcg_by_stratum);
  for (const auto number :
       {&Report::ndcg, &Report::recall, &Report::precision, &Report::mrr, &Report::hit_rate,
        &Report::coverage, &Report::average_popularity, &Report::gini}) {
    CHECK(a.*number == b.*number);
  }
}

double mean_of(const std::vector<double>& values) { return estimate(values).mean; }

}  // namespace

TEST_CASE("the metrics of each user at several k are ranx's") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const RankedLists lists =
      ranked_lists(scores.scorer(), data.relevant, {.k = 10, .exclude = {&data.seen}});
  CHECK(std::ranges::equal(lists.users(), std::vector<Index>{0, 1, 2, 4, 5}));

  const UserMetrics at_1 = lists.metrics(1);
  check_values(at_1.ndcg, {0, 0, 0, 0, 1});
  check_values(at_1.recall, {0, 0, 0, 0, 0.14285714285714285});
  check_values(at_1.average_precision, {0, 0, 0, 0, 0.14285714285714285});

  const UserMetrics at_3 = lists.metrics(3);
  CHECK(at_3.k == 3);
  check_values(at_3.ndcg, {0.6309297535714575, 0.38685280723454163, 0, 0.5307212739772434, 1});
  check_values(at_3.recall, {1, 0.5, 0, 0.4, 0.42857142857142855});
  check_values(at_3.precision, {0.3333333333333333, 0.3333333333333333, 0, 0.6666666666666666, 1});
  check_values(at_3.average_precision, {0.5, 0.25, 0, 0.2333333333333333, 0.42857142857142855});
  check_values(at_3.reciprocal_rank, {0.5, 0.5, 0, 0.5, 1});
  check_values(at_3.hit, {1, 1, 0, 1, 1});

  const UserMetrics at_5 = lists.metrics(5);
  check_values(at_5.ndcg, {0.6309297535714575, 0.6509209298071326, 0.20210734650054757,
                           0.5296347172140421, 0.8687949224876582});
  check_values(at_5.recall, {1, 1, 0.3333333333333333, 0.6, 0.5714285714285714});
  check_values(at_5.precision, {0.2, 0.4, 0.2, 0.6, 0.8});
  check_values(at_5.average_precision,
               {0.5, 0.5, 0.08333333333333333, 0.3833333333333333, 0.5714285714285714});
  check_values(at_5.reciprocal_rank, {0.5, 0.5, 0.25, 0.5, 1});

  const UserMetrics at_10 = lists.metrics(10);
  check_values(at_10.ndcg, {0.6309297535714575, 0.6509209298071326, 0.5105347743265789,
                            0.7407274048032711, 0.9642409754030941});
  check_values(at_10.average_precision,
               {0.5, 0.5, 0.3055555555555555, 0.5976190476190476, 0.8857142857142858});

  // Means: MAP, and those that a report has.
  CHECK(std::abs(mean_of(at_5.average_precision) - 0.4076190476190476) < 1e-12);
  CHECK(std::abs(mean_of(at_10.average_precision) - 0.5577777777777777) < 1e-12);
  const Report report = lists.report(5);
  CHECK(std::abs(report.ndcg - 0.5764775339161676) < 1e-12);
  CHECK(std::abs(report.recall - 0.700952380952381) < 1e-12);
  CHECK(std::abs(report.precision - 0.44) < 1e-12);
  CHECK(std::abs(report.mrr - 0.55) < 1e-12);
  CHECK(report.hit_rate == 1);
}

TEST_CASE("metrics among candidates are ranx's, without the seen ones") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const EvaluateOptions options{.k = 10, .exclude = {&data.seen}, .candidates = &data.candidates};
  const RankedLists lists = ranked_lists(scores.scorer(), data.relevant, options);
  CHECK(std::ranges::equal(lists.items(0), std::vector<Index>{5, 6, 3, 11}));  // 0 is seen

  const UserMetrics at_2 = lists.metrics(2);
  check_values(at_2.ndcg, {1, 0.6131471927654584, 0.38685280723454163, 0.38685280723454163, 1});
  check_values(at_2.recall, {1, 0.5, 0.3333333333333333, 0.2, 0.2857142857142857});
  check_values(at_2.precision, {0.5, 0.5, 0.5, 0.5, 1});
  check_values(at_2.average_precision, {1, 0.5, 0.16666666666666666, 0.1, 0.2857142857142857});
  check_values(at_2.reciprocal_rank, {1, 1, 0.5, 0.5, 1});
  const UserMetrics at_5 = lists.metrics(5);
  check_values(at_5.ndcg, {1, 0.6131471927654584, 0.49818925746641285, 0.5296347172140421,
                           0.8687949224876582});
  check_values(at_5.recall, {1, 0.5, 0.6666666666666666, 0.6, 0.5714285714285714});
  check_values(at_5.average_precision,
               {1, 0.5, 0.3333333333333333, 0.3833333333333333, 0.5714285714285714});
  CHECK(std::abs(mean_of(at_5.average_precision) - 0.5576190476190476) < 1e-12);

  const Report report = evaluate(scores.scorer(), data.relevant,
                                 {.k = 5, .exclude = {&data.seen}, .candidates = &data.candidates});
  CHECK(std::abs(report.ndcg - 0.7019532179867143) < 1e-12);
  check_equal_reports(report, lists.report(5));
  // Without parts to leave out, user 4 has the seen item 9 in third place.
  CHECK(lists.metrics(3).recall[3] == 0.4);
  const EvaluateOptions with_seen{.k = 3, .candidates = &data.candidates};
  CHECK(ranked_lists(scores.scorer(), data.relevant, with_seen).metrics(3).recall[3] == 0.2);
}

TEST_CASE("the area under the ROC curve is scikit-learn's, with ties and among candidates") {
  const TwelveItems data;
  const auto auc = [&](float divisor, const Interactions* candidates) {
    const FixedScores scores = TwelveItems::scores(divisor);
    const UserAUC users = ranked_lists(scores.scorer(), data.relevant,
                                       {.k = 12, .exclude = {&data.seen}, .candidates = candidates})
                              .auc();
    CHECK(users.position == std::vector<std::size_t>{0, 1, 2, 3, 4});
    return users.auc;
  };
  check_values(auc(1, nullptr),
               {0.8888888888888888, 0.8125, 0.380952380952381, 0.56, 0.6666666666666667});
  check_values(auc(4, nullptr),
               {0.888888888888889, 0.71875, 0.40476190476190477, 0.64, 0.6666666666666667});
  check_values(auc(1, &data.candidates),
               {1, 1, 0.41666666666666663, 0.4666666666666667, 0.6666666666666666});
  check_values(auc(4, &data.candidates), {1, 1, 0.5, 0.5666666666666667, 0.6666666666666666});
}

TEST_CASE("a user with relevant candidates only, or none, has no area under the ROC curve") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const Interactions candidates =
      TwelveItems::lists({{5}, {2, 4}, {0, 1, 3}, {}, {}, {1, 2, 3, 4}});
  const UserAUC users =
      ranked_lists(scores.scorer(), data.relevant, {.k = 4, .candidates = &candidates}).auc();
  CHECK(users.position == std::vector<std::size_t>{2, 4});  // users 2 and 5
  check_values(users.auc, {0, 1});
}

TEST_CASE("the area under the ROC curve needs lists of all items that are ranked") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const auto auc = [&](std::size_t k, const Interactions* candidates) {
    return refusal([&] {
      return ranked_lists(scores.scorer(), data.relevant, {.k = k, .candidates = candidates}).auc();
    });
  };
  CHECK(auc(11, nullptr).starts_with("k: must be at least 12, the number of items"));
  CHECK(auc(12, nullptr) == "nothing is refused");
  CHECK(auc(9, &data.candidates).starts_with("k: must be at least 10, "));
  CHECK(auc(10, &data.candidates) == "nothing is refused");
}

TEST_CASE("a report at each k is that of evaluate with this k, bit for bit") {
  const Split split = random_split(synthetic_interactions({.users = 700, .items = 150}));
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(split.train);
  for (const auto averaged : {AveragedUsers::with_relevant_items, AveragedUsers::all}) {
    EvaluateOptions options{.k = 60,
                            .exclude = {&split.validation},
                            .averaged_users = averaged,
                            .recall_denominator = RecallDenominator::at_most_k};
    const RankedLists lists = ranked_lists(model, split.test, options);
    for (const std::size_t k : {1u, 7u, 20u, 60u}) {
      options.k = k;
      const Report report = evaluate(model, split.test, options);
      REQUIRE(report.ndcg > 0);
      check_equal_reports(lists.report(k), report);
      check_equal_reports(evaluate(serial, model, split.test, options), report);
    }
  }
}

TEST_CASE("means of the users' metrics are a report's") {
  const Split split = random_split(synthetic_interactions({.users = 300, .items = 150}));
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(split.train);
  const RankedLists lists = ranked_lists(model, split.test, {.k = 30});
  const Report report = lists.report(20);
  const UserMetrics users = lists.metrics(20);
  CHECK(users.ndcg.size() == report.users);
  CHECK(mean_of(users.ndcg) == doctest::Approx(report.ndcg).epsilon(1e-12));
  CHECK(mean_of(users.recall) == doctest::Approx(report.recall).epsilon(1e-12));
  CHECK(mean_of(users.precision) == doctest::Approx(report.precision).epsilon(1e-12));
  CHECK(mean_of(users.reciprocal_rank) == doctest::Approx(report.mrr).epsilon(1e-12));
  CHECK(mean_of(users.hit) == doctest::Approx(report.hit_rate).epsilon(1e-12));
}

TEST_CASE("average precision has the denominator of recall") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const auto at_3 = [&](RecallDenominator denominator) {
    return ranked_lists(scores.scorer(), data.relevant,
                        {.k = 3, .exclude = {&data.seen}, .recall_denominator = denominator})
        .metrics(3)
        .average_precision;
  };
  // Users 4 and 5 have 5 and 7 relevant items, of which a list of 3 can have 3.
  check_values(at_3(RecallDenominator::at_most_k), {0.5, 0.25, 0, 0.2333333333333333 * 5 / 3, 1});
}

TEST_CASE("only the given users are evaluated") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const std::vector<Index> users{1, 3, 4};
  EvaluateOptions options{.k = 5, .exclude = {&data.seen}, .users = users};
  const RankedLists lists = ranked_lists(scores.scorer(), data.relevant, options);
  CHECK(std::ranges::equal(lists.users(), std::vector<Index>{1, 4}));
  check_values(lists.metrics(5).ndcg, {0.6509209298071326, 0.5296347172140421});
  CHECK(lists.report(5).ndcg == doctest::Approx((0.6509209298071326 + 0.5296347172140421) / 2));
  options.averaged_users = AveragedUsers::all;  // user 3 counts as 0
  CHECK(evaluate(scores.scorer(), data.relevant, options).ndcg ==
        doctest::Approx((0.6509209298071326 + 0.5296347172140421) / 3));
}

TEST_CASE("ranking all items as candidates is full ranking, bit for bit") {
  const Split split = random_split(synthetic_interactions({.users = 200, .items = 130}));
  const Recommender<MF<8>, MACR, None, PRISM<1.0>> model(split.train);
  std::vector<Interaction> pairs;
  for (Index user = 0; user < 200; ++user) {
    for (Index item = 0; item < 130; ++item) pairs.push_back({user, item});
  }
  const Interactions all(200, 130, pairs);
  for (const auto similarity : {Similarity::dot, Similarity::cosine}) {
    EvaluateOptions options{.exclude = {&split.validation}, .similarity = similarity};
    const Report full = evaluate(model, split.test, options);
    options.candidates = &all;
    check_equal_reports(evaluate(model, split.test, options), full);
    check_equal_reports(evaluate(serial_grid, model, split.test, options),
                        evaluate(serial, model, split.test, options));
  }
}

TEST_CASE("options of ranked lists that are wrong are refused") {
  const TwelveItems data;
  const FixedScores scores = TwelveItems::scores();
  const auto says = [&](const EvaluateOptions& options) {
    return refusal([&] { return ranked_lists(scores.scorer(), data.relevant, options); });
  };
  const std::vector<Index> twice{1, 1}, beyond{1, 6}, without{3};
  CHECK(says({.users = twice}) ==
        "users: must be in ascending order without duplicates, but user 1 follows 1");
  CHECK(says({.users = beyond}) == "users: must be below 6, not 6");
  CHECK(says({.users = without}) == "users: must include a user with a relevant item");
  const Interactions wider(6, 13, {}), others = TwelveItems::lists({{1, 2}, {0}});
  CHECK(says({.candidates = &wider}) ==
        "candidates: must have 6 users and 12 items, as the model has");
  CHECK(says({.candidates = &others}) ==
        "candidates: must include relevant items: with none of them, every metric would be 0");
  const RankedLists lists = ranked_lists(scores.scorer(), data.relevant, {.k = 5});
  CHECK(refusal([&] { return lists.metrics(6); }) ==
        "k: must be from 1 to 5, the length of the lists, not 6");
  CHECK(refusal([&] { return lists.report(0); }).starts_with("k: must be from 1 to 5"));
}
