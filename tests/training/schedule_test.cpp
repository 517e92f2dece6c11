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
  CHECK(Schedule{}.factor(at(7)) == 1);
  const Schedule warm_up = WarmUpSchedule{4};
  CHECK(warm_up.factor(at(1)) == 0.25);
  CHECK(warm_up.factor(at(3)) == 0.75);
  CHECK(warm_up.factor(at(4)) == 1);
  CHECK(warm_up.factor(at(99)) == 1);
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
