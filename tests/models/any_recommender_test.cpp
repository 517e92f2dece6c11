// SPDX-License-Identifier: BSD-3-Clause
// A type-erased model gives the same results as the model.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"

using namespace prism;

namespace {

// Rows that the model computes, and a ranking rule with factors and an offset.
using Towers = Recommender<MLP<8>, MACR, BatchedWD>;
using InDouble = Recommender<MF<4>, BPR, None, PRISM<1.0>, Adam, UniformNegatives, double>;
using Published = Released<MF<8>, DirectAU>;

const Split& small_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 100, .items = 80, .interactions_per_user = 10}));
  return split;
}

FitOptions few_epochs() { return {.learning_rate = 1e-2, .batch_size = 200, .epochs = 4}; }

void check_same(const Report& a, const Report& b) {
  CHECK(a.k == b.k);
  CHECK(a.users == b.users);
  CHECK(a.ndcg == b.ndcg);
  CHECK(a.ndcg_by_stratum == b.ndcg_by_stratum);
  CHECK(a.recall == b.recall);
  CHECK(a.precision == b.precision);
  CHECK(a.mrr == b.mrr);
  CHECK(a.hit_rate == b.hit_rate);
  CHECK(a.coverage == b.coverage);
  CHECK(a.average_popularity == b.average_popularity);
  CHECK(a.gini == b.gini);
}

template <class T>
void check_same(const std::vector<ScoredItem<double>>& any,
                const std::vector<ScoredItem<T>>& direct) {
  REQUIRE(any.size() == direct.size());
  for (std::size_t place = 0; place < any.size(); ++place) {
    CHECK(any[place].item == direct[place].item);
    CHECK(any[place].score == static_cast<double>(direct[place].score));
  }
}

template <class X, class Model>
void check_same(const X& exec, const AnyRecommender& any, const Model& model) {
  const Split& split = small_split();
  const EvaluateOptions options{
      .k = 10, .exclude = {&split.train, &split.validation}, .similarity = Similarity::cosine};
  check_same(any.evaluate(split.test), evaluate(exec, model, split.test));
  check_same(any.evaluate(split.test, options), evaluate(exec, model, split.test, options));
  check_same(any.ranked_lists(split.test, options).report(5),
             ranked_lists(exec, model, split.test, options).report(5));
  check_same(any.recommend(3, 7), recommend(exec, model, 3, 7));
  const RecommendOptions all{.exclude_seen = false, .similarity = Similarity::cosine};
  check_same(any.recommend(5, 100, all), recommend(exec, model, 5, 100, all));
  check_same(any.similar_items(2, 6), similar_items(host_of(exec), model.scorer(exec), 2, 6));
  const std::vector<Index> items{7, 2};
  const auto lists = any.similar_items(items, 6);
  REQUIRE(lists.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    check_same(lists[k], similar_items(host_of(exec), model.scorer(exec), items, 6)[k]);
  }
  const auto output = model.scorer(exec).output;
  const auto equal = [](const std::vector<double>& row, const auto* other) {
    return std::equal(row.begin(), row.end(), other);
  };
  CHECK(any.user_row(99).size() == output.users().dim());
  CHECK(equal(any.user_row(99), output.users()[99]));
  CHECK(equal(any.item_row(79), output.items()[79]));
}

/// Compares a model with its type-erased twin before, after, and after further training.
template <class X, class Model>
void check_same(const X& exec, Model model) {
  const Split& split = small_split();
  const std::unique_ptr<AnyRecommender> any = make_any_recommender<Model>(exec, split.train);
  CHECK(any->name() == model.name());
  CHECK(any->train().size() == split.train.size());
  check_same(exec, *any, model);
  for (const std::size_t epochs : {4u, 2u}) {
    FitOptions options = few_epochs();
    options.epochs = epochs;
    const History direct = fit(exec, model, split, options, Silent());
    const History history = any->fit(split, options, {});
    REQUIRE(history.epochs.size() == direct.epochs.size());
    CHECK(history.best_epoch == direct.best_epoch);
    for (std::size_t e = 0; e < history.epochs.size(); ++e) {
      CHECK(history.epochs[e].loss == direct.epochs[e].loss);
      CHECK(history.epochs[e].validation == direct.epochs[e].validation);
    }
    check_same(exec, *any, model);
  }
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Captures what is written to the standard error stream during its lifetime.
template <class Call>
std::string shown(const Call& call) {
  const std::ostringstream text;
  std::streambuf* const before = std::cerr.rdbuf(text.rdbuf());
  call();
  std::cerr.rdbuf(before);
  return text.str();
}

}  // namespace

TEST_CASE("without its type, a model gives the same to the last bit") {
  SUBCASE("rows of towers, and a ranking rule") { check_same(par, Towers(small_split().train)); }
  SUBCASE("in double, on one thread") { check_same(serial, InDouble(serial, small_split().train)); }
  SUBCASE("the preset of the published code") { check_same(par, Published(small_split().train)); }
}

