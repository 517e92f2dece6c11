// SPDX-License-Identifier: BSD-3-Clause
#include "resume_cases.hpp"

TEST_CASE("a run of MF, saved and resumed, is the unbroken one: every loss, optimizer and decay") {
  test::for_each_policy(test::RankingLosses{}, []<class Loss>(std::type_identity<Loss>) {
    test::check_resume<prism::MF<prism::dynamic>, Loss>();
  });
}

using namespace prism;

namespace {

using Plain = Recommender<MF<8>, BPR>;
using Wide =
    Recommender<MF<8>, Penalized<SSM, ReSN>, None, PRISM<1.0>, Adam, InBatchNegatives, double>;

}  // namespace

TEST_CASE("a resumed run is the unbroken one whatever the schedule, metric, shuffle and store") {
  FitOptions options{.learning_rate = 0.05, .batch_size = 150, .epochs = 5};
  SUBCASE("warm-up") {
    options.schedule = WarmUpSchedule{13};
    options.validate_by_cosine = true;
  }
  SUBCASE("plateau") {
    options.schedule =
        PlateauSchedule{.factor = 0.5, .patience = 1, .patience_steps = 0, .min_steps = 0};
    options.metric = [](const Report&) { return 1.0; };
  }
  SUBCASE("cosine") { options.schedule = CosineSchedule{.warm_up = 3, .floor = 0.1}; }
  SUBCASE("function") {
    options.schedule = [](const StepPosition& at) { return 1.0 / static_cast<double>(at.epoch); };
  }
  SUBCASE("metric") { options.metric = &Report::recall; }
  SUBCASE("shuffled once") { options.shuffle = Shuffle::once; }
  SUBCASE("patience") {
    options = {
        .learning_rate = 0.2, .batch_size = 150, .epochs = 60, .patience = 3, .min_steps = 0};
  }
  SUBCASE("best weights nowhere") { options.best_weights = BestWeights::last; }
  test::check_resume<Plain>({}, options);
}

TEST_CASE("a resumed run is the unbroken one with best weights on disk") {
  const TemporaryFile place("", "best");
  test::check_resume<Plain>({}, {.learning_rate = 0.05,
                                 .batch_size = 150,
                                 .epochs = 5,
                                 .best_weights = BestWeights::on_disk,
                                 .best_weights_path = place.path()});
}

TEST_CASE("a resumed run is the unbroken one in double, with a penalty and another sampler") {
  test::check_resume<Wide>({}, {.learning_rate = 0.05, .batch_size = 150, .epochs = 4});
}

TEST_CASE("rows that wait longer than momentum lasts wait on through a checkpoint") {
  // Three pairs per step: most rows miss most steps.
  test::check_resume<Plain>({}, {.learning_rate = 0.02, .batch_size = 3, .epochs = 3});
  using Decayed = Recommender<MF<8>, BPR, FullWD>;
  test::check_resume<Decayed>({.regularizer = {1e-3}},
                              {.learning_rate = 0.02, .batch_size = 3, .epochs = 3});
}

TEST_CASE("a run that computes values as epochs begin is the unbroken one, saved within one too") {
  using Shared = SharedNegatives<>;
  const FitOptions fitting{.learning_rate = 0.02, .batch_size = 150, .epochs = 5};
  // Anew each epoch, and in each second of them.
  for (const std::size_t interval : {1U, 2U}) {
    CAPTURE(interval);
    const SLK loss{.negatives = 30, .k = 5, .quantile_negatives = 40, .refresh_epochs = interval};
    test::check_resume<Recommender<MF<8>, SLK, FullWD, Xavier, Adam, Shared>>(
        {.loss = loss, .regularizer = {1e-3}}, fitting);
    test::check_resume<Recommender<LightGCN<8>, Penalized<SLK, ReSN>, None, Xavier, DenseAdam>>(
        {.loss = {.loss = loss, .penalty = {}}}, fitting);
  }
}
