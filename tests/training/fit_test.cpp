// SPDX-License-Identifier: BSD-3-Clause
// Training as a whole.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "small_case.hpp"
#include "support/sanitizers.hpp"

using namespace prism;
using test::numbers;
using test::Small;
using test::small_split;

TEST_CASE("another seed gives other tables") {
  Small one(small_split().train, {.seed = 9}), other(small_split().train, {.seed = 10});
  CHECK(numbers(one.users()) != numbers(other.users()));
}

TEST_CASE("training learns: validation ends far above where it began") {
  // Preferences without popularity, so that the initial rows carry no information.
  const Split split = random_split(synthetic_interactions({.users = 300,
                                                           .items = 200,
                                                           .interactions_per_user = 20,
                                                           .popularity_exponent = 0,
                                                           .affinity = 12}));
  const auto check = [&]<class Loss>(std::type_identity<Loss>) {
    if (test::sanitized && !std::is_same_v<Loss, BPR>) return;
    INFO(std::string(Loss::name));
    Recommender<MF<16>, Loss> model(split.train);
    const EvaluateOptions options{.exclude = {&split.train}};
    const double before = evaluate(model, split.validation, options).ndcg;
    const History history =
        fit(model, split, {.learning_rate = 0.01, .batch_size = 300, .epochs = 60}, Silent());
    CHECK(history.best_validation_ndcg > 1.5 * before);
    CHECK(history.epochs.back().loss < history.epochs.front().loss);
  };
  test::for_each_policy(test::RankingLosses{}, check);
}

TEST_CASE("fit stops when patience runs out, and keeps the weights of the best epoch") {
  const Split& split = small_split();
  Small model(split.train);
  const History history =
      fit(model, split, {.learning_rate = 0.003, .batch_size = 300, .patience = 4, .min_steps = 0},
          Silent());
  REQUIRE(history.stopped_early());
  REQUIRE(history.best_epoch > 0);
  CHECK(history.epochs.size() == history.best_epoch + 4);
  CHECK(evaluate(model, split.validation, {.exclude = {&split.train}}).ndcg ==
        history.best_validation_ndcg);
  for (const EpochRecord& epoch : history.epochs) {
    if (epoch.epoch < history.best_epoch) {
      CHECK(epoch.validation_ndcg < history.best_validation_ndcg);
    }
    if (epoch.epoch > history.best_epoch) {
      CHECK(epoch.validation_ndcg <= history.best_validation_ndcg);  // an equal one is not better
      CHECK_FALSE(epoch.best);
    }
  }
  Small same(split.train);
  fit(same, split, {.learning_rate = 0.003, .batch_size = 300, .epochs = history.best_epoch},
      Silent());
  CHECK(numbers(same.items()) == numbers(model.items()));
}

TEST_CASE("patience counts only the epochs that begin after min_steps") {
  const Split& split = small_split();
  // At this learning rate the ranking is at its best early, and no later epoch is better.
  FitOptions options{.learning_rate = 0.05, .batch_size = 300, .patience = 4, .min_steps = 0};
  Small soon(split.train);
  const History early = fit(soon, split, options, Silent());
  const std::size_t steps = early.steps_per_epoch;
  REQUIRE(steps == (split.train.size() + 299) / 300);
  REQUIRE(early.stopped_early());
  const std::size_t last = early.epochs.size();
  // What counts is when an epoch begins, not ends: one step more adds a whole epoch.
  for (const auto& [min_steps, epochs] :
       {std::pair{(last + 10) * steps, last + 14}, std::pair{(last + 10) * steps + 1, last + 15}}) {
    Small late(split.train);
    options.min_steps = min_steps;
    const History history = fit(late, split, options, Silent());
    REQUIRE(history.stopped_early());
    CHECK(history.epochs.size() == std::max(epochs, history.best_epoch + 4));
  }
}

