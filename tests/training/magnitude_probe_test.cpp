// SPDX-License-Identifier: BSD-3-Clause
// What the probe records of magnitudes during training.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <prism/prism.hpp>
#include <vector>

using namespace prism;

namespace {

const Split& probed_split() {
  static const Split parts =
      random_split(synthetic_interactions({.users = 400, .items = 300}), {.validation = 0.1});
  return parts;
}

template <class Loss, class Regularizer>
std::vector<MagnitudeRecord> train(double learning_rate, const Regularizer& regularizer) {
  Recommender<MF<16>, Loss, Regularizer, Xavier, SGD, UniformNegatives, double> model(
      probed_split().train, {.regularizer = regularizer});
  MagnitudeProbe probe(probed_split(), {.rank = false});
  fit(model, probed_split(),
      {.learning_rate = learning_rate, .batch_size = 100, .epochs = 3, .patience = 3}, probe);
  return probe.records();
}

/// Checks that measured changes are as predicted, to within a share of the largest.
void check_predictions(const std::vector<MagnitudeRecord>& records, double share) {
  REQUIRE(records.size() == 4);
  for (std::size_t epoch = 1; epoch < records.size(); ++epoch) {
    double largest = 0;
    for (const MagnitudeBucket& bucket : records[epoch].buckets) {
      largest = std::max(largest, std::abs(bucket.measured));
    }
    CHECK(largest > 0);
    for (const MagnitudeBucket& bucket : records[epoch].buckets) {
      REQUIRE(bucket.predicted_every_pair.has_value());
      CHECK(std::abs(*bucket.predicted_every_pair - bucket.measured) < share * largest);
    }
  }
}

}  // namespace

TEST_CASE("magnitudes change in training as is predicted, with every pair counted") {
  SUBCASE("cosine") { check_predictions(train<Cosine>(0.1, None{}), 0.05); }
  SUBCASE("cosine, full decay") {
    check_predictions(train<Cosine>(0.1, FullWD{.lambda = 1e-3}), 0.05);
  }
  SUBCASE("dot") { check_predictions(train<Dot>(0.02, None{}), 0.05); }
  SUBCASE("euclidean") { check_predictions(train<Euclidean>(0.02, None{}), 0.05); }
}

TEST_CASE("the theorem, with one update a batch, says too little of popular items") {
  const auto records = train<Cosine>(0.1, None{});
  const MagnitudeBucket& popular = records[1].buckets.back();
  CHECK(*popular.predicted < 0.9 * popular.measured);
  const MagnitudeBucket& unpopular = records[1].buckets.front();
  CHECK(*unpopular.predicted == doctest::Approx(unpopular.measured).epsilon(0.1));
}

TEST_CASE("of a model that the theorem is not about nothing is predicted") {
  Recommender<MF<16>, DirectAU, None, PRISM<1.0>> model(probed_split().train);
  MagnitudeProbe probe(probed_split(), {.buckets = 4});
  const History history =
      fit(model, probed_split(), {.learning_rate = 0.01, .batch_size = 500, .epochs = 2}, probe);
  REQUIRE(probe.records().size() == 3);
  const MagnitudeRecord& start = probe.records()[0];
  CHECK(start.epoch == 0);
  // PRISM's rows have the length of log(d + 2).
  CHECK(start.pearson == doctest::Approx(1).epsilon(1e-5));
  CHECK(start.spearman == doctest::Approx(1).epsilon(1e-3));
  const MagnitudeRecord& last = probe.records()[2];
  CHECK(last.ndcg_by_dot == history.epochs.back().validation_ndcg);
  CHECK(last.ndcg_by_cosine > 0);
  REQUIRE(last.buckets.size() == 4);
  std::size_t items = 0;
  for (const MagnitudeBucket& bucket : last.buckets) {
    CHECK_FALSE(bucket.predicted.has_value());
    CHECK(bucket.items == 75);
    CHECK(bucket.magnitude > 0);
    items += bucket.items;
  }
  CHECK(items == 300);
  for (std::size_t b = 1; b < 4; ++b) {
    CHECK(last.buckets[b].least_popular >= last.buckets[b - 1].most_popular);
  }
}