TEST_CASE("without its type, a model has the options that it was made with") {
  Towers model(small_split().train, {.seed = 7, .backbone = MLP<8>(), .loss = {.c = 2}});
  const auto any = make_any_recommender<Towers>(
      small_split().train, {.seed = 7, .backbone = MLP<8>(), .loss = {.c = 2}});
  check_same(par, *any, model);
  CHECK(any->user_row(0) != make_any_recommender<Towers>(small_split().train)->user_row(0));
}

TEST_CASE("without its type, a model ranks by what it is told, at once and after training") {
  Towers model(small_split().train, {.ranking = {.exponent = 0.5}});
  const auto any =
      make_any_recommender<Towers>(small_split().train, {.ranking = {.exponent = 0.5}});
  check_same(par, *any, model);
  CHECK(any->ranking().exponent == 0.5);
  const auto before = any->recommend(3, 7);
  model.set_ranking({.power = 1.5});
  any->set_ranking({.power = 1.5});
  CHECK(any->name() == model.name());
  CHECK(any->ranking().power == 1.5);
  CHECK(any->recommend(3, 7) != before);
  check_same(par, *any, model);
  CHECK_THROWS_AS(any->set_ranking({.power = 5}), ArgumentError);
  CHECK(any->ranking().power == 1.5);

  model.set_ranking(power_by_validation());
  any->set_ranking(power_by_validation());
  fit(par, model, small_split(), few_epochs(), Silent());
  any->fit(small_split(), few_epochs(), {});
  REQUIRE(model.ranking().power.has_value());
  CHECK(any->ranking().power == model.ranking().power);
  check_same(par, *any, model);
}

TEST_CASE("without its type, a model keeps interactions of its own") {
  std::unique_ptr<AnyRecommender> any;
  {
    const Split split = small_split();
    any = make_any_recommender<Published>(split.train);
    any->fit(split, few_epochs(), {});
  }
  Published model(small_split().train);
  fit(model, small_split(), few_epochs(), Silent());
  check_same(par, *any, model);
  static_assert(!std::is_copy_constructible_v<AnyRecommender> &&
                std::has_virtual_destructor_v<AnyRecommender>);
}

TEST_CASE("after each epoch the function has its weights, and may stop training") {
  const auto any = make_any_recommender<Towers>(small_split().train);
  const auto before = any->recommend(0, 5);
  std::vector<double> ndcg;
  const History history = any->fit(small_split(), few_epochs(), [&](const EpochRecord& record) {
    const EvaluateOptions options{.k = 20, .exclude = {&small_split().train}};
    CHECK(any->evaluate(small_split().validation, options).ndcg == record.validation_ndcg);
    ndcg.push_back(record.validation_ndcg);
    return record.epoch == 3 ? StopRequest::stop : StopRequest::none;
  });
  CHECK(ndcg.size() == 3);
  CHECK(history.epochs.size() == 3);
  CHECK(history.stop_reason == StopReason::observer);
  CHECK(any->recommend(0, 5) != before);
}

TEST_CASE("fit shows its progress, unless it is given a function, also an empty one") {
  const auto any = make_any_recommender<Published>(small_split().train);
  FitOptions options = few_epochs();
  options.epochs = 1;
  CHECK(shown([&] { any->fit(small_split(), options); }).find("best epoch 1 of 1") !=
        std::string::npos);
  CHECK(shown([&] { any->fit(small_split(), options, {}); }).empty());
  const std::function<StopRequest(const EpochRecord&)> empty;
  CHECK(shown([&] { any->fit(small_split(), options, empty); }).empty());
  const auto quiet = [](const EpochRecord&) { return StopRequest::none; };
  CHECK(shown([&] { any->fit(small_split(), options, quiet); }).empty());
}