TEST_CASE("a run that cannot have learnt says so") {
  const Split& split = small_split();
  Small stopped(split.train);
  // A learning rate too small for anything to change: stopped as early as possible.
  const History history =
      fit(stopped, split,
          {.learning_rate = 1e-12, .batch_size = 300, .patience = 4, .min_steps = 0}, Silent());
  REQUIRE(history.best_epoch <= 2);
  REQUIRE(history.warnings.size() == 2);
  CHECK(history.warnings[0].find("the best epoch is 1 of 5") == 0);
  CHECK(history.warnings[1].find("training stopped after " +
                                 std::to_string(5 * history.steps_per_epoch) + " steps") == 0);

  std::ostringstream shown;
  Progress(shown, Progress::Style::lines).end(history);
  CHECK(shown.str().find("warning: the best epoch is 1 of 5") != std::string::npos);

  Small learning(split.train);
  const FitOptions enough{.learning_rate = 0.01, .batch_size = 300, .epochs = 60};
  CHECK(fit(learning, split, enough, Silent()).warnings.empty());

  // What ended training decides what may help.
  Small ended(split.train);
  const FitOptions one{.learning_rate = 0.01, .batch_size = 300, .epochs = 1};
  const History of_one = fit(ended, split, one, Silent());
  REQUIRE(!of_one.warnings.empty());
  CHECK(of_one.warnings.back().find("; more epochs, a smaller batch_size") != std::string::npos);
  CHECK(history.warnings[1].find("; more patience or min_steps, a") != std::string::npos);
}

TEST_CASE("a run whose loss rises says so, and advises no higher learning rate") {
  const Split& split = small_split();
  Recommender<MF<8>, BPR> model(split.train);
  const History history =
      fit(model, split, {.learning_rate = 3, .batch_size = 300, .epochs = 6}, Silent());
  REQUIRE(history.epochs.back().loss > 2 * history.epochs.front().loss + 1);
  REQUIRE(history.warnings.size() >= 2);
  CHECK(std::ranges::any_of(history.warnings, [](const std::string& warning) {
    return warning.starts_with("the loss rose from ") &&
           warning.ends_with("a lower learning_rate, or smaller initial rows, may help");
  }));
  CHECK(std::ranges::none_of(history.warnings, [](const std::string& warning) {
    return warning.find("higher learning_rate") != std::string::npos;
  }));
}

TEST_CASE("a run without negatives says so") {
  const Split& split = small_split();
  Recommender<MF<8>, SSM, None, Xavier, Adam, AllInBatchNegatives> model(split.train);
  const History history =
      fit(model, split, {.learning_rate = 0.01, .batch_size = 1, .epochs = 1}, Silent());
  REQUIRE(!history.warnings.empty());
  CHECK(history.warnings.back().starts_with("the loss was 0 in every epoch"));
}

TEST_CASE("a trained model that is trained further never ends worse on the validation set") {
  const Split& split = small_split();
  Small model(split.train);
  const History first =
      fit(model, split, {.learning_rate = 0.01, .batch_size = 300, .epochs = 60}, Silent());
  CHECK(model.trained());
  CHECK_FALSE(first.initial_validation.has_value());
  const std::vector<float> users = numbers(model.users()), items = numbers(model.items());
  // At such a learning rate the first epochs lose what was learnt.
  const FitOptions harmful{.learning_rate = 1, .batch_size = 300, .epochs = 3};
  const History second = fit(model, split, harmful, Silent());
  REQUIRE(second.initial_validation.has_value());
  CHECK(*second.initial_validation == first.best_validation);
  CHECK(second.best_epoch == 0);
  REQUIRE(!second.warnings.empty());
  CHECK(second.warnings[0].starts_with("none of 3 epochs ranked better than the initial model"));
  CHECK(second.best_validation == first.best_validation);
  CHECK(second.best_validation_ndcg == first.best_validation_ndcg);
  CHECK(numbers(model.users()) == users);
  CHECK(numbers(model.items()) == items);
  for (const EpochRecord& epoch : second.epochs) {
    CHECK(epoch.validation <= first.best_validation);
    CHECK_FALSE(epoch.best);
  }
  // If best weights are not kept, the model ends as the last step left it.
  FitOptions last = harmful;
  last.best_weights = BestWeights::last;
  const History third = fit(model, split, last, Silent());
  CHECK(numbers(model.items()) != items);
  REQUIRE(!third.warnings.empty());
  CHECK(third.warnings[0].ends_with("than the initial model"));
}

