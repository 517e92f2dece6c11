// SPDX-License-Identifier: BSD-3-Clause
// The theorem against simulated batches: it holds where its assumption does, and wrong versions of
// it do not.
#include <doctest/doctest.h>

#include <cmath>
#include <prism/core/error.hpp>
#include <prism/execution/host.hpp>
#include <prism/theory/verify.hpp>
#include <vector>

using namespace prism;

namespace {

std::vector<TheoremSetting> settings() {
  std::vector<TheoremSetting> all;
  for (const PairLoss pair_loss : {PairLoss::cosine, PairLoss::dot, PairLoss::euclidean}) {
    for (const Decay decay : {Decay::full, Decay::batched}) {
      for (const int negatives : {0, 10}) {
        for (const int popularity : {1, 30, 300}) {
          all.push_back({.pair_loss = pair_loss,
                         .decay = decay,
                         .learning_rate = 0.2,
                         .lambda = 0.05,
                         .pair = {.user = 1.3, .item = 0.7, .cosine = 0.3},
                         .popularity = popularity,
                         .batches = {.pairs = 1'000'000,
                                     .batch_size = 10'000,
                                     .negatives = negatives,
                                     .items = 2'000'000}});
        }
      }
    }
  }
  return all;
}

template <class Prediction>
std::size_t misses(const SimulationOptions& options, const Prediction& predict) {
  std::size_t count = 0;
  for (const TheoremCheck& check : check_theorem(settings(), options, predict)) {
    count += check.holds() ? 0 : 1;
  }
  return count;
}

constexpr SimulationOptions few_draws{.draws = 20'000, .seed = 7};

double theorem(const TheoremSetting& setting) { return expected_change(setting); }

}  // namespace

TEST_CASE("simulated batches change magnitudes as the theorem predicts") {
  CHECK(misses(few_draws, theorem) <= allowed_misses(settings().size()));
}

TEST_CASE("wrong versions of the theorem are detected") {
  const std::size_t allowed = allowed_misses(settings().size());
  SUBCASE("without the 2 of eta lambda - 2") {
    const auto spoiled = [](const TheoremSetting& s) {
      const double probability =
          s.decay == Decay::full ? 1 : batch_probability(s.popularity, s.batches).in_batch();
      return expected_change(s) +
             probability * 2 * s.learning_rate * s.lambda * s.pair.item * s.pair.item;
    };
    CHECK(misses(few_draws, spoiled) > 30);
  }
  SUBCASE("with P on both terms of full decay") {
    CHECK(misses(few_draws, [](TheoremSetting s) {
            s.decay = Decay::batched;
            return expected_change(s);
          }) > 2 * allowed);
  }
  SUBCASE("with P on neither term of batched decay") {
    CHECK(misses(few_draws, [](TheoremSetting s) {
            s.decay = Decay::full;
            return expected_change(s);
          }) > 2 * allowed);
  }
  SUBCASE("with negatives left out") {
    CHECK(misses(few_draws, [](TheoremSetting s) {
            s.batches.negatives = 0;
            return expected_change(s);
          }) > 2 * allowed);
  }
  SUBCASE("with the distance's gradient halved, as printed") {
    CHECK(misses(few_draws, [](TheoremSetting s) {
            if (s.pair_loss == PairLoss::euclidean) s.pair_weight = 0.5;
            return expected_change(s);
          }) > 2 * allowed);
  }
}

TEST_CASE("with every pair, popular items change by more than the theorem predicts") {
  TheoremSetting setting{.learning_rate = 0.05,
                         .pair = {.item = 0.7, .cosine = 0.3},
                         .popularity = 300,
                         .batches = {.pairs = 1'000'000, .batch_size = 10'000}};
  SimulationOptions options = few_draws;
  CHECK(simulate_change(setting, options).contains(expected_change(setting)));
  options.updates = Updates::every_pair;
  CHECK(simulate_change(setting, options).low > 2 * expected_change(setting));
  setting.popularity = 1;  // never two in a batch
  CHECK(simulate_change(setting, options).contains(expected_change(setting)));
}

TEST_CASE("pairs drawn with replacement are in fewer large batches") {
  const TheoremSetting setting{.learning_rate = 0.05,
                               .pair = {.item = 0.7, .cosine = 0.3},
                               .popularity = 3,
                               .batches = {.pairs = 1000, .batch_size = 300}};
  SimulationOptions options = few_draws;
  const double without = 1 - 700.0 / 1000 * 699 / 999 * 698 / 998;
  const double with = 1 - std::pow(1 - 0.003, 300);
  CHECK(simulate_change(setting, options).in_batch == doctest::Approx(without).epsilon(0.02));
  options.sampling = PairSampling::with_replacement;
  CHECK(simulate_change(setting, options).in_batch == doctest::Approx(with).epsilon(0.02));
}

TEST_CASE("intervals contain the expectation at their confidence, for rare and common items") {
  for (const std::int64_t popularity : {1, 50, 500, 4000}) {
    const TheoremSetting setting{.learning_rate = 0.1,
                                 .lambda = 0.01,
                                 .popularity = popularity,
                                 .batches = {.pairs = 1'000'000, .batch_size = 2'000}};
    int held = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const SimulationOptions options{.draws = 500, .confidence = 0.9, .seed = seed};
      held += simulate_change(setting, options).contains(expected_change(setting)) ? 1 : 0;
    }
    // 180 expected; less or more than this happens once in 300 runs. The rarest and the most common
    // item have wider intervals than necessary.
    CHECK(held >= 166);
    if (popularity == 50 || popularity == 500) CHECK(held <= 193);
  }
}

TEST_CASE("the simulation does not depend on the number of threads, but on the seed") {
  const TheoremSetting setting = settings()[4];
  const SimulatedChange one = [&] {
    const ThreadLimit limit(1);
    return simulate_change(setting, few_draws);
  }();
  const ThreadLimit limit(4);
  CHECK(simulate_change(setting, few_draws).mean == one.mean);
  CHECK(simulate_change(setting, {.draws = 20'000, .seed = 8}).mean != one.mean);
}

TEST_CASE("the allowed misses follow the binomial distribution") {
  CHECK(allowed_misses(1) == 1);  // a thousandth is not below a thousandth
  CHECK(allowed_misses(288) == 3);
  CHECK(allowed_misses(100'000) > 100);
  CHECK(allowed_misses(100'000) < 150);
  // Where the first terms of the distribution underflow.
  CHECK(allowed_misses(2000, 0.5) > 1000);
  CHECK(allowed_misses(2000, 0.5) < 1100);
  CHECK(allowed_misses(1'000'000) < 1200);
  // Far below the rounding error of a sum of all terms.
  CHECK(allowed_misses(1'000'000, 0.999, 1e-10) > 1000);
  CHECK(allowed_misses(1'000'000, 0.999, 1e-10) < 1300);
  CHECK(allowed_misses(1000, 0.999, 1e-14) < 20);
  CHECK_THROWS_AS((void)allowed_misses(10, 1.0), ArgumentError);
}

TEST_CASE("simulation rejects options outside their domain") {
  const TheoremSetting setting = settings()[0];
  CHECK_THROWS_AS((void)simulate_change(setting, {.draws = 1}), ArgumentError);
  CHECK_THROWS_AS((void)simulate_change(setting, {.dim = 1}), ArgumentError);
  CHECK_THROWS_AS((void)simulate_change(setting, {.sampling = PairSampling(9)}), ArgumentError);
  CHECK_THROWS_AS((void)simulate_change(setting, {.updates = Updates(9)}), ArgumentError);
  CHECK_THROWS_AS((void)simulate_change(setting, {.confidence = 1}), ArgumentError);
  CHECK_THROWS_WITH_AS((void)simulate_change(setting, {.run = 1U << 31}),
                       "run: must be below 2^31, not 2147483648", ArgumentError);
  TheoremSetting large = setting;
  large.popularity = std::int64_t{1} << 32;
  large.batches.pairs = large.popularity;
  CHECK_THROWS_WITH_AS((void)simulate_change(large, {.draws = 2}),
                       "popularity: must be below 2^32 to be simulated, not 4294967296",
                       ArgumentError);
}
