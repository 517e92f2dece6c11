// SPDX-License-Identifier: BSD-3-Clause
// Trials of models that rank with magnitudes from popularity.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <prism/prism.hpp>
#include <string>
#include <vector>

#include "fake_trials.hpp"

using namespace prism;
using test::Folder;
using test::to_the_end;
using test::trial_split;

namespace {

using RankedModel = Recommender<MF<8>, DirectAU>;

std::shared_ptr<const Split> shared_split() {
  static const auto split = std::make_shared<const Split>(trial_split());
  return split;
}

FitOptions short_run() { return {.learning_rate = 0.1, .batch_size = 128, .epochs = 12}; }

TrialSpec trial(const Ranking& ranking, const FitOptions& fit = short_run(),
                std::uint64_t seed = 5) {
  return trial_of<RankedModel>(shared_split(), "split", {.seed = seed, .ranking = ranking}, fit,
                               {});
}

EvaluateOptions as_tested() {
  return {.exclude = {&trial_split().train, &trial_split().validation}};
}

}  // namespace

TEST_CASE("the key of a trial ranked as trained has no word of a ranking") {
  // As in records that were written before there were rankings.
  CHECK(trial({}).key ==
        "MF<8> + DirectAU + None + Xavier (MF<8> + DirectAU, duplicates 0, gamma 1 + None + "
        "Xavier + Adam, beta1 0.9, beta2 0.999, epsilon 1e-08 + UniformNegatives + float); seed 5; "
        "learning_rate 0.1; batch_size 128; k 20; shuffle every epoch; schedule default; metric "
        "NDCG; epochs 12, patience 10, min_steps 1000; split");
  const TrialSpec by_default = trial({}, {});
  CHECK(by_default.key.find("rank") == std::string::npos);
  CHECK(by_default.key.find("power") == std::string::npos);
  CHECK(trial({.exponent = 1}, {}).key == by_default.key);
}

TEST_CASE("the key of a ranked trial says how it is ranked, and of which values one is chosen") {
  const std::string without = trial({}).key;
  const auto with = [&](const std::string& name, const std::string& label) {
    std::string key = without;
    key.insert(key.find(" ("), " + " + name);
    key.insert(key.find("; learning_rate"), "; ranked with " + label);
    return key;
  };
  CHECK(trial({.power = 0.25}).key == with("power 0.25", "power 0.25"));
  CHECK(trial({.exponent = 0.5}).key == with("exponent 0.5", "exponent 0.5"));
  CHECK(trial({.powers = {0, 0.5}}).key ==
        with("power by validation", "power by validation from 0 0.5"));
  CHECK(trial({.alphas = {0, 1}}).key ==
        with("alpha by validation", "alpha by validation from 0 1"));
  CHECK(trial({.powers = {0, 1}}).model ==
        "MF<8> + DirectAU + None + Xavier + power by validation");
}

TEST_CASE("a record keeps the value that training chose") {
  const Folder folder;
  const auto path = folder.path / "records.jsonl";
  TrialRecord chose{.key = "chose", .validations = {0.5}, .losses = {1}};
  chose.chosen = 1.0 / 3;
  TrialRecords(path).add(chose);
  TrialRecords(path).add({.key = "did not"});
  const TrialRecords records = TrialRecords::snapshot(path);
  CHECK(records.find("chose")->chosen == chose.chosen);
  CHECK(history_of(*records.find("chose")).best_chosen == chose.chosen);
  CHECK_FALSE(records.find("did not")->chosen.has_value());
  CHECK_FALSE(to_json(*records.find("did not")).contains("chosen"));
}

TEST_CASE("trials that choose record what fit gives") {
  int last_is_another = 0;  // of the choices
  for (const std::uint64_t seed : {5U, 6U, 7U}) {
    for (const Ranking& ranking : {power_by_validation(), alpha_by_validation()}) {
      const std::vector<TrialSpec> trials{trial(ranking, short_run(), seed)};
      TrialRecords records;
      REQUIRE(run_trials(trials, to_the_end, records));
      const TrialRecord record = *records.find(trials[0].key);
      RankedModel model(trial_split().train, {.seed = seed, .ranking = ranking});
      const History history = prism::fit(model, trial_split(), short_run(), Silent());
      REQUIRE(history.best_chosen.has_value());
      last_is_another += history.epochs.back().chosen != history.best_chosen ? 1 : 0;
      CHECK(record.chosen == history.best_chosen);
      CHECK(record.best_epoch == history.best_epoch);
      CHECK(record.validation == history.best_validation);
      REQUIRE(record.validations.size() == history.epochs.size());
      for (std::size_t e = 0; e < record.validations.size(); ++e) {
        CHECK(record.validations[e] == history.epochs[e].validation);
      }
      REQUIRE(record.report.has_value());
      const double ndcg = evaluate(model, trial_split().test, as_tested()).ndcg;
      CHECK(record.report->dot.ndcg == ndcg);
      model.set_ranking({});
      CHECK(ndcg != evaluate(model, trial_split().test, as_tested()).ndcg);
    }
  }
  CHECK(last_is_another > 0);
}

