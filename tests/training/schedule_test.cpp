// SPDX-License-Identifier: BSD-3-Clause
// Learning rates that change over a training.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "resume_cases.hpp"

using namespace prism;

namespace {

StepPosition at(std::size_t step) { return {.step = step, .steps_per_epoch = 10, .steps = 100}; }

}  // namespace

TEST_CASE("schedules: constant, warm-up, cosine") {
  CHECK(Schedule{}.factor(at(7), {}) == 1);
  const Schedule warm_up = WarmUpSchedule{4};
  CHECK(warm_up.factor(at(1), {}) == 0.25);
  CHECK(warm_up.factor(at(3), {}) == 0.75);
  CHECK(warm_up.factor(at(4), {}) == 1);
  CHECK(warm_up.factor(at(99), {}) == 1);
  CHECK(WarmUpSchedule{0}(at(1)) == 1);
  const CosineSchedule cosine{.warm_up = 20, .floor = 0.1};
  CHECK(cosine(at(10)) == 0.5);
  CHECK(cosine(at(20)) == 1);
  // Half way of the 81 steps from the 20th to the one after the last.
  CHECK(cosine({.step = 60, .steps = 99}) == doctest::Approx(0.55));
  CHECK(cosine(at(100)) < 0.101);
  CHECK(cosine(at(101)) == doctest::Approx(0.1));
  CHECK(cosine(at(500)) == doctest::Approx(0.1));
  for (std::size_t step = 20; step < 100; ++step) CHECK(cosine(at(step + 1)) < cosine(at(step)));
  CHECK(CosineSchedule{}(at(1)) == 1);
}

TEST_CASE("a step's learning rate is the schedule's, and a bad factor an error") {
  const Split& split = test::resume_split();
  Recommender<MF<8>, BPR> model(split.train);
  std::vector<std::size_t> seen;
  const auto halves = [&](const StepPosition& position) {
    seen.push_back(position.step);
    CHECK(position.epoch == (position.step - 1) / position.steps_per_epoch + 1);
    CHECK(position.steps == 3 * position.steps_per_epoch);
    return position.step == 4 ? -1 : std::pow(0.5, static_cast<double>(position.step));
  };
  TrainingSession session(
      model, split, {.learning_rate = 0.1, .batch_size = 300, .epochs = 3, .schedule = halves});
  CHECK(session.step().learning_rate == 0.05);
  CHECK(session.step().learning_rate == 0.025);
  CHECK(session.step().learning_rate == 0.0125);
  CHECK_THROWS_WITH_AS(session.step(), doctest::Contains("schedule: must be a finite number"),
                       ArgumentError);
  CHECK(seen == std::vector<std::size_t>{1, 2, 3, 4});
  CHECK_THROWS_AS(TrainingSession(model, split, {.schedule = CosineSchedule{.floor = 2}}),
                  ArgumentError);
}

namespace {

/// Epochs of 100 steps with these validations.
History history_of(const std::vector<double>& validations) {
  History history{.steps_per_epoch = 100};
  for (const double validation : validations) {
    EpochRecord record{.epoch = history.epochs.size() + 1, .validation = validation};
    record.best = validation > history.best_validation;
    if (record.best) {
      history.best_epoch = record.epoch;
      history.best_validation = validation;
    }
    history.epochs.push_back(record);
  }
  return history;
}

}  // namespace

TEST_CASE("a plateau lowers the rate, and early stopping waits for the last reduction") {
  const PlateauSchedule plateau{
      .factor = 0.5, .patience = 2, .patience_steps = 200, .reductions = 2, .min_steps = 0};
  const Schedule schedule = plateau;
  const auto factor = [&](const std::vector<double>& v) {
    return schedule.factor(at(1), history_of(v));
  };
  CHECK(factor({}) == 1);
  CHECK(factor({1, 2, 3}) == 1);
  CHECK(factor({1, 2, 2}) == 1);
  CHECK(factor({1, 2, 2, 2}) == 0.5);
  CHECK(factor({1, 2, 2, 2, 3, 3}) == 0.5);
  CHECK(factor({1, 2, 2, 2, 2}) == 0.5);  // each reduction has its own epochs
  CHECK(factor({1, 2, 2, 2, 2, 2}) == 0.25);
  CHECK(factor({1, 2, 2, 2, 2, 2, 2, 2, 2}) == 0.25);
  CHECK(!schedule.patience_from(history_of({1, 2, 2, 2})));
  CHECK(schedule.patience_from(history_of({1, 2, 2, 2, 2, 2})) == 6);
  CHECK(Schedule().patience_from(history_of({1})) == 0);

  // Epochs that are not validated do not end its patience.
  History between = history_of({1, 2, 2, 2});
  between.epochs.back().validated = false;
  CHECK(schedule.factor(at(1), between) == 1);

  // Steps before the first reduction: 350 are in the fourth epoch, so epochs 5 and 6 count.
  const PlateauSchedule late{.factor = 0.5, .patience = 2, .patience_steps = 200, .min_steps = 350};
  CHECK(late(at(1), history_of({1, 1, 1, 1, 1})) == 1);
  CHECK(late(at(1), history_of({1, 1, 1, 1, 1, 1})) == 0.5);

  // 250 steps are three epochs of 100.
  const PlateauSchedule steps{.factor = 0.5, .patience = 2, .min_steps = 0};
  CHECK(steps(at(1), history_of({1, 1, 1})) == 1);
  CHECK(steps(at(1), history_of({1, 1, 1, 1})) == 0.5);

  CHECK_THROWS_AS(Schedule(PlateauSchedule{.factor = 1}).check(), ArgumentError);
  CHECK_THROWS_AS(Schedule(PlateauSchedule{.factor = 0}).check(), ArgumentError);
  CHECK_THROWS_AS(Schedule(PlateauSchedule{.patience = 0}).check(), ArgumentError);
}

TEST_CASE("a training that has no better epoch passes every reduction before it stops") {
  const Split& split = test::resume_split();
  Recommender<MF<8>, BPR> model(split.train);
  const FitOptions options{
      .learning_rate = 0.1,
      .batch_size = 300,
      .patience = 4,
      .min_steps = 0,
      .schedule =
          PlateauSchedule{
              .factor = 0.5, .patience = 3, .patience_steps = 0, .reductions = 2, .min_steps = 0},
      .metric = [](const Report&) { return 1.0; }};  // no epoch after the first is better
  TrainingSession session(model, split, options);
  std::vector<double> rates;
  while (!session.finished()) {
    const StepRecord record = session.step();
    if (record.epoch_ended) rates.push_back(record.learning_rate);
  }
  const std::vector<double> expected{0.1,  0.1,   0.1,   0.1,   0.05, 0.05,
                                     0.05, 0.025, 0.025, 0.025, 0.025};
  CHECK(rates == expected);
  CHECK(session.history().stop_reason == StopReason::patience);
}
