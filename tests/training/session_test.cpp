// SPDX-License-Identifier: BSD-3-Clause
// Training step by step: stop rules, what observers may request, best weights, and continuing.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "data/temporary_file.hpp"
#include "resume_cases.hpp"

using namespace prism;
using test::resume_split;

namespace {

using SessionModel = Recommender<MF<8>, BPR>;
using Session = TrainingSession<SessionModel>;

}  // namespace

TEST_CASE("steps say what happened, and end epochs") {
  SessionModel model(resume_split().train), fitted(resume_split().train);
  const FitOptions options{.learning_rate = 0.02, .batch_size = 300, .epochs = 2};
  Session session(model, resume_split(), options);
  const std::size_t steps = session.history().steps_per_epoch;
  REQUIRE(steps == 3);
  std::size_t pairs = 0;
  for (std::size_t k = 1; k <= 2 * steps; ++k) {
    CHECK_FALSE(session.finished());
    CHECK(session.epoch() == (k - 1) / steps + 1);
    const StepRecord record = session.step();
    pairs += record.pairs;
    CHECK(record.step == k);
    CHECK(record.epoch == (k - 1) / steps + 1);
    CHECK(record.learning_rate == 0.02);
    CHECK(record.epoch_ended == (k % steps == 0));
    CHECK(session.history().epochs.size() == k / steps);
  }
  CHECK(pairs == 2 * resume_split().train.size());
  CHECK(session.finished());
  CHECK(session.history().stop_reason == StopReason::epochs);
  CHECK_THROWS_AS(session.step(), ArgumentError);
  session.run();
  fit(fitted, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(fitted));
}

TEST_CASE("a run gone on with is the longer run") {
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 3};
  SessionModel model(resume_split().train), longer(resume_split().train);
  Session session(model, resume_split(), options);
  session.run();
  const auto after_three = test::bits_of(model);
  CHECK_THROWS_AS(session.allow_epochs(3), ArgumentError);
  session.allow_epochs(8);
  session.run();
  CHECK(session.history().epochs.size() == 8);
  CHECK(test::bits_of(model) != after_three);

  options.epochs = 8;
  const History history = fit(longer, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(longer));
  CHECK(session.history().best_epoch == history.best_epoch);
  CHECK(session.history().epochs.back().loss == history.epochs.back().loss);
}

TEST_CASE("a session that is stopped gives the best epoch's weights") {
  struct Fail {
    void epoch(const EpochRecord& record, const SessionModel&) const {
      if (record.epoch == 3) throw std::runtime_error("the disk is full");
    }
  };
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 8};
  SessionModel model(resume_split().train), shorter(resume_split().train);
  Session session(model, resume_split(), options);
  CHECK_THROWS_AS(session.run(Fail()), std::runtime_error);
  CHECK_FALSE(session.finished());
  session.stop();
  CHECK(session.history().stop_reason == StopReason::observer);
  session.run();
  options.epochs = 3;
  fit(shorter, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(shorter));
  session.allow_epochs(4);
  session.run();
  session.stop();  // it has already ended
  CHECK(session.history().stop_reason == StopReason::epochs);
}

TEST_CASE("epoch by epoch is the same run") {
  const FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 4};
  SessionModel model(resume_split().train), fitted(resume_split().train);
  Session session(model, resume_split(), options);
  std::size_t epochs = 0;
  while (session.run_epoch()) CHECK(session.history().epochs.size() == ++epochs);
  CHECK(epochs == 4);
  session.run();
  fit(fitted, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(fitted));
}

TEST_CASE("a function of the history stops training") {
  SessionModel model(resume_split().train);
  const History history =
      fit(model, resume_split(),
          {.learning_rate = 0.01,
           .batch_size = 150,
           .epochs = 50,
           .stop = [](const History& so_far) { return so_far.epochs.size() == 3; }},
          Silent());
  CHECK(history.epochs.size() == 3);
  CHECK(history.stop_reason == StopReason::rule);
  CHECK_FALSE(history.stopped_early());
}