TEST_CASE("errors are those of the model, whose weights they leave as it would") {
  const auto any = make_any_recommender<Towers>(small_split().train);
  CHECK_THROWS_AS(static_cast<void>(any->recommend(100, 5)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(any->recommend(0, 0)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(any->similar_items(80, 5)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(any->user_row(100)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(any->item_row(80)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(any->evaluate(Interactions())), ArgumentError);
  CHECK_THROWS_AS(any->fit({}, few_epochs(), {}), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(make_any_recommender<Towers>(Interactions())), ArgumentError);

  // The function throws after the second epoch.
  struct Failure {};
  const auto fail = [](const EpochRecord& record) {
    if (record.epoch == 2) throw Failure();
    return StopRequest::none;
  };
  CHECK_THROWS_AS(any->fit(small_split(), few_epochs(), fail), Failure);
  Towers model(small_split().train);
  struct Failing {
    void epoch(const EpochRecord& record, const Towers&) const {
      if (record.epoch == 2) throw Failure();
    }
  };
  CHECK_THROWS_AS(fit(model, small_split(), few_epochs(), Failing()), Failure);
  check_same(par, *any, model);
}

TEST_CASE("several threads may ask a model without its type at once") {
  const auto any = make_any_recommender<Towers>(small_split().train);
  const Towers model(small_split().train);
  const auto expected = recommend(model, 1, 10);
  std::vector<std::vector<ScoredItem<double>>> lists(8);
  std::vector<std::thread> threads;
  for (auto& list : lists) threads.emplace_back([&] { list = any->recommend(1, 10); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& list : lists) check_same(list, expected);
}

TEST_CASE("without its type, a model's embeddings are saved as the model's") {
  const TemporaryFile place("");
  const std::filesystem::path& folder = place.folder();
  const auto any = make_any_recommender<Towers>(small_split().train);
  any->save_embeddings(folder / "any");
  save_embeddings(Towers(small_split().train), folder / "direct");
  for (const char* file : {"users.npy", "items.npy", "user_ids.txt", "item_ids.txt"}) {
    const std::string bytes = bytes_of(folder / "any" / file);
    CHECK(!bytes.empty());
    CHECK(bytes == bytes_of(folder / "direct" / file));
  }
}

TEST_CASE("without its type, a model's training is stepped, saved and resumed as the model's") {
  const TemporaryFolder folder;
  const auto begun = make_any_recommender<Towers>(small_split().train);
  std::size_t batches = 0;
  TrainingCallbacks count;
  count.batch = [&](const EpochProgress&) {
    ++batches;
    return StopRequest::none;
  };
  const auto session = begun->session(small_split(), few_epochs());
  for (int step = 0; step < 6; ++step) static_cast<void>(session->step(count));
  CHECK(batches == 6);
  CHECK(session->steps() == 6);
  CHECK(!session->finished());
  session->save(folder / "checkpoint");

  const auto resumed = make_any_recommender<Towers>(small_split().train);
  resumed->resume(folder / "checkpoint", small_split(), few_epochs())->run();
  Towers model(small_split().train);
  fit(model, small_split(), few_epochs(), Silent());
  check_same(par, *resumed, model);

  session->stop();
  CHECK(session->finished());
  CHECK(session->run().stop_reason == StopReason::observer);
}

TEST_CASE("between steps a model without its type ranks by the weights of that moment") {
  const auto any = make_any_recommender<Towers>(small_split().train);
  Towers model(small_split().train);
  const auto session = any->session(small_split(), few_epochs());
  TrainingSession direct(model, small_split(), few_epochs());
  for (int step = 0; step < 3; ++step) {
    session->step();
    direct.step();
    session->flush();
    direct.flush();
    check_same(any->recommend(0, 5), recommend(model, 0, 5));
  }
}

TEST_CASE("without its type, a model is retrained and saved as the model") {
  const TemporaryFolder folder;
  const auto any = make_any_recommender<Towers>(small_split().train);
  Towers model(small_split().train);
  const History history = any->fit(small_split(), few_epochs(), {});
  fit(model, small_split(), few_epochs(), Silent());
  std::size_t epochs = 0;
  const auto again = any->retrained(small_split(), history, few_epochs(), [&](const EpochRecord&) {
    ++epochs;
    return StopRequest::none;
  });
  CHECK(epochs == history.best_epoch);
  const Towers direct = retrain(model, small_split(), history, few_epochs(), Silent());
  CHECK(again->train().size() == direct.train().size());
  check_same(again->recommend(3, 7), recommend(direct, 3, 7));

  again->save(folder / "any", {{"of", "a test"}});
  save_model(direct, folder / "direct", {{"of", "a test"}});
  for (const char* file : {"manifest.txt", "users.npy", "items.npy"}) {
    CHECK(bytes_of(folder / "any" / file) == bytes_of(folder / "direct" / file));
  }
}

TEST_CASE("without its type, a model gives its rows, and the lists of many users at once") {
  const auto any = make_any_recommender<Towers>(small_split().train, {.ranking = {.power = 0.5}});
  const std::vector<Index> users{7, 3, 99, 3};
  const auto lists = any->recommend(users, 6);
  REQUIRE(lists.size() == users.size());
  for (std::size_t place = 0; place < users.size(); ++place) {
    CHECK(lists[place] == any->recommend(users[place], 6));
  }
  const Index unknown[] = {100};
  CHECK_THROWS_AS(static_cast<void>(any->recommend(unknown, 6)), ArgumentError);

  const auto rows = std::get<std::shared_ptr<const Scorer<float>>>(any->scorer());
  const auto trained = std::get<std::shared_ptr<const Scorer<float>>>(any->scorer(Ranking{}));
  const Towers model(small_split().train);
  const auto direct = model.scorer();
  const Rows<const float> items = trained->output.items(), own = direct.output.items();
  CHECK(std::equal(items.data(), items.data() + items.num_elements(), own.data()));
  CHECK(any->item_row(5)[0] == static_cast<double>(rows->output.items()[5][0]));
  CHECK(any->item_row(5)[0] != static_cast<double>(items[5][0]));
  CHECK(any->policies()[1].find("MACR, alpha 0.001") == 0);
}
