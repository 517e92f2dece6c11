// SPDX-License-Identifier: BSD-3-Clause
// The learning rate and schedule that training uses if its options do not set them.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "resume_cases.hpp"

using namespace prism;
using test::resume_split;

namespace {

template <class Model>
FitOptions settled(Model& model, const Split& part, FitOptions options = {}) {
  return TrainingSession(model, part, std::move(options)).options();
}

/// The mean magnitude of rows, each counted as often as it has interactions.
double mean_magnitude(const auto& table, std::span<const Index> popularity) {
  double sum = 0, count = 0;
  for (std::size_t r = 0; r < table.shape(0); ++r) {
    double squared = 0;
    for (std::size_t c = 0; c < table.shape(1); ++c) squared += std::pow(table(r, c), 2);
    sum += popularity[r] * std::sqrt(squared);
    count += popularity[r];
  }
  return sum / count;
}

}  // namespace

TEST_CASE("small initial magnitudes get large steps, lowered where validation no longer rises") {
  Recommender<MF<16>, DirectAU, FullWD> model(resume_split().train);
  const FitOptions options = settled(model, resume_split());
  CHECK(*options.learning_rate == doctest::Approx(0.24 / 4));
  CHECK(options.schedule->label() ==
        "plateau, factor 0.31622776601683794, patience 10, patience_steps 250, "
        "reductions 3, min_steps 1000");
  CHECK(*options.epochs == 1000);
  TrainingSession session(model, resume_split());
  CHECK(session.step().learning_rate == *options.learning_rate);

  Recommender<MF<64>, SSM> wide(resume_split().train);
  CHECK(*settled(wide, resume_split()).learning_rate == doctest::Approx(0.03));
}

TEST_CASE(
    "small initial magnitudes get smaller first steps, and fewer reductions, in longer epochs") {
  const Split part = random_split(
      synthetic_interactions({.users = 600, .items = 400, .interactions_per_user = 10}),
      {.validation = 0.1, .test = 0.1});
  Recommender<MF<64>, DirectAU, FullWD> model(part.train);
  const std::size_t pairs = part.train.size();
  const auto in_epochs_of = [&](std::size_t steps) {
    return settled(model, part, {.batch_size = (pairs + steps - 1) / steps});
  };
  const auto plateau = [](int reductions) {
    return "plateau, factor 0.31622776601683794, patience 10, patience_steps 250, reductions " +
           std::to_string(reductions) + ", min_steps 1000";
  };
  const FitOptions hundred = in_epochs_of(100);
  REQUIRE((pairs + hundred.batch_size - 1) / hundred.batch_size <= 100);
  CHECK(*hundred.learning_rate == doctest::Approx(0.03));
  CHECK(hundred.schedule->label() == plateau(3));

  const FitOptions long_epochs = in_epochs_of(300);
  const double steps =
      std::ceil(static_cast<double>(pairs) / static_cast<double>(long_epochs.batch_size));
  REQUIRE(steps > 250);
  CHECK(*long_epochs.learning_rate == doctest::Approx(300 / (steps * steps)));
  CHECK(long_epochs.schedule->label() == plateau(1));

  // A step for each pair: the learning rate has a lower limit, from which nothing is reduced.
  const FitOptions longest = settled(model, part, {.batch_size = 1});
  REQUIRE(pairs > 3000);
  CHECK(*longest.learning_rate == doctest::Approx(0.001));
  CHECK(longest.schedule->label() == plateau(0));

  // Large initial magnitudes, and losses of dot products, do not depend on it.
  Recommender<MF<64>, DirectAU, None, PRISM<1.0>> prism(part.train);
  CHECK(*settled(prism, part, {.batch_size = 1}).learning_rate ==
        *settled(prism, part).learning_rate);
  Recommender<MF<64>, BPR> dot(part.train);
  CHECK(*settled(dot, part, {.batch_size = 1}).learning_rate == *settled(dot, part).learning_rate);
}

