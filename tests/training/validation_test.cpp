// SPDX-License-Identifier: BSD-3-Clause
// The uses of ranking the validation set: early stopping by a metric, and a record by cosine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "resume_cases.hpp"

using namespace prism;
using test::resume_split;

namespace {

using SessionModel = Recommender<MF<8>, BPR>;
using Session = TrainingSession<SessionModel>;

}  // namespace

TEST_CASE("early stopping goes by the metric that is chosen") {
  // The same run twice, except for the metric that decides the best epoch.
  const auto run = [](const Metric& metric) {
    SessionModel model(resume_split().train);
    return fit(model, resume_split(),
               {.learning_rate = 0.05, .batch_size = 150, .epochs = 12, .metric = metric},
               Silent());
  };
  const History by_ndcg = run(&Report::ndcg);
  for (const EpochRecord& record : by_ndcg.epochs) {
    CHECK(record.validation == record.validation_ndcg);
  }
  CHECK(by_ndcg.best_validation == by_ndcg.best_validation_ndcg);
  const History by_rarity = run([](const Report& report) { return -report.average_popularity; });
  const History by_popularity = run(&Report::average_popularity);
  double greatest = 0;
  for (const EpochRecord& record : by_popularity.epochs) {
    CHECK(record.validation_ndcg == by_ndcg.epochs[record.epoch - 1].validation_ndcg);
    CHECK(record.validation == -by_rarity.epochs[record.epoch - 1].validation);
    greatest = std::max(greatest, record.validation);
  }
  CHECK(by_popularity.best_validation == greatest);
  CHECK(by_popularity.epochs[by_popularity.best_epoch - 1].validation == greatest);
  CHECK(by_popularity.best_epoch != by_rarity.best_epoch);
}

TEST_CASE("validation by cosine is recorded for each epoch, and training does not depend on it") {
  struct Measure {
    std::vector<Report>* found;
    void epoch(const EpochRecord&, const SessionModel& model) const {
      found->push_back(
          evaluate(model, resume_split().validation, {.similarity = Similarity::cosine}));
    }
  };
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 4};
  SessionModel without(resume_split().train), model(resume_split().train),
      other(resume_split().train), resumed(resume_split().train);
  const History by_dot = fit(without, resume_split(), options, Silent());
  options.validate_by_cosine = true;
  std::vector<Report> measured;
  const History history = fit(model, resume_split(), options, Silent(), Measure{&measured});
  CHECK(test::bits_of(model) == test::bits_of(without));
  FitOptions by_recall = options;
  by_recall.metric = &Report::recall;
  const History recall = fit(other, resume_split(), by_recall, Silent());
  REQUIRE(history.epochs.size() == 4);
  REQUIRE(measured.size() == 4);
  for (std::size_t e = 0; e < 4; ++e) {
    CHECK(history.epochs[e].validation == by_dot.epochs[e].validation);
    CHECK(history.epochs[e].validation_by_cosine == measured[e].ndcg);
    CHECK(recall.epochs[e].validation_by_cosine == measured[e].recall);
    CHECK_FALSE(by_dot.epochs[e].validation_by_cosine);
  }
  CHECK(measured.back().ndcg != history.epochs.back().validation);

  // A checkpoint contains those of the previous epochs.
  const TemporaryFile place("", "run");
  Session session(model = SessionModel(resume_split().train), resume_split(), options);
  session.run_epoch();
  session.run_epoch();
  session.save(place.path());
  Session rest = Session::resume(place.path(), resumed, resume_split(), options);
  rest.run();
  REQUIRE(rest.history().epochs.size() == 4);
  for (std::size_t e = 0; e < 4; ++e) {
    CHECK(rest.history().epochs[e].validation_by_cosine == measured[e].ndcg);
  }
}

namespace {

/// Whether each epoch was validated.
std::vector<bool> validated(const History& history) {
  std::vector<bool> all;
  for (const EpochRecord& epoch : history.epochs) all.push_back(epoch.validated);
  return all;
}

/// Stops training after an epoch.
struct StopAfter {
  std::size_t last;
  StopRequest epoch(const EpochRecord& epoch) const {
    return epoch.epoch == last ? StopRequest::stop : StopRequest::none;
  }
};

}  // namespace

TEST_CASE("only some epochs, and the last, are validated on request") {
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 7};
  SessionModel often(resume_split().train), model(resume_split().train),
      resumed(resume_split().train);
  const History all = fit(often, resume_split(), options, Silent());
  options.validate_every = 3;
  const History history = fit(model, resume_split(), options, Silent());
  CHECK(validated(all) == std::vector<bool>(7, true));
  CHECK(validated(history) == std::vector<bool>{false, false, true, false, false, true, true});
  std::size_t best = 0;
  for (const EpochRecord& epoch : history.epochs) {
    const EpochRecord& same = all.epochs[epoch.epoch - 1];
    CHECK(epoch.loss == same.loss);
    CHECK(epoch.validation == (epoch.validated ? same.validation : 0));
    CHECK(epoch.validation_ndcg == (epoch.validated ? same.validation_ndcg : 0));
    const bool better = best == 0 || same.validation > all.epochs[best - 1].validation;
    CHECK(epoch.best == (epoch.validated && better));
    if (epoch.best) best = epoch.epoch;
  }
  CHECK(history.best_epoch == best);
  CHECK(history.best_validation == all.epochs[best - 1].validation);
  CHECK(evaluate(model, resume_split().validation).ndcg == history.best_validation);

  // A checkpoint tells which epochs were validated.
  const TemporaryFile place("", "run");
  SessionModel saved(resume_split().train);
  Session session(saved, resume_split(), options);
  for (int epoch = 0; epoch < 4; ++epoch) session.run_epoch();
  session.save(place.path());
  Session rest = Session::resume(place.path(), resumed, resume_split(), options);
  rest.run(Silent());
  CHECK(validated(rest.history()) == validated(history));
  CHECK(test::bits_of(resumed) == test::bits_of(model));
  options.validate_every = 0;
  CHECK_THROWS_AS(fit(model, resume_split(), options, Silent()), ArgumentError);
}