TEST_CASE("trials that choose give the same for one worker and two, paused or not") {
  const std::vector<TrialSpec> trials{trial(power_by_validation()), trial(alpha_by_validation()),
                                      trial({.power = 0.25}),
                                      trial({.exponent = 0.5, .powers = {0, 0.5}}, short_run(), 6)};
  TrialRecords whole;
  REQUIRE(run_trials(trials, to_the_end, whole, {.workers = 1}));
  const Folder folder;
  TrialRecords paused(folder.path / "records.jsonl");
  std::size_t calls = 0;
  for (bool complete = false; !complete; ++calls) {
    REQUIRE(calls < 100);
    int epochs = 0;
    complete = run_trials(trials, to_the_end, paused,
                          {.workers = 2, .interrupted = [&] { return ++epochs >= 4; }});
  }
  CHECK(calls > trials.size());
  for (const TrialSpec& spec : trials) {
    const TrialRecord record = *whole.find(spec.key), again = *paused.find(spec.key);
    CHECK(again.chosen == record.chosen);
    CHECK(again.best_epoch == record.best_epoch);
    CHECK(again.validations == record.validations);
    REQUIRE(again.report.has_value());
    CHECK(again.report->dot.ndcg == record.report->dot.ndcg);
    CHECK(again.report->magnitude_popularity_correlation ==
          record.report->magnitude_popularity_correlation);
  }
  CHECK(whole.find(trials[0].key)->chosen.has_value());
  CHECK_FALSE(whole.find(trials[2].key)->chosen.has_value());
}

TEST_CASE("trials retrained after a choice are what retrain gives, and choose nothing") {
  const Ranking ranking = power_by_validation();
  FitOptions by_default = short_run();
  by_default.learning_rate.reset();
  for (const FitOptions& fit : {short_run(), by_default}) {
    const std::vector<TrialSpec> trials{trial(ranking, fit)};
    const Folder folder;
    {
      TrialRecords records(folder.path / "records.jsonl");
      REQUIRE(run_trials(trials, to_the_end, records));
    }
    TrialRecords records(folder.path / "records.jsonl");  // as a second run of a program has them
    const std::vector<TrialSpec> again = retrained_trials(trials, records);
    REQUIRE(again.size() == 1);
    REQUIRE(run_trials(again, to_the_end, records));
    const TrialRecord record = *records.find(again[0].key);

    RankedModel model(trial_split().train, {.seed = 5, .ranking = ranking});
    const History history = prism::fit(model, trial_split(), fit, Silent());
    const RankedModel retrained = retrain(model, trial_split(), history, fit, Silent());
    CHECK(retrained.ranking().power == history.best_chosen);
    CHECK(record.epochs == history.best_epoch);
    CHECK_FALSE(record.chosen.has_value());
    REQUIRE(record.report.has_value());
    CHECK(record.report->dot.ndcg == evaluate(retrained, trial_split().test, as_tested()).ndcg);
    CHECK(record.report->dot.ndcg != records.find(trials[0].key)->report->dot.ndcg);
  }
}

TEST_CASE("a trial cannot be retrained after a history that has no choice") {
  History history{.best_epoch = 2};
  history.epochs = {{.epoch = 1}, {.epoch = 2}};
  CHECK_THROWS_WITH_AS((void)trial(power_by_validation()).retrained(history),
                       "history: has no alpha or power that was chosen", ArgumentError);
  CHECK_NOTHROW((void)trial({.power = 0.5}).retrained(history));
}

TEST_CASE("a trial cannot rank with a function or a table of magnitudes, which keys cannot name") {
  const std::string message =
      "ranking: of a trial must be by alpha, power or exponent: trials are identified by their "
      "options' values, and a function has none";
  CHECK_THROWS_WITH_AS((void)trial({.magnitude = [](double d) { return d + 1; }}), message.c_str(),
                       ArgumentError);
  CHECK_THROWS_WITH_AS((void)trial({.magnitudes = {1, 2}}), message.c_str(), ArgumentError);
}