TEST_CASE("steps of an epoch that was not ended count where few of them are warned of") {
  struct Stops {
    StopRequest batch(const EpochProgress& progress) const {
      return progress.pairs == 60 ? StopRequest::stop : StopRequest::none;
    }
  };
  Small model(small_split().train);
  const FitOptions options{.learning_rate = 0.01, .batch_size = 1, .epochs = 2};
  CHECK(fit(model, small_split(), options, Silent(), Stops{}).warnings.empty());
}

TEST_CASE("without a validation set fit trains for all epochs and keeps the last") {
  Split split = random_split(small_split().train, {.validation = 0, .test = 0.1});
  Small model(split.train);
  const History history =
      fit(model, split, {.batch_size = 300, .epochs = 13, .patience = 2}, Silent());
  CHECK(history.epochs.size() == 13);
  CHECK(history.best_epoch == 13);
  CHECK_FALSE(history.stopped_early());
}

TEST_CASE("a loss that is no longer finite is an error, and the best weights stay") {
  const Split& split = small_split();
  using Steep = Recommender<MF<8>, BPR, None, Xavier, SGD>;
  Steep model(split.train);
  CHECK_THROWS_AS(fit(model, split, {.learning_rate = 1e30, .batch_size = 300}, Silent()),
                  DivergenceError);
  for (const float x : model.items()) REQUIRE(std::isfinite(x));
}

TEST_CASE("a model that diverges in its first epoch is as untrained as before") {
  using Steep = Recommender<MF<8>, BPR, None, Xavier, SGD>;
  const FitOptions steep{.learning_rate = 1e30, .batch_size = 300, .epochs = 5};
  Steep model(small_split().train);
  CHECK_THROWS_AS(fit(model, small_split(), steep, Silent()), DivergenceError);
  CHECK_FALSE(model.trained());
  fit(model, small_split(), {.learning_rate = 0.01, .batch_size = 300, .epochs = 2}, Silent());
  CHECK(model.trained());
  CHECK_THROWS_AS(fit(model, small_split(), steep, Silent()), DivergenceError);
  CHECK(model.trained());
}

TEST_CASE("weights that the last step of an epoch made infinite are no result") {
  // One step per epoch: the loss of the only batch is finite, the weights after the step are not.
  Split split = small_split();
  split.validation = {};
  Recommender<MF<8>, Dot, None, Xavier, SGD> model(split.train);
  const auto start = numbers(model.items());
  CHECK_THROWS_WITH_AS(
      fit(model, split, {.learning_rate = 1e300, .batch_size = 100000, .epochs = 2}, Silent()),
      doctest::Contains("the weights, or their squares, are no longer finite in epoch 1"),
      DivergenceError);
  CHECK(numbers(model.items()) == start);
}

TEST_CASE("finite weights whose scores overflow are no result") {
  // A cosine's loss stays finite whatever the rows' lengths.
  Split split = small_split();
  split.validation = {};
  Recommender<MF<8>, Cosine, None, Xavier, SGD> model(split.train);
  const auto start = numbers(model.items());
  CHECK_THROWS_AS(
      fit(model, split, {.learning_rate = 1e30, .batch_size = 100000, .epochs = 2}, Silent()),
      DivergenceError);
  CHECK(numbers(model.items()) == start);
}

TEST_CASE("without a validation set, what diverges keeps the last good epoch") {
  Split split = small_split();
  split.validation = {};
  using Model = Recommender<MF<8>, Dot, None, Xavier, SGD>;
  const FitOptions options{.learning_rate = 3e8, .batch_size = 100000, .epochs = 50};
  Model model(split.train);
  struct Count {
    std::size_t epochs = 0;
    void epoch(const EpochRecord& record, const Model&) { epochs = record.epoch; }
  } count;
  REQUIRE_THROWS_AS(fit(model, split, options, count), DivergenceError);
  REQUIRE(count.epochs > 0);
  Model again(split.train);
  FitOptions shorter = options;
  shorter.epochs = count.epochs;
  fit(again, split, shorter, Silent());
  CHECK(numbers(model.items()) == numbers(again.items()));
}

