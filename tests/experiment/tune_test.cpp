// SPDX-License-Identifier: BSD-3-Clause
// Search spaces, hyperparameters by name, queues of trials and their records, and what tuning
// chooses.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <prism/experiment/tune.hpp>
#include <prism/prism.hpp>
#include <set>
#include <string>
#include <vector>

using namespace prism;

namespace {

constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

/// An empty folder of its own.
struct Folder {
  std::filesystem::path path;
  Folder() {
    static int count = 0;
    path = std::filesystem::temp_directory_path() /
           ("prism_tune_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// A trial whose validation after n epochs is quality * (1 - 1/(n+1)), over after 30.
class FakeTrial final : public Trial {
 public:
  FakeTrial(double quality, std::atomic<int>& epochs) : quality_(quality), epochs_(epochs) {}
  void train(std::size_t epochs, const std::function<bool()>& interrupted) override {
    while (!finished() && history_.epochs.size() < epochs) {
      const std::size_t epoch = history_.epochs.size() + 1;
      ++epochs_;
      if (quality_ < 0 && epoch == 3) {
        history_.stop_reason = StopReason::diverged;
        throw DivergenceError("the loss is no longer finite");
      }
      history_.best_validation = std::abs(quality_) * (1 - 1 / static_cast<double>(epoch + 1));
      history_.best_epoch = epoch;
      history_.epochs.push_back({.epoch = epoch, .validation = history_.best_validation});
      if (epoch == 30) history_.stop_reason = StopReason::epochs;
      if (interrupted && interrupted()) return;
    }
  }
  const History& history() const override { return history_; }
  bool finished() const override { return history_.stop_reason != StopReason::none; }
  void save(const std::filesystem::path&) override {}
  TrialReport report() override {
    TrialReport report{};
    report.dot.ndcg = -quality_;  // the choice must not look at it
    return report;
  }

 private:
  double quality_;
  std::atomic<int>& epochs_;
  History history_;
};

Candidate fake(double quality, std::atomic<int>& epochs, const std::string& model = "model") {
  return {.model = model,
          .configuration = {{"quality", quality}},
          .trial = [=, &epochs](std::uint64_t seed) {
            return TrialSpec{.key = model + format_number(quality) + "/" + std::to_string(seed),
                             .model = model,
                             .configuration = {{"quality", quality}},
                             .seed = seed,
                             .make = [=, &epochs](const std::filesystem::path&) {
                               return std::make_unique<FakeTrial>(quality, epochs);
                             }};
          }};
}

using Small =
    Types<Recommender<MF<8>, DirectAU, None, Xavier>, Recommender<MF<8>, DirectAU, FullWD, Xavier>>;

const Split& small_split() {
  static const Split split = random_split(synthetic_interactions({.users = 120, .items = 90}),
                                          {.validation = 0.1, .test = 0.1, .seed = 1});
  return split;
}

}  // namespace

TEST_CASE("a search space has every combination of its grids, and draws within its ranges") {
  const SearchSpace grids = SearchSpace().grid("a", {1, 2}).grid("b", {5, 6, 7});
  const auto all = grids.configurations();
  REQUIRE(all.size() == 6);
  CHECK(label(all[0]) == "a 1, b 5");
  CHECK(label(all[5]) == "a 2, b 7");
  CHECK(SearchSpace().configurations().size() == 1);

  const SearchSpace mixed =
      SearchSpace().grid("a", {1, 2}).log_uniform("l", 1e-8, 1e-2).uniform("u", -1, 1);
  const auto drawn = mixed.configurations(100, 7);
  REQUIRE(drawn.size() == 200);
  std::size_t below = 0;
  std::set<double> values;
  for (const Configuration& configuration : drawn) {
    REQUIRE(configuration.size() == 3);
    CHECK(configuration[1].name == "l");
    CHECK(configuration[1].value >= 1e-8);
    CHECK(configuration[1].value < 1e-2);
    CHECK(std::abs(configuration[2].value) <= 1);
    below += configuration[1].value < 1e-5;
    values.insert(configuration[1].value);
  }
  CHECK(values.size() == 200);
  CHECK(below > 70);  // the logarithm's middle
  CHECK(below < 130);
  CHECK(mixed.configurations(100, 7) == drawn);
  CHECK(mixed.configurations(100, 8) != drawn);

  CHECK_THROWS_AS(SearchSpace().grid("a", {}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("a", {NAN}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("a", {1}).grid("a", {2}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().log_uniform("a", 0, 1), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().uniform("a", 1, 1), ArgumentError);
  CHECK_THROWS_AS((void)mixed.configurations(0), ArgumentError);
}

TEST_CASE("hyperparameters are set by name, with their kind where two policies share one") {
  using Model =
      Recommender<MF<8>, Penalized<SSM, IPL>, FullWD, PRISM<dynamic>, Adam, PopularityNegatives>;
  Model::Options options;
  FitOptions fit;
  const auto set = [&](const std::string& name, double value) {
    return set_hyperparameter(options, fit, {name, value});
  };
  CHECK(set("learning_rate", 0.25));
  CHECK(set("batch_size", 77));
  CHECK(set("tau", 0.5));
  CHECK(set("loss.negatives", 4));
  CHECK(set("penalty.gamma", 1.5));
  CHECK(set("lambda", 1e-4));
  CHECK(set("initializer.alpha", 0.5));
  CHECK(set("power", 0.25));
  CHECK(!set("gamma1", 2));
  CHECK(fit.batch_size == 77);
  CHECK(options.loss.loss.tau == 0.5);
  CHECK(options.loss.loss.negatives == 4);
  CHECK(options.loss.penalty.gamma == 1.5);
  CHECK(options.regularizer.lambda == 1e-4);
  CHECK(options.initializer.alpha == 0.5);
  CHECK(options.sampler.power == 0.25);
  CHECK_THROWS_WITH_AS(set("negatives", 2.5),
                       "negatives: must be a whole number of at least 0, "
                       "not 2.5",
                       ArgumentError);

  using Two = Recommender<MF<8>, MACR, None, PRISM<dynamic>>;
  Two::Options two;
  CHECK_THROWS_WITH_AS(
      set_hyperparameter(two, fit, {"alpha", 0.5}),
      "alpha: is an option of several policies: write loss.alpha or initializer.alpha",
      ArgumentError);
  CHECK(set_hyperparameter(two, fit, {"loss.alpha", 0.5}));
  CHECK(two.loss.alpha == 0.5);
  CHECK(two.initializer.alpha == 1);
  const auto names = hyperparameters(two);
  CHECK(std::ranges::count(names, "loss.beta") == 1);
  CHECK(std::ranges::count(names, "fit.learning_rate") == 1);
}

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
  CHECK(epochs == 4 * 30 + 3 + 2 * 2 * 30);  // the search, and two seeds more of each model
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
  // A fake trial cannot be put aside: each round begins anew. 9 trials of 2, 3 of 6, 1 of 30.
  CHECK(epochs == 9 * 2 + 3 * 6 + 1 * 30);
  CHECK(records.find("model9/1")->finished);
  CHECK(records.find("model8/1")->epochs == 6);
  CHECK(records.find("model1/1")->epochs == 2);

  CHECK_THROWS_AS((void)tune(all, records, {.seeds = {}}), ArgumentError);
  CHECK_THROWS_AS((void)tune(all, records, {.search_seeds = 4}), ArgumentError);
  CHECK_THROWS_AS((void)tune(all, records, {.kept = 1}), ArgumentError);
  CHECK_THROWS_AS((void)tune({}, records, {}), ArgumentError);
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
  record.validations = {0.25, 1.0 / 3};
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
  }
  { std::ofstream(path, std::ios::app) << "{\"key\": \"cut"; }
  {
    TrialRecords records(path);
    REQUIRE(records.all().size() == 1);
    const auto found = records.find("a key");
    REQUIRE(found);
    CHECK(to_json(*found).dump() == to_json(record).dump());
    CHECK(found->configuration == record.configuration);
    CHECK(found->report->magnitudes[0].magnitude == 0.1);
    records.add({.key = "another"});
  }
  CHECK(TrialRecords(path).all().size() == 2);
  { std::ofstream(path, std::ios::app) << "nonsense\n"; }
  CHECK_THROWS_WITH_AS(TrialRecords{path}, doctest::Contains("records.jsonl:4: is no record"),
                       DataError);
  CHECK_THROWS_AS(TrialRecords{folder.path / "none" / "records.jsonl"}, DataError);
}

TEST_CASE("trials of models: the same numbers for one worker and two, interrupted or not") {
  const SearchSpace space =
      SearchSpace().grid("learning_rate", {0.05, 0.005}).grid("lambda", {1e-6, 1e-3});
  const FitOptions fit{.batch_size = 128, .epochs = 6};
  const auto all = candidates<Small>(small_split(), space, fit);
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
      result.back().push_back(record->report->dot.ndcg);
      result.back().push_back(record->report->cosine.ndcg);
    }
    return result;
  };
  TrialRecords one;
  CHECK(run_trials(trials, to_the_end, one, {.workers = 1}));
  // What a plain fit() gives.
  Recommender<MF<8>, DirectAU, FullWD, Xavier> model(small_split().train,
                                                     {.seed = 5, .regularizer = {.lambda = 1e-3}});
  const History history = prism::fit(
      model, small_split(), {.learning_rate = 0.005, .batch_size = 128, .epochs = 6}, Silent());
  CHECK(one.find(trials.back().key)->validations.back() == history.epochs.back().validation);
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

  CHECK_THROWS_WITH_AS(
      (void)candidates<Small>(small_split(), SearchSpace().grid("gamma1", {1}), fit),
      "space: has gamma1, which no model of the grid has; hyperparameters() lists them",
      ArgumentError);
}