TEST_CASE("patience runs out only in an epoch that is validated") {
  SessionModel model(resume_split().train);
  const Metric constant([](const Report&) { return -1.0; });
  const History history = fit(model, resume_split(),
                              {.learning_rate = 0.05,
                               .batch_size = 150,
                               .epochs = 30,
                               .patience = 3,
                               .min_steps = 0,
                               .validate_every = 4,
                               .metric = constant},
                              Silent());
  CHECK(history.stop_reason == StopReason::patience);
  CHECK(history.best_epoch == 4);
  CHECK(history.epochs.size() == 8);
}

TEST_CASE("the epoch with which training ends is validated") {
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 9, .validate_every = 4};
  SessionModel model(resume_split().train);
  const auto is_best = [&](const History& history) {
    const std::size_t last = history.epochs.size();
    CHECK(history.epochs.back().validated);
    CHECK(history.best_epoch ==
          (last < 4 || history.epochs.back().validation > history.epochs[3].validation ? last : 4));
    CHECK(evaluate(model, resume_split().validation).ndcg == history.best_validation);
  };
  SUBCASE("by the stop rule") {
    options.stop = [](const History& history) { return history.epochs.size() == 6; };
    is_best(fit(model, resume_split(), options, Silent()));
  }
  SUBCASE("by an observer") {
    is_best(fit(model, resume_split(), options, Silent(), StopAfter{6}));
  }
  SUBCASE("by an observer before any validation") {
    const History history = fit(model, resume_split(), options, Silent(), StopAfter{3});
    is_best(history);
    for (const std::string& warning : history.warnings) {
      CHECK(warning.find("best epoch") == std::string::npos);
    }
  }
  SUBCASE("by fewer epochs after a resume") {
    const TemporaryFile place("", "run");
    SessionModel saved(resume_split().train);
    Session session(saved, resume_split(), options);
    for (int epoch = 0; epoch < 3; ++epoch) session.run_epoch();
    session.save(place.path());
    options.epochs = 3;
    Session rest = Session::resume(place.path(), model, resume_split(), options);
    is_best(rest.run(Silent()));
  }
  SUBCASE("within an epoch: the last validated epoch's weights") {
    struct StopInEpoch {
      StopRequest batch(const EpochProgress& progress) const {
        return progress.epoch == 6 ? StopRequest::stop : StopRequest::none;
      }
    };
    SessionModel best(resume_split().train);
    const History history = fit(model, resume_split(), options, Silent(), StopInEpoch{});
    CHECK(history.best_epoch == 4);
    CHECK_FALSE(history.epochs.back().validated);
    fit(best, resume_split(), options, Silent(), StopAfter{4});
    CHECK(test::bits_of(model) == test::bits_of(best));
  }
  SUBCASE("of a model that was trained before: no worse than it began") {
    fit(model, resume_split(), {.learning_rate = 0.05, .batch_size = 150, .epochs = 30}, Silent());
    options.learning_rate = 0.5;
    const double before = evaluate(model, resume_split().validation).ndcg;
    const History history = fit(model, resume_split(), options, Silent(), StopAfter{2});
    CHECK(history.epochs.back().validated);
    CHECK(evaluate(model, resume_split().validation).ndcg >= before);
  }
}

TEST_CASE("a metric that fails at the end of training leaves the epoch to be validated") {
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 9, .validate_every = 4};
  options.stop = [](const History& history) { return history.epochs.size() == 2; };
  bool fails = true;
  options.metric = Metric([&](const Report& report) {
    return fails ? std::numeric_limits<double>::quiet_NaN() : report.ndcg;
  });
  SessionModel model(resume_split().train);
  Session session(model, resume_split(), options);
  CHECK_THROWS_AS(session.run(Silent()), ArgumentError);
  CHECK_FALSE(session.history().epochs.back().validated);
  fails = false;
  CHECK(session.run(Silent()).best_epoch == 2);
  CHECK(session.history().epochs.back().validated);
}

TEST_CASE("a best epoch among the first two validated is a warning, if others were validated") {
  const auto warnings = [](std::size_t best, std::size_t every, std::size_t epochs) {
    History history{.steps_per_epoch = 1000, .best_epoch = best};
    for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
      history.epochs.push_back({.epoch = epoch, .loss = 0.5, .validated = epoch % every == 0});
    }
    return detail::warnings({}, history, 1000 * epochs, true).size();
  };
  CHECK(warnings(2, 1, 3) == 1);
  CHECK(warnings(3, 1, 3) == 0);
  CHECK(warnings(10, 5, 20) == 1);
  CHECK(warnings(15, 5, 20) == 0);
  CHECK(warnings(2, 2, 3) == 0);
  CHECK(warnings(0, 2, 4) == 1);
  CHECK(warnings(0, 5, 3) == 0);
}
