// SPDX-License-Identifier: BSD-3-Clause
// What tuning chooses, and by which criterion.
#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fake_trials.hpp"

using namespace prism;
using test::fake;

TEST_CASE("tuning chooses by validation, of each model one, and runs it with every seed") {
  std::atomic<int> epochs{0};
  const std::vector<Candidate> all{fake(0.2, epochs), fake(0.5, epochs), fake(0.4, epochs),
                                   fake(0.1, epochs, "other"), fake(-0.9, epochs)};
  TrialRecords records;
  const auto tuned = tune(all, records, {});
  REQUIRE(tuned.size() == 2);
  CHECK(tuned[0].model == "model");
  CHECK(label(tuned[0].configuration) == "quality 0.5");
  CHECK(tuned[0].candidates == 4);
  CHECK(tuned[0].complete);
  REQUIRE(tuned[0].runs.size() == 3);
  CHECK(tuned[0].runs[2].seed == 492);
  CHECK(tuned[0].test(&Report::ndcg).mean == doctest::Approx(-0.5));
  CHECK(tuned[0].test(&Report::ndcg).count == 3);
  CHECK(label(tuned[1].configuration) == "quality 0.1");
  CHECK(epochs == 4 * 30 + 3 + 2 * 2 * 30);  // the search, and two more seeds of each model
  // All of it is on record.
  CHECK(tune(all, records, {}).size() == 2);
  CHECK(epochs == 4 * 30 + 3 + 2 * 2 * 30);

  const Statistic three = statistic({1, 2, 3});
  CHECK(three.mean == doctest::Approx(2));
  CHECK(three.deviation == doctest::Approx(1));
  CHECK(statistic({5}).deviation == 0);
}

TEST_CASE("successive halving trains the better part of the candidates further") {
  std::atomic<int> epochs{0};
  std::vector<Candidate> all;
  for (int q = 1; q <= 9; ++q) all.push_back(fake(q, epochs));
  TrialRecords records;
  const auto tuned = tune(all, records, {.seeds = {1}, .first_epochs = 2});
  CHECK(label(tuned[0].configuration) == "quality 9");
  // A fake trial cannot be paused: each round starts again. 9 trials of 2 epochs, 3 of 6, 1 of 30.
  CHECK(epochs == 9 * 2 + 3 * 6 + 1 * 30);
  CHECK(records.find("model9/1")->finished);
  CHECK(records.find("model8/1")->epochs == 6);
  CHECK(records.find("model1/1")->epochs == 2);

  CHECK_THROWS_AS((void)tune(all, records, {.seeds = {}}), ArgumentError);
  CHECK_THROWS_AS((void)tune(all, records, {.search_seeds = 4}), ArgumentError);
  CHECK_THROWS_AS((void)tune(all, records, {.reduction = 1}), ArgumentError);
  CHECK_THROWS_AS((void)tune({}, records, {}), ArgumentError);
  CHECK_THROWS_WITH_AS((void)tune(all, records, {.queue = {.budget_seconds = -1}}),
                       "budget_seconds: must be at least 0, not -1", ArgumentError);
}

TEST_CASE("halving leaves candidates of every learning rate to the end") {
  std::atomic<int> epochs{0};
  std::string name;
  const auto at_rate = [&](double quality, double rate) {
    Candidate candidate = fake(quality, epochs);
    candidate.configuration.push_back({name, rate});
    return candidate;
  };
  const TuneOptions options{.seeds = {1}, .first_epochs = 2};
  std::vector<Candidate> all;
  for (const char* const of_rate : {"learning_rate", "fit.learning_rate"}) {
    name = of_rate;
    all = {at_rate(9, 0.1),  at_rate(8, 0.1),  at_rate(7, 0.1),
           at_rate(1, 0.01), at_rate(2, 0.01), at_rate(3, 0.001)};
    TrialRecords records;
    const auto tuned = tune(all, records, options);
    CHECK(label(tuned[0].configuration) == "quality 9, " + name + " 0.1");
    for (const char* best : {"model9/1", "model2/1", "model3/1"}) {
      CHECK(records.find(best)->finished);
    }
    for (const char* other : {"model8/1", "model7/1", "model1/1"}) {
      CHECK(records.find(other)->epochs == 2);
    }
  }
  // If candidates of different learning rates are compared with each other, only the best is left.
  TuneOptions of_all = options;
  of_all.halve_within = "";
  TrialRecords fewer;
  (void)tune(all, fewer, of_all);
  CHECK(fewer.find("model9/1")->finished);
  CHECK_FALSE(fewer.find("model3/1")->finished);
  of_all.halve_within = "gamma";
  all[0].configuration = {{"loss.gamma", 1}, {"penalty.gamma", 1}};
  CHECK_THROWS_WITH_AS(
      (void)tune(all, fewer, of_all),
      "halve_within: must include the kind, such as loss.gamma, because a candidate "
      "has several hyperparameters of this name",
      ArgumentError);
}

