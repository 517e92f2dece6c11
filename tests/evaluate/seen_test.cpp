// SPDX-License-Identifier: BSD-3-Clause
// What evaluate leaves out by default: the items that the user has in the model's training set.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

const Split& seen_split() {
  static const Split split = random_split(synthetic_interactions({.users = 120, .items = 90}));
  return split;
}

// PRISM ranks the training items first, so that leaving them out changes every number.
using SeenModel = Recommender<MF<8>, BPR, None, PRISM<1.0>>;

bool same_report(const Report& a, const Report& b) {
  return a.users == b.users && a.ndcg == b.ndcg && a.ndcg_by_stratum == b.ndcg_by_stratum &&
         a.recall == b.recall && a.precision == b.precision && a.mrr == b.mrr &&
         a.hit_rate == b.hit_rate && a.coverage == b.coverage &&
         a.average_popularity == b.average_popularity && a.gini == b.gini;
}

constexpr const char* common =
    "relevant: must have no interactions in common with the training set, which exclude_seen "
    "removes from the ranking; pass {.exclude_seen = false} to rank training items too";

}  // namespace

TEST_CASE("evaluate leaves out a model's training items as if they were excluded by hand") {
  const Split& split = seen_split();
  const SeenModel model(split.train);
  const Scorer<float> scorer = model.scorer();
  const Report by_hand =
      evaluate(scorer, split.test, {.exclude = {&split.train, &split.validation}});
  REQUIRE_FALSE(
      same_report(by_hand, evaluate(scorer, split.test, {.exclude = {&split.validation}})));
  CHECK(same_report(by_hand, evaluate(model, split.test, {.exclude = {&split.validation}})));
  // With the training set also named in exclude: popularity counts it once.
  CHECK(same_report(by_hand,
                    evaluate(model, split.test, {.exclude = {&split.train, &split.validation}})));
  const Interactions copy = split.train;
  CHECK(same_report(by_hand, evaluate(model, split.test, {.exclude = {&copy, &split.validation}})));
  const auto any = make_any_recommender<SeenModel>(split.train);
  CHECK(same_report(by_hand, any->evaluate(split.test, {.exclude = {&split.validation}})));
}

TEST_CASE("a part that has the training set and more counts once, too") {
  const Split& split = seen_split();
  std::vector<Interaction> pairs;
  for (const Interactions* part : {&split.train, &split.validation}) {
    for (std::size_t k = 0; k < part->size(); ++k) pairs.push_back((*part)[k]);
  }
  const Interactions both(split.train.users(), split.train.items(), pairs);
  const SeenModel model(split.train);
  CHECK(same_report(evaluate(model, split.test, {.exclude = {&both}}),
                    evaluate(model.scorer(), split.test, {.exclude = {&both}})));
}

TEST_CASE("a part of the training set counts once, too") {
  const Split& split = seen_split();
  const Split merged = merge_validation(split);
  const SeenModel model(merged.train);
  const Report report = evaluate(model, split.test);
  CHECK(same_report(report, evaluate(model, split.test, {.exclude = {&split.validation}})));
  CHECK(same_report(
      report,
      evaluate(model, split.test, {.exclude = {&split.validation, &split.train, &split.train}})));
}

TEST_CASE("the items that evaluate ranks are those that recommend returns") {
  const Split& split = seen_split();
  const SeenModel model(split.train);
  for (const bool exclude_seen : {true, false}) {
    std::vector<std::size_t> times(split.train.items());
    std::size_t hits = 0, users = 0;
    for (Index user = 0; user < split.test.users(); ++user) {
      if (split.test.items_of(user).empty()) continue;
      ++users;
      for (const auto& scored : recommend(model, user, 5, {.exclude_seen = exclude_seen})) {
        ++times[scored.item];
        hits += split.test.contains(user, scored.item) ? 1 : 0;
      }
    }
    const auto covered =
        static_cast<double>(std::ranges::count_if(times, [](std::size_t n) { return n > 0; }));
    const Report report = evaluate(model, split.test, {.k = 5, .exclude_seen = exclude_seen});
    CHECK(report.coverage == doctest::Approx(covered / static_cast<double>(times.size())));
    CHECK(report.precision ==
          doctest::Approx(static_cast<double>(hits) / static_cast<double>(5 * users)));
  }
}

TEST_CASE("evaluate refuses a part that it would leave out itself") {
  const Split& split = seen_split();
  const SeenModel model(split.train);
  const auto any = make_any_recommender<SeenModel>(split.train);
  CHECK(refusal([&] { return evaluate(model, split.train); }) == common);
  CHECK(refusal([&] { return evaluate(serial, model, split.train); }) == common);
  CHECK(refusal([&] { return any->evaluate(split.train); }) == common);
  // One interaction is enough.
  std::vector<Interaction> pairs{split.train[split.train.size() - 1]};
  for (std::size_t k = 0; k < split.test.size(); ++k) pairs.push_back(split.test[k]);
  const Interactions mixed(split.train.users(), split.train.items(), pairs);
  CHECK(refusal([&] { return evaluate(model, mixed); }) == common);

  const Report fitted = evaluate(model, split.train, {.exclude_seen = false});
  CHECK(same_report(fitted, evaluate(model.scorer(), split.train)));
  CHECK(same_report(fitted, any->evaluate(split.train, {.exclude_seen = false})));
  CHECK(fitted.ndcg > 0);
}

TEST_CASE("evaluate refuses a part without interactions") {
  const Split& split = seen_split();
  const Interactions none(split.train.users(), split.train.items(), {});
  const SeenModel model(split.train);
  const char* const message = "relevant: has no interactions, so there is nothing to evaluate";
  CHECK(refusal([&] { return evaluate(model, none); }) == message);
  CHECK(refusal([&] { return evaluate(model, none, {.exclude_seen = false}); }) == message);
  CHECK(refusal([&] { return evaluate(model.scorer(), none); }) == message);
}
