// SPDX-License-Identifier: BSD-3-Clause
// The uses of ranking the validation set: early stopping by a metric, and a record by cosine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
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