TEST_CASE("small initial magnitudes get small steps from a loss of dot products") {
  Recommender<MF<16>, BPR, FullWD> model(resume_split().train);
  const FitOptions options = settled(model, resume_split());
  CHECK(*options.learning_rate == doctest::Approx(0.008 / 4));
  const std::string lowered_once =
      "plateau, factor 0.31622776601683794, patience 10, patience_steps 1000, "
      "reductions 1, min_steps 1000";
  CHECK(options.schedule->label() == lowered_once);

  Split no_validation = resume_split();
  no_validation.validation = {};
  CHECK(settled(model, no_validation, {.epochs = 3}).schedule->label() == "constant");

  // A penalty does not change the loss's default.
  Recommender<MF<16>, Penalized<BPR, ReSN>> penalised(resume_split().train);
  CHECK(*settled(penalised, resume_split()).learning_rate == doctest::Approx(0.008 / 4));

  Recommender<MF<16>, MACR> macr(resume_split().train);
  CHECK(*settled(macr, resume_split()).learning_rate == doctest::Approx(0.008 / 4));
  const FitOptions given = settled(model, resume_split(), {.schedule = WarmUpSchedule{7}});
  CHECK(*given.learning_rate == doctest::Approx(0.008 / 4));
  CHECK(given.schedule->label() == "warm-up 7");

  // Policies that are chosen at run time; long rows are turned as by any loss.
  using Chosen = Recommender<MF<16>, Penalized<BPR, OnePenalty<IPL>>, None,
                             OneInitializer<Xavier, PRISM<dynamic>>>;
  Chosen xavier(resume_split().train);
  CHECK(*settled(xavier, resume_split()).learning_rate == doctest::Approx(0.008 / 4));
  Chosen prism(resume_split().train, {.initializer = PRISM<dynamic>{.scale = 10}});
  Recommender<MF<16>, SSM, None, PRISM<1.0>> of_cosines(resume_split().train,
                                                        {.initializer = {.scale = 10}});
  const FitOptions of_large_magnitudes = settled(prism, resume_split());
  CHECK(*of_large_magnitudes.learning_rate == *settled(of_cosines, resume_split()).learning_rate);
  CHECK(*of_large_magnitudes.learning_rate > 2 * 0.008 / 4);
  CHECK(of_large_magnitudes.schedule->label() == lowered_once);
}

TEST_CASE("rows of large initial magnitude are turned by an angle, at a constant rate") {
  using Model = Recommender<MF<16>, DirectAU, None, PRISM<1.0>>;
  Model model(resume_split().train);
  const double magnitude = (mean_magnitude(model.users(), resume_split().train.user_degree()) +
                            mean_magnitude(model.items(), resume_split().train.item_degree())) /
                           2;
  const FitOptions options = settled(model, resume_split());
  CHECK(*options.learning_rate == doctest::Approx(std::max(0.008, 0.003 * magnitude) / 4));
  CHECK(options.schedule->label() == "constant");

  // Ten times as long, whatever the cause.
  Model scaled(resume_split().train, {.initializer = {.scale = 10}});
  CHECK(*settled(scaled, resume_split()).learning_rate ==
        doctest::Approx(0.003 * 10 * magnitude / 4));
  // Rows that are short for PRISM: the learning rate has a lower limit.
  Model shorter(resume_split().train, {.initializer = {.scale = 0.5}});
  CHECK(*settled(shorter, resume_split()).learning_rate == doctest::Approx(0.008 / 4));
}

TEST_CASE("what is given stays as it is") {
  Recommender<MF<16>, DirectAU> model(resume_split().train);
  const FitOptions rate = settled(model, resume_split(), {.learning_rate = 0.5});
  CHECK(*rate.learning_rate == 0.5);
  CHECK(rate.schedule->label() == "constant");
  const FitOptions schedule = settled(model, resume_split(), {.schedule = WarmUpSchedule{7}});
  CHECK(*schedule.learning_rate == doctest::Approx(0.06));
  CHECK(schedule.schedule->label() == "warm-up 7");

  Split no_validation = resume_split();
  no_validation.validation = {};
  const FitOptions blind = settled(model, no_validation, {.epochs = 3});
  CHECK(*blind.learning_rate == doctest::Approx(0.06));
  CHECK(blind.schedule->label() == "cosine, warm-up 0, floor 0");
}

TEST_CASE("rows without a finite magnitude give no learning rate") {
  Recommender<MF<16>, DirectAU> model(resume_split().train);
  model.weights().items(0, 0) = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(settled(model, resume_split()),
                       doctest::Contains("model: must have rows of finite magnitude"),
                       ArgumentError);
}

TEST_CASE("an optimizer whose steps are as long as the gradient makes them needs a rate") {
  Recommender<MF<16>, DirectAU, None, Xavier, SGD> model(resume_split().train);
  CHECK_THROWS_WITH_AS(
      settled(model, resume_split()),
      "learning_rate: must be given for the optimizer SGD, whose step length depends on the "
      "gradient's; Adam, DenseAdam and PartialRowWiseAdam have a default",
      ArgumentError);
  CHECK(*settled(model, resume_split(), {.learning_rate = 0.1}).learning_rate == 0.1);

  using Chosen = Recommender<MF<16>, DirectAU, None, Xavier, OneOptimizer<Adam, SGD>>;
  Chosen chosen(resume_split().train);
  CHECK(*settled(chosen, resume_split()).learning_rate == doctest::Approx(0.06));
  Chosen descent(resume_split().train, {.optimizer = SGD()});
  CHECK_THROWS_AS(settled(descent, resume_split()), ArgumentError);
}

TEST_CASE("a resumed run with all options left open is the unbroken one") {
  test::check_resume<Recommender<MF<8>, BPR>>({}, {.batch_size = 150, .epochs = 5});
  test::check_resume<Recommender<MF<8>, SSM>>({}, {.batch_size = 150, .epochs = 5});
}
