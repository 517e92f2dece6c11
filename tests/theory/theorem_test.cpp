// SPDX-License-Identifier: BSD-3-Clause
// The theorem's expressions against explicit definitions, at run time and at compile time.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <prism/core/error.hpp>
#include <prism/theory/balanced_magnitude.hpp>
#include <prism/theory/batch_probability.hpp>
#include <prism/theory/gradient_sums.hpp>
#include <prism/theory/magnitude.hpp>

using namespace prism;

namespace {

constexpr TheoremSetting example{.learning_rate = 0.1,
                                 .lambda = 0.01,
                                 .pair = {.user = 1.5, .item = 0.5, .cosine = 0.3},
                                 .popularity = 20,
                                 .batches = {.pairs = 100'000, .batch_size = 1000}};

constexpr TheoremSetting with(TheoremSetting setting, PairLoss pair_loss, Decay decay,
                              std::int64_t negatives) {
  setting.pair_loss = pair_loss;
  setting.decay = decay;
  setting.batches.negatives = negatives;
  setting.batches.items = 50'000;
  return setting;
}

constexpr std::array pair_losses{PairLoss::cosine, PairLoss::dot, PairLoss::euclidean};

/// |i'|^2 - |i|^2 of one step in the plane, with a positive pair (sign 1), a negative one (-1) or
/// none (0).
double change_in_the_plane(const TheoremSetting& setting, double sign, bool decays) {
  const auto& [user, item, cosine] = setting.pair;
  const std::array<double, 2> i{item, 0};
  const std::array<double, 2> u{user * cosine, user * std::sqrt(1 - cosine * cosine)};
  const double eta = setting.learning_rate, decay = decays ? eta * setting.lambda : 0;
  double square = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    double pair_gradient = 0;
    if (setting.pair_loss == PairLoss::cosine) {
      pair_gradient = (u[k] / user - cosine * i[k] / item) / item;
    }
    if (setting.pair_loss == PairLoss::dot) pair_gradient = u[k];
    if (setting.pair_loss == PairLoss::euclidean) pair_gradient = 2 * (u[k] - i[k]);
    const double after = (1 - decay) * i[k] + eta * sign * pair_gradient;
    square += after * after;
  }
  return square - item * item;
}

}  // namespace

// The theorem at compile time: the magnitude of an item of popularity 20 grows, that of one of
// popularity 1 shrinks.
static_assert(expected_change(example) > 0);
static_assert([] {
  TheoremSetting unpopular = example;
  unpopular.popularity = 1;
  return expected_change(unpopular) < 0;
}());
static_assert(batch_probability(1, {.pairs = 100, .batch_size = 10}).in_batch() == 0.1);
static_assert(batch_probability(0, {.pairs = 100, .batch_size = 10}).in_batch() == 0);
static_assert(batch_probability(5, {.pairs = 100, .batch_size = 100}).in_batch() == 1);
static_assert(balanced_magnitude(example) > 0.9 && balanced_magnitude(example) < 1);
static_assert(steps_to_balance(example) > 700 && steps_to_balance(example) < 900);

TEST_CASE("the batch probability is the paper's expression") {
  for (const std::int64_t d : {0, 1, 2, 3, 17, 100, 1000}) {
    for (const std::int64_t batch : {1, 7, 400, 1000}) {
      const double missed = std::pow(1 - static_cast<double>(batch) / 1000, d);
      CHECK(batch_probability(d, {.pairs = 1000, .batch_size = batch}).in_batch() ==
            doctest::Approx(1 - missed).epsilon(1e-13));
      const BatchSampling batches{
          .pairs = 1000, .batch_size = batch, .negatives = 3, .items = 4000};
      const double drawn = 3 * static_cast<double>(batch) / 4000;
      CHECK(batch_probability(d, batches).in_batch() ==
            doctest::Approx(1 - missed * (1 - drawn)).epsilon(1e-13));
      CHECK(batch_probability(d, batches).negative_only ==
            doctest::Approx(missed * drawn).epsilon(1e-12));
    }
  }
}

TEST_CASE("small probabilities are exact where 1 - (1 - p)^d would cancel") {
  const BatchSampling batches{.pairs = 1'000'000'000'000, .batch_size = 1};
  CHECK(batch_probability(3, batches).in_batch() == doctest::Approx(3e-12).epsilon(1e-11));
}

TEST_CASE("negatives that repeat are in a batch with probability 1 - (1 - 1/items)^(n batch)") {
  const BatchSampling batches{
      .pairs = 1000, .batch_size = 100, .negatives = 10, .items = 50, .distinct_negatives = false};
  CHECK(batch_probability(0, batches).negative_only ==
        doctest::Approx(1 - std::pow(0.98, 1000)).epsilon(1e-13));
}

TEST_CASE("the expected change is the mean over an item's possible steps, by probability") {
  for (const PairLoss pair_loss : pair_losses) {
    for (const Decay decay : {Decay::full, Decay::batched}) {
      for (const int negatives : {0, 10}) {
        const TheoremSetting setting = with(example, pair_loss, decay, negatives);
        const BatchProbability probability = batch_probability(setting.popularity, setting.batches);
        const double expected =
            probability.positive * change_in_the_plane(setting, 1, true) +
            probability.negative_only * change_in_the_plane(setting, -1, true) +
            (1 - probability.in_batch()) * change_in_the_plane(setting, 0, decay == Decay::full);
        CHECK(expected_change(setting) == doctest::Approx(expected).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("cosine with full decay is the paper's theorem as printed") {
  const double eta = example.learning_rate, lambda = example.lambda, i = example.pair.item;
  const double probability = 1 - std::pow(1 - 0.01, 20);
  CHECK(expected_change(example) ==
        doctest::Approx(i * i * eta * lambda * (eta * lambda - 2) +
                        probability * eta * eta / (i * i) * (1 - 0.3 * 0.3))
            .epsilon(1e-12));
}

TEST_CASE("results at compile time equal those at run time") {
  constexpr TheoremSetting dot = with(example, PairLoss::dot, Decay::full, 0);
  constexpr double change = expected_change(dot), balance = balanced_magnitude(dot),
                   steps = steps_to_balance(dot);
  TheoremSetting setting = example;
  setting.pair_loss = PairLoss::dot;
  CHECK(expected_change(setting) == doctest::Approx(change).epsilon(1e-15));
  CHECK(balanced_magnitude(setting) == doctest::Approx(balance).epsilon(1e-14));
  CHECK(steps_to_balance(setting) == doctest::Approx(steps).epsilon(1e-13));
}

TEST_CASE("the expected change at the balance is 0, reached in the predicted number of steps") {
  for (const PairLoss pair_loss : pair_losses) {
    for (const Decay decay : {Decay::full, Decay::batched}) {
      TheoremSetting setting = with(example, pair_loss, decay, 0);
      setting.learning_rate = 0.01;
      const double balance = balanced_magnitude(setting);
      setting.pair.item = balance;
      CHECK(std::abs(expected_change(setting)) < 1e-12 * balance * balance);
      for (const double start : {0.3 * balance, 3 * balance}) {
        setting.pair.item = start;
        const double steps = steps_to_balance(setting);
        double walked = 0;
        const auto away = [&] { return std::abs(setting.pair.item / balance - 1) > 0.01; };
        for (; away() && walked < 2 * steps; ++walked) {
          const double square = setting.pair.item * setting.pair.item;
          setting.pair.item = std::sqrt(square + expected_change(setting));
        }
        CHECK(walked == doctest::Approx(steps).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("magnitudes below the balance grow and those above shrink, in every setting") {
  TheoremSetting setting = with(example, PairLoss::dot, Decay::full, 0);
  setting.learning_rate = 0.001;
  setting.pair.cosine = -0.5;
  SUBCASE("users on the other side, no decay") { setting.lambda = 0; }
  SUBCASE("users on the other side, decay") { setting.lambda = 0.01; }
  SUBCASE("more negatives than positives") {
    setting.pair.cosine = 0.5;
    setting.popularity = 1;
    setting.batches.negatives = 10;
    setting.batches.items = 20'000;
    setting.lambda = 0;
  }
  SUBCASE("distance, no decay") {
    setting.pair_loss = PairLoss::euclidean;
    setting.pair.cosine = 0.5;
    setting.lambda = 0;
  }
  const double balance = balanced_magnitude(setting);
  REQUIRE(balance > 0);
  REQUIRE(balance < 1e6);
  for (const double share : {0.5, 0.99}) {
    setting.pair.item = share * balance;
    CHECK(expected_change(setting) > 0);
  }
  setting.pair.item = 1.01 * balance;
  CHECK(expected_change(setting) < 0);
  setting.pair.item = 10 * balance;
  const double steps = steps_to_balance(setting);
  double walked = 0;
  for (; setting.pair.item > 1.01 * balance && walked < 2 * steps; ++walked) {
    const double square = setting.pair.item * setting.pair.item;
    setting.pair.item = std::sqrt(square + expected_change(setting));
  }
  CHECK(walked == doctest::Approx(steps).epsilon(0.05));
}

TEST_CASE("the number of steps is 0 at the balance, and finite far from it") {
  TheoremSetting setting = with(example, PairLoss::dot, Decay::full, 0);
  setting.pair.item = balanced_magnitude(setting);
  CHECK(steps_to_balance(setting) == 0);
  setting.pair.item *= 1e17;
  CHECK(steps_to_balance(setting) < 1e6);
  constexpr double none = [] {
    TheoremSetting there = example;
    there.pair.item = balanced_magnitude(there);
    return steps_to_balance(there);
  }();
  CHECK(none == 0);
}

TEST_CASE("the balance depends on popularity with full decay, not with batched decay") {
  TheoremSetting popular = example;
  popular.popularity = 200;
  CHECK(balanced_magnitude(popular) > 1.2 * balanced_magnitude(example));
  TheoremSetting batched = with(example, PairLoss::cosine, Decay::batched, 0);
  popular.decay = Decay::batched;
  CHECK(balanced_magnitude(popular) == doctest::Approx(balanced_magnitude(batched)));
}

TEST_CASE("without decay there is no balance, and without growth it is 0") {
  TheoremSetting setting = example;
  setting.lambda = 0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(balanced_magnitude(setting) == infinity);
  CHECK(steps_to_balance(setting) == infinity);
  setting.lambda = 0.1;
  setting.popularity = 0;
  CHECK(balanced_magnitude(setting) == 0);
  CHECK(steps_to_balance(setting) == infinity);
}

TEST_CASE("an item whose pairs are all alike changes as the theorem predicts") {
  for (const PairLoss pair_loss : pair_losses) {
    const TheoremSetting setting = with(example, pair_loss, Decay::full, 0);
    const PairGradient g = pair_gradient(pair_loss, setting.pair);
    const double d = static_cast<double>(setting.popularity);
    const GradientSums sums{d * g.dot_item, d * g.squared_norm, d * d * g.squared_norm};
    CHECK(expected_change(setting, sums, Updates::at_most_one) ==
          doctest::Approx(expected_change(setting)).epsilon(1e-12));
    // |i'|^2 over the number of pairs in the batch, which is hypergeometric.
    double expected = 0, probability = 1;  // of none: (E - B choose d) / (E choose d)
    for (int j = 0; j < 20; ++j) probability *= (99'000.0 - j) / (100'000.0 - j);
    for (int hits = 0; hits <= 20; ++hits) {
      const double step = setting.learning_rate * hits;
      expected += probability * pair_change(g, step, setting.learning_rate * setting.lambda);
      probability *= (20.0 - hits) * (1000.0 - hits) / ((hits + 1.0) * (99'000.0 - 20 + hits + 1));
    }
    CHECK_THROWS_AS(
        (void)expected_change(setting, {.squared_norm = std::nan("")}, Updates::every_pair),
        ArgumentError);
    expected += decay_change(setting.pair.item, setting.learning_rate, setting.lambda);
    CHECK(expected_change(setting, sums, Updates::every_pair) ==
          doctest::Approx(expected).epsilon(1e-10));
  }
}

TEST_CASE("arguments outside their domain are typed errors that name them") {
  const auto refuses = [](const char* argument, auto change) {
    TheoremSetting setting = example;
    change(setting);
    try {
      (void)balanced_magnitude(setting);
      FAIL("accepted: ", argument);
    } catch (const ArgumentError& error) {
      CHECK(error.argument() == argument);
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses("popularity", [](auto& s) { s.popularity = -1; });
  refuses("popularity", [](auto& s) { s.popularity = 100'001; });
  refuses("pairs", [](auto& s) { s.batches.pairs = 0; });
  refuses("batch_size", [](auto& s) { s.batches.batch_size = 100'001; });
  refuses("batch_size", [](auto& s) { s.batches.batch_size = 0; });
  refuses("negatives", [](auto& s) { s.batches.negatives = -1; });
  refuses("items", [](auto& s) { s.batches.negatives = 1; });
  refuses("negatives", [](auto& s) { s.batches.negatives = 10, s.batches.items = 9'999; });
  refuses("negatives", [](auto& s) {
    s.batches.negatives = std::int64_t{1} << 62;
    s.batches.items = 10;
    s.batches.distinct_negatives = false;
  });
  refuses("pair.user", [](auto& s) { s.pair.user = 1e200; });
  refuses("learning_rate", [](auto& s) { s.learning_rate = -1; });
  refuses("lambda", [](auto& s) { s.lambda = 11; });
  refuses("lambda", [=](auto& s) { s.lambda = nan; });
  refuses("pair_weight", [=](auto& s) { s.pair_weight = nan; });
  refuses("pair.item", [](auto& s) { s.pair.item = 0; });
  refuses("pair.cosine", [](auto& s) { s.pair.cosine = 1.1; });
  refuses("pair.user", [](auto& s) { s.pair.user = -1; });
  refuses("pair_loss", [](auto& s) { s.pair_loss = PairLoss(9); });
  refuses("decay", [](auto& s) { s.decay = Decay(9); });
}

TEST_CASE("the pair gradient is minus the gradient of the pair loss") {
  constexpr double u[]{0.3, -0.4}, i[]{1.2, 0.5};
  const double uu = 0.25, ui = 0.16, ii = 1.69, h = 1e-6;
  const auto similarity = [&](PairLoss pair_loss, double x, double y) {
    const double product = u[0] * x + u[1] * y;
    if (pair_loss == PairLoss::dot) return product;
    if (pair_loss == PairLoss::cosine) return product / std::sqrt(uu * (x * x + y * y));
    return -((u[0] - x) * (u[0] - x) + (u[1] - y) * (u[1] - y));
  };
  for (const auto pair_loss : {PairLoss::cosine, PairLoss::dot, PairLoss::euclidean}) {
    const auto [user_coefficient, item_coefficient] = gradient_coefficients(pair_loss, uu, ui, ii);
    for (std::size_t k = 0; k < 2; ++k) {
      const double x = k == 0 ? h : 0, y = k == 1 ? h : 0;
      const double numeric =
          (similarity(pair_loss, i[0] + x, i[1] + y) - similarity(pair_loss, i[0] - x, i[1] - y)) /
          (2 * h);
      CHECK(user_coefficient * u[k] + item_coefficient * i[k] == doctest::Approx(numeric));
    }
  }
}

TEST_CASE("for cosine a row of magnitude 0 has no gradient") {
  for (const double tiny : {0.0, 1e-310}) {
    const auto from = gradient_coefficients(PairLoss::cosine, tiny, 0, 1);
    const auto to = gradient_coefficients(PairLoss::cosine, 1, 0, tiny);
    CHECK(from.user_coefficient == 0);
    CHECK(to.item_coefficient == 0);
  }
  const auto [user_coefficient, item_coefficient] =
      gradient_coefficients(PairLoss::cosine, 1e-100, 1e-160, 1e-220);
  CHECK(std::isfinite(user_coefficient));
  CHECK(std::isfinite(item_coefficient));
}
