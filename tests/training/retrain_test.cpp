// SPDX-License-Identifier: BSD-3-Clause
// Training again on training and validation set.
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "support/error_of.hpp"
#include "training/small_case.hpp"

using namespace prism;
using test::numbers;
using test::Small;
using test::small_split;

TEST_CASE("merged parts have every interaction of both, and the same test set") {
  const Split& split = small_split();
  const Split merged = merge_validation(split);
  CHECK(merged.train.size() == split.train.size() + split.validation.size());
  for (const Interactions* part : {&split.train, &split.validation}) {
    for (std::size_t k = 0; k < part->size(); ++k) {
      CHECK(merged.train.contains((*part)[k].user, (*part)[k].item));
    }
  }
  CHECK(merged.validation.empty());
  CHECK(merged.validation.users() == split.train.users());
  CHECK(merged.test.size() == split.test.size());
}

TEST_CASE("merged parts keep each interaction's time") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {0, 2}, {1, 1}};
  const std::vector<double> times{1, 2, 3, 9};
  const Split merged = merge_validation(leave_last_out(Interactions(2, 3, pairs, times)));
  REQUIRE(merged.train.size() == 3);
  CHECK(std::vector<double>(merged.train.times().begin(), merged.train.times().end()) ==
        std::vector<double>{1, 2, 9});
}

TEST_CASE("a retrained model is a new one trained for the best epoch's number on both parts") {
  const Split& split = small_split();
  const FitOptions options{.learning_rate = 0.01, .batch_size = 256, .epochs = 6};
  Small model(split.train);
  History history = fit(model, split, options, Silent());
  history.best_epoch = 4;
  const Small again = retrain(model, split, history, options, Silent());
  CHECK(again.train().size() == split.train.size() + split.validation.size());

  const Split merged = merge_validation(split);
  Small expected(merged.train);
  fit(expected, merged, {.learning_rate = 0.01, .batch_size = 256, .epochs = 4}, Silent());
  CHECK(numbers(again.users()) == numbers(expected.users()));
  CHECK(numbers(again.items()) == numbers(expected.items()));
}

TEST_CASE("retraining follows the schedule that validation saw") {
  const Split& split = small_split();
  History history;
  history.best_epoch = 6;
  history.steps_per_epoch = 4;
  // Only the first epoch improves: a plateau with a patience of 2 lowers the rate in epochs 4, 6.
  for (std::size_t epoch = 1; epoch <= 8; ++epoch) {
    history.epochs.push_back({.epoch = epoch, .best = epoch == 1});
  }
  const Small model(split.train);
  const auto rates = [&](const FitOptions& options) {
    std::vector<double> factors;
    FitOptions watched = options;
    const Schedule schedule = *options.schedule;
    watched.schedule = Schedule([&, schedule](const StepPosition& at, const History& past) {
      const double factor = schedule.factor(at, past);
      if (factors.size() < at.epoch) factors.push_back(factor);
      return factor;
    });
    static_cast<void>(retrain(model, split, history, watched, Silent()));
    return factors;
  };
  const FitOptions options{.learning_rate = 0.01, .batch_size = 512, .epochs = 10};
  FitOptions plateau = options, cosine = options;
  plateau.schedule = PlateauSchedule{
      .factor = 0.5, .patience = 2, .patience_steps = 1, .reductions = 2, .min_steps = 0};
  CHECK(rates(plateau) == std::vector<double>{1, 1, 1, 0.5, 0.5, 0.25});
  cosine.schedule = CosineSchedule{};
  const std::vector<double> of_cosine = rates(cosine);
  REQUIRE(of_cosine.size() == 6);
  // Before the sixth epoch, half of the original 10 are done, not nearly all of the retraining's 6.
  CHECK(of_cosine[5] == doctest::Approx(0.5).epsilon(0.05));

  // A function sees the history as it was then, not how the run ended.
  history.epochs[3].best = history.epochs[5].best = true;
  history.epochs[3].validation = 0.25;
  history.stop_reason = StopReason::patience;
  history.best_validation = 0.5;
  FitOptions function = options;
  function.schedule = Schedule([&](const StepPosition&, const History& then) {
    CHECK(then.stop_reason == StopReason::none);
    CHECK(then.best_validation == (then.best_epoch == 4 ? 0.25 : 0));
    return then.best_epoch == 0 ? 1.0 : 1.0 / static_cast<double>(then.best_epoch);
  });
  CHECK(rates(function) == std::vector<double>{1, 1, 1, 1, 0.25, 0.25});
}