TEST_CASE("observers see what begins, every batch, every epoch and the end") {
  struct Counter {
    int begins = 0, batches = 0, epochs = 0, ends = 0;
    std::size_t last_pairs = 0;
    void begin(const FitInfo& info) {
      ++begins;
      CHECK(info.model == "MF<16> + DirectAU + None + PRISM<1>");
    }
    void batch(const EpochProgress& progress) {
      ++batches;
      CHECK((progress.pairs > last_pairs || last_pairs == progress.total_pairs));
      last_pairs = progress.pairs;
    }
    void epoch(const EpochRecord&, const Small&) { ++epochs; }
    void end(const History&) { ++ends; }
  };
  Small model(small_split().train);
  Counter first, second;
  fit(model, small_split(), {.batch_size = 300, .epochs = 2}, first, second);
  const int batches = static_cast<int>((small_split().train.size() + 299) / 300);
  for (const Counter& counter : {first, second}) {
    CHECK(counter.begins == 1);
    CHECK(counter.batches == 2 * batches);
    CHECK(counter.epochs == 2);
    CHECK(counter.ends == 1);
  }
}

TEST_CASE("progress writes a line an epoch, or a bar that draws over itself") {
  for (const auto style : {Progress::Style::lines, Progress::Style::bar}) {
    std::ostringstream out;
    Small model(small_split().train);
    fit(model, small_split(), {.batch_size = 300, .epochs = 2}, Progress(out, style));
    const std::string text = out.str();
    CAPTURE(text);
    CHECK(text.find("MF<16> + DirectAU + None + PRISM<1>") != std::string::npos);
    CHECK(text.find("epoch 2  loss") != std::string::npos);
    CHECK(text.find("NDCG@20") != std::string::npos);
    CHECK(text.back() == '\n');
    const bool has_bar = text.find("pairs/s") != std::string::npos;
    CHECK(has_bar == (style == Progress::Style::bar));
    CHECK((text.find('\r') != std::string::npos) == has_bar);
  }
}

TEST_CASE("the bar says how far, how quick and how long") {
  std::ostringstream out;
  Progress bar(out, Progress::Style::bar);
  bar.batch({.epoch = 3, .pairs = 3000, .total_pairs = 12000, .seconds = 2});
  CHECK(out.str() == "\repoch 3 [######..................]  25%  2k pairs/s  6 s left\033[K");
}

TEST_CASE("an epoch's line says loss, validation and seconds") {
  std::ostringstream out;
  Progress lines(out, Progress::Style::lines);
  lines.begin({.model = "M",
               .pairs = 9,
               .epochs = 2,
               .k = 20,
               .has_validation = true,
               .learning_rate = 0.1,
               .batch_size = 3});
  lines.epoch({.epoch = 2,
               .loss = 0.123456,
               .validation_ndcg = 0.5,
               .train_seconds = 1,
               .validate_seconds = 0.25,
               .best = true});
  CHECK(out.str() == "M: 9 pairs\nepoch 2  loss 0.12346  NDCG@20 0.50000 *  1.25 s\n");
  out.str("");
  lines.epoch({.epoch = 3, .validation_ndcg = 0.5, .validation_by_cosine = 0.25});
  CHECK(out.str() == "epoch 3  loss 0.00000  NDCG@20 0.50000  by cosine 0.25000  0.00 s\n");
}

TEST_CASE("a moment that overflows is a divergence, though weights stand still") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {1, 1}};
  const Split split{Interactions(2, 2, pairs), Interactions(2, 2, {}), Interactions(2, 2, {})};
  Recommender<MF<4>, DirectAU> model(split.train, {.loss = {.gamma = 1e25}});
  CHECK_THROWS_AS(fit(model, split, {.epochs = 1}, Silent()), DivergenceError);
}