TEST_CASE("a probe asks for a bucket at least, and may watch one model after another") {
  CHECK_THROWS_AS(MagnitudeProbe(probed_split(), {.buckets = 0}), ArgumentError);
  MagnitudeProbe probe(probed_split(), {.rank = false});
  for (int run = 0; run < 2; ++run) {
    Recommender<MF<16>, BPR> model(probed_split().train);
    fit(model, probed_split(), {.epochs = 1}, probe);
    CHECK(probe.records().size() == 2);
  }
}

TEST_CASE("without ranking by cosine a probe still has the NDCG of the initial rows") {
  Recommender<MF<16>, BPR, None, PRISM<1.0>> model(probed_split().train);
  const double initial = evaluate(model, probed_split().validation).ndcg;
  MagnitudeProbe probe(probed_split(), {.rank = false});
  const History history = fit(model, probed_split(), {.epochs = 1}, probe);
  REQUIRE(initial > 0);
  CHECK(probe.records()[0].ndcg_by_dot == initial);
  CHECK(probe.records()[1].ndcg_by_dot == history.epochs[0].validation_ndcg);
  CHECK(probe.records()[1].ndcg_by_cosine == 0);
}

TEST_CASE("a probe that has not seen the beginning says so") {
  Recommender<MF<16>, Cosine, None, Xavier, SGD> model(probed_split().train);
  TrainingSession session(model, probed_split(), {.learning_rate = 0.1, .epochs = 3});
  session.run_epoch();
  MagnitudeProbe probe(probed_split(), {.rank = false});
  CHECK_THROWS_WITH_AS(
      session.run_epoch(probe),
      "observers: must include the MagnitudeProbe from the session's first step() on, or "
      "in run()",
      ArgumentError);
}

TEST_CASE("a probe refuses a model of another split") {
  const Split other = random_split(synthetic_interactions({.users = 400, .items = 300, .seed = 9}),
                                   {.validation = 0.1});
  MagnitudeProbe probe(other);
  Recommender<MF<16>, BPR> model(probed_split().train);
  CHECK_THROWS_AS(fit(model, probed_split(), {.epochs = 1}, probe), ArgumentError);
}

TEST_CASE("by cosine a row of zeros pulls nothing and spoils no prediction") {
  Recommender<MF<16>, Cosine, None, Xavier, SGD> model(probed_split().train);
  std::fill_n(model.weights().items.data(), 16, 0.0f);
  std::fill_n(model.weights().users.data(), 16, 0.0f);
  MagnitudeProbe probe(probed_split(), {.rank = false});
  fit(model, probed_split(), {.learning_rate = 0.1, .epochs = 1}, probe);
  for (const MagnitudeBucket& bucket : probe.records()[1].buckets) {
    CHECK(std::isfinite(*bucket.predicted));
    CHECK(std::isfinite(*bucket.predicted_every_pair));
  }
}

TEST_CASE("a probe's records go on with a session, and begin at the epochs that are done") {
  Recommender<MF<8>, DirectAU> model(probed_split().train);
  TrainingSession session(model, probed_split(),
                          {.learning_rate = 0.01, .batch_size = 500, .epochs = 3});
  const auto epochs_of = [](const MagnitudeProbe& probe) {
    std::vector<std::size_t> epochs;
    for (const MagnitudeRecord& record : probe.records()) epochs.push_back(record.epoch);
    return epochs;
  };
  MagnitudeProbe probe(probed_split(), {.rank = false}), later(probed_split(), {.rank = false});
  session.run(probe);
  session.allow_epochs(5);
  session.run(probe, later);
  CHECK(epochs_of(probe) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
  CHECK(epochs_of(later) == std::vector<std::size_t>{3, 4, 5});
}
