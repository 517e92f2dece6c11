// SPDX-License-Identifier: BSD-3-Clause
// Queues of trials and their records.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <prism/prism.hpp>
#include <set>
#include <string>
#include <vector>

#include "fake_trials.hpp"

using namespace prism;
using test::fake;
using test::Folder;
using test::Small;
using test::to_the_end;
using test::trial_split;

TEST_CASE("a trial that is asked for twice runs once, and each epoch may be the last") {
  std::atomic<int> epochs{0};
  const std::vector<TrialSpec> twice{fake(1, epochs).trial(1), fake(1, epochs).trial(1)};
  TrialRecords records;
  CHECK(run_trials(twice, to_the_end, records));
  CHECK(epochs == 30);
  CHECK(records.all()[0].instruction_set == instruction_set);
  const std::vector<TrialSpec> other{fake(2, epochs).trial(1)};
  const QueueOptions options{.interrupted = [&] { return epochs >= 35; }, .checkpoint_epochs = 1};
  CHECK(!run_trials(other, to_the_end, records, options));
  CHECK(epochs == 35);
  CHECK_THROWS_AS((void)run_trials(other, to_the_end, records, {.budget_seconds = -1}),
                  ArgumentError);
  // An error of a callback stops the queue, not the program.
  const QueueOptions throws{.interrupted = []() -> bool { throw DataError("x", 0, "enough"); }};
  CHECK_THROWS_AS((void)run_trials(other, to_the_end, records, throws), DataError);
}

TEST_CASE("a queue stops where it is told to, and says that it is not done") {
  std::atomic<int> epochs{0};
  const std::vector<Candidate> all{fake(1, epochs), fake(2, epochs)};
  TrialRecords records;
  TuneOptions options{.queue = {.workers = 1, .interrupted = [&] { return epochs >= 40; }}};
  const auto tuned = tune(all, records, options);
  CHECK(!tuned[0].complete);
  CHECK(epochs == 40);
  CHECK(records.find("model1/123"));
  CHECK(!records.find("model2/123"));
  options.queue = {.budget_seconds = 0};
  CHECK(!tune(all, records, options)[0].complete);
  CHECK(epochs == 40);
}

TEST_CASE("the records of trials outlive the program, and a line that was cut off") {
  const Folder folder;
  const auto path = folder.path / "records.jsonl";
  TrialRecord record{.key = "a key", .model = "model", .configuration = {{"lambda", 0.1}}};
  record.seed = 7;
  record.epochs = 2;
  record.instruction_set = "avx2_fma";
  record.validations = {0.25, 1.0 / 3};
  record.validations_by_cosine = {0.125, 1.0 / 7};
  record.report.emplace();
  record.report->dot.ndcg = 0.1;
  record.report->dot.ndcg_by_stratum = {0.05, 0.03, 0.02};
  record.report->magnitudes = {{3, 1.5, 0.1}};
  {
    TrialRecords records(path);
    records.add({.key = "a key", .epochs = 1});
    records.add(record);
    CHECK_THROWS_WITH_AS(TrialRecords{path}, doctest::Contains("in use by another program"),
                         DataError);
    CHECK(TrialRecords::snapshot(path).find("a key")->epochs == 2);
  }
  {
    std::ofstream(path, std::ios::app) << "{\"model\": \"cut";
  }
  const auto bytes = std::filesystem::file_size(path);
  CHECK(TrialRecords::snapshot(path).all().size() == 1);
  CHECK(std::filesystem::file_size(path) == bytes);
  CHECK(TrialRecords::snapshot(folder.path / "absent.jsonl").all().empty());
  CHECK(!std::filesystem::exists(folder.path / "absent.jsonl"));
  {
    TrialRecords records(path);
    REQUIRE(records.all().size() == 1);
    const auto found = records.find("a key");
    REQUIRE(found);
    CHECK(to_json(*found).dump() == to_json(record).dump());
    CHECK(found->configuration == record.configuration);
    CHECK(found->instruction_set == "avx2_fma");
    CHECK(found->report->magnitudes[0].magnitude == 0.1);
    records.add({.key = "another"});
  }
  // The last line may be truncated.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  TrialRecords(path).add({.key = "a third"});
  CHECK(TrialRecords(path).all().size() == 3);
  {
    std::ofstream(path, std::ios::app) << "\n \r\n";
  }
  CHECK(TrialRecords(path).all().size() == 3);
  {
    std::ofstream(path, std::ios::app) << "nonsense\n";
  }
  CHECK_THROWS_WITH_AS(TrialRecords{path}, doctest::Contains("records.jsonl:7: is not the record"),
                       DataError);
  CHECK_THROWS_WITH_AS(static_cast<void>(TrialRecords::snapshot(path)),
                       doctest::Contains("records.jsonl:7: is not the record"), DataError);
  CHECK_THROWS_WITH_AS(TrialRecords{folder.path / "none" / "records.jsonl"},
                       doctest::Contains("its folder must exist"), DataError);
  // Another file, even of one line, stays as it was.
  const auto other = folder.path / "notes.txt";
  {
    std::ofstream(other) << "do not touch";
  }
  CHECK_THROWS_AS(TrialRecords{other}, DataError);
  CHECK(std::filesystem::file_size(other) == 12);
  // What is no number is kept as what it is.
  const auto odd = folder.path / "odd.jsonl";
  record.report->magnitude_popularity_correlation = NAN;
  record.model = "\xff";
  TrialRecords(odd).add(record);
  const auto read = TrialRecords(odd).find("a key");
  REQUIRE(read);
  CHECK(std::isnan(read->report->magnitude_popularity_correlation));
}