TEST_CASE("observers of retraining are told whether the learning rate is constant") {
  struct Look {
    std::vector<bool> constant;
    void begin(const FitInfo& info, const Small&) { constant.push_back(info.constant_rate); }
  } look;
  const Split& split = small_split();
  const Small model(split.train);
  History history;
  history.best_epoch = 2;
  FitOptions options{.learning_rate = 0.01, .batch_size = 512};
  static_cast<void>(retrain(model, split, history, options, look));
  options.schedule = WarmUpSchedule{};
  static_cast<void>(retrain(model, split, history, options, look));
  CHECK(look.constant == std::vector<bool>{true, false});
}

TEST_CASE(
    "retraining has the default learning rate of the training, whatever the ranking is since") {
  using Model = Recommender<MF<16>, SSM>;
  struct Rates {
    std::vector<double> found;
    std::vector<bool> constant;
    void begin(const FitInfo& info, const Model&) {
      found.push_back(info.learning_rate);
      constant.push_back(info.constant_rate);
    }
  };
  const Split& split = small_split();
  const FitOptions options{.batch_size = 512, .epochs = 2};
  const std::vector<Ranking> rankings{{}, {.power = 0.2}, power_by_validation()};
  for (const Ranking& before : rankings) {
    for (const Ranking& after : rankings) {
      CAPTURE(before.name());
      CAPTURE(after.name());
      Rates rates;
      Model model(split.train, {.ranking = before});
      const History history = fit(model, split, options, rates);
      CHECK(history.learning_rate == rates.found[0]);
      REQUIRE(history.best_epoch > 0);
      model.set_ranking(after.chooses() ? after.with_choice(history.best_chosen) : after);
      if (after.chooses() && !history.best_chosen) {
        CHECK(
            test::refusal([&] { return retrain(model, split, history, options, Silent()); }) ==
            "model: has a ranking with values to choose from, but the run of `history` chose none: "
            "set one alpha or power");
        continue;
      }
      static_cast<void>(retrain(model, split, history, options, rates));
      CHECK(rates.found[1] == rates.found[0]);
      CHECK(rates.constant[1] == rates.constant[0]);
    }
  }
  // Of a run with other options.
  Model model(split.train);
  History history = fit(model, split, options, Silent());
  history.learning_rate *= 1.5;
  history.best_epoch = 1;
  CHECK(test::refusal([&] {
          return retrain(model, split, history, options, Silent());
        }).starts_with("history: must be of a run with these options and this training set"));
}

TEST_CASE(
    "retraining has the default learning rate of the training, not one of its longer epochs") {
  using Model = Recommender<MF<16>, DirectAU>;
  struct Rates {
    std::vector<double> found;
    void begin(const FitInfo& info, const Model&) { found.push_back(info.learning_rate); }
  } rates;
  const Split& split = small_split();
  const FitOptions options{.batch_size = 6, .epochs = 1};
  Model model(split.train);
  const History history = fit(model, split, options, rates);
  static_cast<void>(retrain(model, split, history, options, rates));
  REQUIRE(rates.found.size() == 2);
  CHECK(rates.found[0] == rates.found[1]);
  // The rule would give another one.
  const Split merged = merge_validation(split);
  Model longer(merged.train);
  fit(longer, merged, options, rates);
  CHECK(rates.found[2] < 0.95 * rates.found[0]);
}

TEST_CASE("retraining does not read stop and files, which were the first training's") {
  const Split& split = small_split();
  History history;
  history.best_epoch = 2;
  const Small model(split.train);
  FitOptions options{.learning_rate = 0.01, .batch_size = 256};
  options.stop = [](const History&) -> bool { throw std::runtime_error("asked"); };
  options.checkpoint.path = "/no/such/folder/run.ckpt";
  CHECK_NOTHROW(static_cast<void>(retrain(model, split, history, options, Silent())));
}

TEST_CASE("a training that went on with a trained model is not repeated from the beginning") {
  const Split& split = small_split();
  Small model(split.train);
  const FitOptions options{.learning_rate = 0.01, .batch_size = 300, .epochs = 2};
  fit(model, split, options, Silent());
  const History second = fit(model, split, options, Silent());
  REQUIRE(second.best_epoch > 0);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(retrain(model, split, second, options, Silent())),
      doctest::Contains("history: must be of a training run that started from initial weights"),
      ArgumentError);
}

TEST_CASE("retraining needs a best epoch and a validation set") {
  const Split& split = small_split();
  const Small model(split.train);
  CHECK_THROWS_AS(static_cast<void>(retrain(model, split, History{}, {}, Silent())), ArgumentError);
  History history;
  history.best_epoch = 1;
  CHECK_THROWS_AS(static_cast<void>(retrain(model, merge_validation(split), history, {}, Silent())),
                  ArgumentError);
}