TEST_CASE("a search decides by the epochs of its rungs, whatever else is on record") {
  std::atomic<int> epochs{0};
  // Best after 2 epochs, worse later; and one that diverges in the third.
  std::vector<Candidate> all{fake(5, epochs), fake(4, epochs), fake(3, epochs), fake(-6, epochs)};
  const TuneOptions options{.seeds = {1}, .first_epochs = 2, .reduction = 2};
  TrialRecords records;
  const auto tuned = tune(all, records, options);
  // Quality -6 leads after 2 epochs, is kept together with 5, and diverges in epoch 3.
  CHECK(label(tuned[0].configuration) == "quality 5");
  CHECK(records.find("model3/1")->epochs == 2);
  const int before = epochs;
  // Another run trains the eliminated candidate further, to a validation above all others.
  TrialRecord further = *records.find("model3/1");
  further.finished = true;
  for (int e = 0; e < 28; ++e) further.validations.push_back(100);
  further.validation = 100;
  records.add(further);
  const auto again = tune(all, records, options);
  CHECK(label(again[0].configuration) == "quality 5");
  CHECK(again[0].complete);
  CHECK(epochs == before);
}

TEST_CASE("a candidate that diverged is no choice, however low the others' validations") {
  std::atomic<int> epochs{0};
  // Validations are below 0 here: minus the quality.
  const auto negative = [&](double quality) {
    Candidate candidate = fake(quality, epochs);
    return candidate;
  };
  TrialRecords records;
  records.add({.key = "model2/1", .finished = true, .validation = -5, .validations = {-5}});
  records.add({.key = "model1/1",
               .finished = true,
               .error = "the loss is no longer finite",
               .validation = -4,
               .validations = {-4}});
  const auto tuned = tune({negative(1), negative(2)}, records, {.seeds = {1}});
  CHECK(label(tuned[0].configuration) == "quality 2");
}

TEST_CASE("a search with several seeds goes by their mean, and refuses one seed twice") {
  std::atomic<int> epochs{0};
  TrialRecords records;
  for (const int seed : {1, 2}) {
    const auto record = [&](const char* model, double validation) {
      records.add({.key = model + std::to_string(seed),
                   .finished = true,
                   .validation = validation,
                   .validations = {validation}});
    };
    record("model1/", seed == 1 ? 0.5 : 0.1);
    record("model2/", 0.4);
  }
  const std::vector<Candidate> both{fake(1, epochs), fake(2, epochs)};
  CHECK(label(tune(both, records, {.seeds = {1, 2}})[0].configuration) == "quality 1");
  CHECK(label(tune(both, records, {.seeds = {1, 2}, .search_seeds = 2})[0].configuration) ==
        "quality 2");
  CHECK_THROWS_WITH_AS((void)tune(both, records, {.seeds = {1, 1}}),
                       "seeds: must not contain 1 twice", ArgumentError);
}

TEST_CASE("reading a complete search leaves the checkpoints of trials that others have paused") {
  const test::Folder folder;
  std::atomic<int> epochs{0};
  std::vector<Candidate> all;
  for (int q = 1; q <= 3; ++q) all.push_back(fake(q, epochs));
  TrialRecords records(folder.path / "records.jsonl");
  REQUIRE(tune(all, records, {.seeds = {1}, .first_epochs = 2})[0].complete);
  REQUIRE(!records.find("model1/1")->finished);

  const auto checkpoints = detail::checkpoint_folder(records, {});
  const auto paused = detail::checkpoint_file(checkpoints, all[0].trial(1));
  std::filesystem::create_directories(checkpoints);
  std::ofstream(paused) << "of a call that trains this trial to its end";
  CHECK(tune(all, records, {.seeds = {1}, .first_epochs = 2})[0].complete);
  CHECK(std::filesystem::exists(paused));
  const int trained = epochs;
  CHECK(!tune(all, records, {.seeds = {1, 2}, .first_epochs = 2, .queue = {.read_only = true}})[0]
             .complete);
  CHECK(epochs == trained);
  CHECK(std::filesystem::exists(paused));
  // A call that trains removes those of its candidates that it has left behind.
  CHECK(tune(all, records, {.seeds = {1, 2}, .first_epochs = 2})[0].complete);
  CHECK(!std::filesystem::exists(paused));
}