TEST_CASE("records whose file cannot be looked at are an error of their file") {
  const std::string too_long(300, 'a');
  CHECK_THROWS_WITH_AS(static_cast<void>(TrialRecords::snapshot(too_long)),
                       doctest::Contains(": cannot be read: "), DataError);
}

TEST_CASE("a record has all warnings of a training, also those of its end") {
  using Model = Recommender<MF<8>, DirectAU>;
  const FitOptions fit{.learning_rate = 0.01, .batch_size = 4096, .epochs = 2};
  const auto all = candidates<Types<Model>>(trial_split(), SearchSpace(), fit);
  TrialRecords records;
  const std::vector<TrialSpec> trials{all[0].trial(5)};
  REQUIRE(run_trials(trials, to_the_end, records));
  Model model(trial_split().train, {.seed = 5});
  const History history = prism::fit(model, trial_split(), fit);
  REQUIRE(!history.warnings.empty());
  CHECK(records.find(trials[0].key)->warnings == history.warnings);
}

TEST_CASE("trials of models: the same numbers for one worker and two, interrupted or not") {
  const SearchSpace space =
      SearchSpace().grid("learning_rate", {0.05, 0.005}).grid("lambda", {1e-6, 1e-3});
  const FitOptions fit{.batch_size = 128, .epochs = 6, .validate_by_cosine = true};
  const auto all = candidates<Small>(trial_split(), space, fit);
  REQUIRE(all.size() == 2 + 4);  // None has no lambda
  std::vector<TrialSpec> trials;
  for (const Candidate& candidate : all) trials.push_back(candidate.trial(5));

  const auto numbers = [&](const TrialRecords& records) {
    std::vector<std::vector<double>> result;
    for (const TrialSpec& trial : trials) {
      const auto record = records.find(trial.key);
      REQUIRE(record);
      REQUIRE(record->report);
      result.push_back(record->validations);
      REQUIRE(record->validations_by_cosine.size() == record->validations.size());
      result.push_back(record->validations_by_cosine);
      result.back().push_back(record->report->dot.ndcg);
      result.back().push_back(record->report->cosine.ndcg);
    }
    return result;
  };
  TrialRecords one;
  CHECK(run_trials(trials, to_the_end, one, {.workers = 1}));
  // What a plain fit() gives.
  Recommender<MF<8>, DirectAU, FullWD, Xavier> model(trial_split().train,
                                                     {.seed = 5, .regularizer = {.lambda = 1e-3}});
  const History history = prism::fit(
      model, trial_split(),
      {.learning_rate = 0.005, .batch_size = 128, .epochs = 6, .validate_by_cosine = true},
      Silent());
  CHECK(one.find(trials.back().key)->validations.back() == history.epochs.back().validation);
  const History of_record = history_of(*one.find(trials.back().key));
  REQUIRE(of_record.epochs.size() == history.epochs.size());
  for (std::size_t e = 0; e < history.epochs.size(); ++e) {
    CHECK(of_record.epochs[e].validation_by_cosine == history.epochs[e].validation_by_cosine);
  }
  CHECK(one.find(trials.back().key)->best_epoch == history.best_epoch);

  const Folder folder;
  TrialRecords two(folder.path / "records.jsonl");
  std::atomic<int> asked{0};
  QueueOptions options{
      .workers = 2, .interrupted = [&] { return ++asked > 9; }, .checkpoint_epochs = 2};
  CHECK(!run_trials(trials, to_the_end, two, options));
  CHECK(!std::filesystem::is_empty(folder.path / "records.jsonl.trials"));
  options.interrupted = {};
  std::size_t last_done = 0;
  options.progress = [&](const QueueProgress& progress) {
    CHECK(progress.done > last_done);
    last_done = progress.done;
    CHECK(progress.total == trials.size());
  };
  CHECK(run_trials(trials, to_the_end, two, options));
  CHECK(last_done == trials.size());
  CHECK(!std::filesystem::exists(folder.path / "records.jsonl.trials"));
  CHECK(numbers(one) == numbers(two));

  // What a process leaves that is killed after it has written its last record.
  const std::filesystem::path left =
      detail::checkpoint_file(folder.path / "records.jsonl.trials", trials.back());
  std::filesystem::create_directories(left.parent_path());
  std::ofstream(left) << "checkpoint";
  CHECK(run_trials(trials, to_the_end, two, {.read_only = true}));
  CHECK(std::filesystem::exists(left));
  CHECK(run_trials(trials, to_the_end, two));
  CHECK(!std::filesystem::exists(left.parent_path()));

  const auto refused = [&](const SearchSpace& bad, const FitOptions& with) {
    CHECK_THROWS_AS((void)candidates<Small>(trial_split(), bad, with), ArgumentError);
  };
  refused(SearchSpace().grid("learning_rate", {0.01, -1}), {});
  refused(SearchSpace().grid("gamma", {-1}), {});
  CHECK_THROWS_AS((void)candidates<Types<>>({trial_split().train, {}, {}}, SearchSpace()),
                  ArgumentError);
  CHECK_THROWS_AS((void)all.front().trial(1).make("").get()->report(),
                  ArgumentError);  // not trained yet
  FitOptions own = fit;
  own.schedule = [](const StepPosition&) { return 0.5; };
  CHECK_THROWS_AS((void)candidates<Small>(trial_split(), SearchSpace(), own).front().trial(1),
                  ArgumentError);
  CHECK_THROWS_WITH_AS(
      (void)candidates<Small>(trial_split(), SearchSpace().grid("gamma1", {1}), fit),
      "space: has gamma1, which is not a hyperparameter of any model of the grid; "
      "hyperparameters() lists them",
      ArgumentError);
}