TEST_CASE("best weights on disk, in memory and nowhere") {
  const TemporaryFile place("", "best");
  // By this metric the first epochs, which rank at random, are the best.
  const auto rarity = [](const Report& report) { return -report.average_popularity; };
  FitOptions options{.learning_rate = 0.05,
                     .batch_size = 150,
                     .epochs = 12,
                     .patience = 4,
                     .min_steps = 0,
                     .metric = rarity};
  SessionModel in_memory(resume_split().train), on_disk(resume_split().train),
      in_memory_again(resume_split().train), last(resume_split().train);
  const FitOptions options_in_memory = options;
  const History history = fit(in_memory, resume_split(), options, Silent());
  REQUIRE(history.best_epoch < history.epochs.size());

  options.best_weights = BestWeights::on_disk;
  CHECK_THROWS_WITH_AS(fit(on_disk, resume_split(), options, Silent()),
                       doctest::Contains("best_weights_path"), ArgumentError);
  options.best_weights_path = place.path();
  Session session(on_disk, resume_split(), options);
  session.run();
  CHECK(test::bits_of(on_disk) == test::bits_of(in_memory));
  // When training continues, the last weights are restored, from the file or from memory.
  Session other(in_memory_again, resume_split(), options_in_memory);
  other.run();
  CHECK(test::bits_of(on_disk) == test::bits_of(in_memory_again));
  for (Session* const gone_on_with : {&session, &other}) {
    gone_on_with->allow_epochs(history.epochs.size() + 1);
    gone_on_with->step();
    gone_on_with->flush();
  }
  CHECK(test::bits_of(on_disk) == test::bits_of(in_memory_again));
  CHECK(test::bits_of(on_disk) != test::bits_of(in_memory));

  options.best_weights = BestWeights::last;
  options.best_weights_path.clear();
  std::vector<std::uint64_t> weights;
  struct Look {
    std::vector<std::uint64_t>& weights;
    void epoch(const EpochRecord&, const SessionModel& model) {
      weights = test::bits_of(const_cast<SessionModel&>(model));
    }
  };
  fit(last, resume_split(), options, Look{weights});
  CHECK(test::bits_of(last) == weights);
  CHECK(test::bits_of(last) != test::bits_of(in_memory));
}

TEST_CASE("a divergence is the end, and keeps the best weights wherever they are") {
  const TemporaryFile place("", "best");
  using Steep = Recommender<MF<8>, BPR, None, Xavier, SGD>;
  for (const BestWeights where : {BestWeights::in_memory, BestWeights::on_disk}) {
    Steep model(resume_split().train), start(resume_split().train);
    TrainingSession session(
        model, resume_split(),
        {.learning_rate = 1,
         .batch_size = 150,
         .schedule = [](const StepPosition& position) { return position.epoch < 3 ? 0.1 : 1e30; },
         .best_weights = where,
         .best_weights_path = place.path()});
    CHECK_THROWS_AS(session.run(), DivergenceError);
    CHECK(session.finished());
    CHECK(session.history().stop_reason == StopReason::diverged);
    CHECK(session.history().epochs.size() == 2);
    for (const float x : model.items()) REQUIRE(std::isfinite(x));
    CHECK(test::bits_of(model) != test::bits_of(start));
    CHECK_THROWS_AS(session.allow_epochs(100), ArgumentError);
    // A higher rate is no remedy, however few steps there were.
    for (const std::string& warning : session.run().warnings) {
      CHECK(warning.find("higher learning_rate") == std::string::npos);
    }
  }
}

TEST_CASE("what lazy Adam has deferred when a run diverges is not done to the best weights") {
  SessionModel model(resume_split().train);
  std::vector<std::uint64_t> best;
  struct Look {
    std::vector<std::uint64_t>& best;
    void epoch(const EpochRecord& record, const SessionModel& seen) {
      if (record.best) best = test::bits_of(const_cast<SessionModel&>(seen));
    }
  };
  // From the third epoch's second step on.
  const auto explodes = [](const StepPosition& position) {
    return position.step < 2 * position.steps_per_epoch + 2 ? 1 : 1e30;
  };
  const FitOptions options{.learning_rate = 0.002, .batch_size = 20, .schedule = explodes};
  CHECK_THROWS_WITH_AS(fit(model, resume_split(), options, Look{best}),
                       doctest::Contains("the loss is no longer finite in epoch 3"),
                       DivergenceError);
  REQUIRE_FALSE(best.empty());
  CHECK(test::bits_of(model) == best);
}