TEST_CASE("a record with validations by cosine serves those who ask for none, not the other way") {
  FitOptions fit{.learning_rate = 0.05, .batch_size = 128, .epochs = 6};
  const auto trial = [&] {
    return std::vector<TrialSpec>{
        candidates<Small>(trial_split(), SearchSpace(), fit).front().trial(5)};
  };
  std::size_t ran = 0;
  QueueOptions options;
  options.progress = [&](const QueueProgress&) { ++ran; };
  TrialRecords records;
  const std::vector<TrialSpec> by_dot = trial();
  fit.validate_by_cosine = true;
  const std::vector<TrialSpec> both = trial();
  CHECK(run_trials(by_dot, to_the_end, records, options));
  const TrialRecord first = *records.find(by_dot.front().key);
  CHECK(first.validations_by_cosine.empty());
  // The finished record is not replaced by one of fewer epochs.
  CHECK(run_trials(both, 2, records, options));
  CHECK(ran == 2);
  const TrialRecord second = *records.find(by_dot.front().key);
  CHECK(second.finished);
  CHECK(second.validations == first.validations);
  CHECK(second.validations_by_cosine.size() == 6);
  CHECK(run_trials(by_dot, to_the_end, records, options));
  CHECK(run_trials(both, to_the_end, records, options));
  CHECK(ran == 2);
}

TEST_CASE("a trial without a test set is refused before it is trained") {
  Split split = trial_split();
  split.test = Interactions(split.train.users(), split.train.items(), {});
  const auto shared = std::make_shared<const Split>(split);
  CHECK_THROWS_WITH_AS((void)(trial_of<Recommender<MF<8>, DirectAU>>(shared, "", {}, {}, {})),
                       "split: of a trial must have a test set, on which the trial is evaluated",
                       ArgumentError);
}

TEST_CASE("trials retrained are what retrain gives, paused or not") {
  using Model = Recommender<MF<8>, DirectAU, FullWD, Xavier>;
  FitOptions fit{.learning_rate = 0.05, .batch_size = 128, .epochs = 12};
  fit.schedule = PlateauSchedule{.patience = 1, .patience_steps = 1, .min_steps = 0};
  const auto all = candidates<Types<Model>>(trial_split(), SearchSpace(), fit);
  TuneOptions options{.seeds = {6, 5}, .retrain = true};
  TrialRecords records;
  const Tuned tuned = tune(all, records, options).front();
  REQUIRE(tuned.retrained.size() == 2);
  CHECK(tuned.complete);
  CHECK(tuned.test(&Report::ndcg).count == 2);

  Model model(trial_split().train, {.seed = 6});
  const History history = prism::fit(model, trial_split(), fit, Silent());
  REQUIRE(history.best_epoch > 0);
  // The learning rate was lowered before the best epoch, and is lowered again in retraining.
  History before = history;
  before.epochs.resize(history.best_epoch - 1);
  REQUIRE(fit.schedule->factor({.epoch = history.best_epoch}, before) < 1);
  CHECK(tuned.retrained[0].epochs == history.best_epoch);
  CHECK(tuned.retrained[0].retraining);
  const Model again = retrain(model, trial_split(), history, fit, Silent());
  const EvaluateOptions measure{.exclude = {&trial_split().train, &trial_split().validation}};
  const double ndcg = evaluate(again, trial_split().test, measure).ndcg;
  CHECK(tuned.retrained[0].report->dot.ndcg == ndcg);
  CHECK(tuned.runs[0].report->dot.ndcg == evaluate(model, trial_split().test, measure).ndcg);
  CHECK(tuned.runs[0].report->dot.ndcg != ndcg);
  CHECK(tuned.test(&Report::ndcg).mean ==
        doctest::Approx((ndcg + tuned.retrained[1].report->dot.ndcg) / 2));

  // Interrupted in the middle of the second training.
  const Folder folder;
  TrialRecords in_file(folder.path / "records.jsonl");
  const std::size_t first_epochs = tuned.runs[0].epochs + tuned.runs[1].epochs;
  std::size_t done = 0;
  options.queue = {.workers = 1, .interrupted = [&] { return ++done > first_epochs + 8; }};
  const Tuned paused = tune(all, in_file, options).front();
  CHECK_FALSE(paused.complete);
  CHECK(paused.retrained.size() < 2);
  options.queue.interrupted = {};
  const Tuned complete = tune(all, in_file, options).front();
  CHECK(complete.complete);
  REQUIRE(complete.retrained.size() == 2);
  for (const std::size_t s : {0U, 1U}) {
    CHECK(complete.retrained[s].losses == tuned.retrained[s].losses);
    CHECK(complete.retrained[s].report->dot.ndcg == tuned.retrained[s].report->dot.ndcg);
  }
  CHECK(trial_record_of(to_json(complete.retrained[0])).retraining);

  // Without a best epoch there is nothing to repeat.
  const TrialSpec first = all.front().trial(5);
  CHECK_THROWS_WITH_AS((void)first.retrained({}), "history: has no best epoch to retrain up to",
                       ArgumentError);
  const std::vector<TrialSpec> unknown{all.front().trial(7)};
  CHECK(retrained_trials(unknown, records).empty());
}
