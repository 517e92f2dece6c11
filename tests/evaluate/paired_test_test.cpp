// SPDX-License-Identifier: BSD-3-Clause
// Tests of the difference of two models. The expected numbers are those of scipy 1.17 and NumPy:
//   r = stats.ttest_rel(first, second); r.pvalue, r.confidence_interval(0.95)
//   2 * stats.t.sf(t, freedom), stats.t.ppf((1 + confidence) / 2, freedom)
// and for the bootstrap, with the draws of core/random.hpp written again in Python:
//   means = [d[[draw(seed, 16, r, j, n) for j in range(n)]].mean() for r in range(2000)]
//   np.std(means, ddof=1), np.percentile(means, [2.5, 97.5]),
//   (1 + sum(abs(means - d.mean()) >= abs(d.mean()) - 1e-12)) / 2001
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <prism/evaluate/student_t.hpp>
#include <prism/execution/serial.hpp>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

const std::vector<double> first_model{0.5, 0.25, 0.0, 1.0, 0.75, 0.3, 0.6, 0.0, 0.9, 0.4, 0.1, 0.8};
const std::vector<double> second_model{0.4, 0.25, 0.1, 0.7, 0.75, 0.1,
                                       0.5, 0.0,  0.6, 0.5, 0.0,  0.6};

}  // namespace

TEST_CASE("probabilities and quantiles of Student's t distribution are scipy's") {
  struct Row {
    double t, freedom, probability;
  };
  for (const auto& [t, freedom, probability] : std::array<Row, 12>{{
           {0.1, 1, 0.936548965138893},
           {1.0, 1, 0.5},
           {63.7, 1, 0.009993210089649736},
           {0.5, 3, 0.651447964848151},
           {2.0, 11, 0.07080395506803458},
           {8.0, 11, 6.532217155384708e-06},
           {40.0, 11, 2.89254089812057e-13},
           {1.96, 942, 0.05029027135231639},
           {3.5, 29857, 0.0004659362137617528},
           {0.01, 29857, 0.9920213541826327},
           {12.0, 200000, 3.647523700755812e-33},
           {1.0, 5000000, 0.31731055625705656},
       }}) {
    CAPTURE(t);
    CAPTURE(freedom);
    for (const double sign : {1.0, -1.0}) {
      const double actual = detail::two_sided_t_probability(sign * t, freedom);
      CHECK(std::abs(actual / probability - 1) < 1e-12);
    }
  }
  struct Quantile {
    double confidence, freedom, t;
  };
  for (const auto& [confidence, freedom, t] : std::array<Quantile, 7>{{
           {0.5, 1, 1.0},
           {0.95, 1, 12.706204736174694},
           {0.95, 2, 4.302652729749462},
           {0.99, 11, 3.1058065155392804},
           {0.95, 942, 1.962485503006619},
           {0.999, 29857, 3.2908526385152617},
           {0.95, 5000000, 1.9599644589944127},
       }}) {
    CAPTURE(confidence);
    CAPTURE(freedom);
    CHECK(std::abs(detail::two_sided_t_quantile(1 - confidence, freedom) / t - 1) < 1e-12);
  }
  CHECK(detail::two_sided_t_probability(0, 5) == 1);
  CHECK(detail::two_sided_t_probability(1e300, 5) < 1e-300);
}

TEST_CASE("the paired t test is scipy's") {
  const PairedTest test = paired_t_test(first_model, second_model);
  CHECK(test.pairs == 12);
  CHECK(std::abs(test.difference - 0.09166666666666662) < 1e-12);
  CHECK(std::abs(test.standard_error - 0.039806983804301976) < 1e-12);
  CHECK(std::abs(test.low - 0.004052086045389813) < 1e-12);
  CHECK(std::abs(test.high - 0.17928124728794353) < 1e-12);
  CHECK(std::abs(test.p_value - 0.041826951122944336) < 1e-12);
  const PairedTest at_99 = paired_t_test(first_model, second_model, 0.99);
  CHECK(std::abs(at_99.low - -0.03196612299670101) < 1e-12);
  CHECK(std::abs(at_99.high - 0.21529945633003436) < 1e-12);
  CHECK(at_99.p_value == test.p_value);
  const PairedTest reverse = paired_t_test(second_model, first_model);
  CHECK(reverse.difference == -test.difference);
  CHECK(reverse.low == -test.high);
  CHECK(reverse.p_value == test.p_value);
}

TEST_CASE("the paired bootstrap has the numbers of the same draws in NumPy, on any threads") {
  const BootstrapOptions options{.resamples = 2000};
  const PairedTest test = paired_bootstrap(first_model, second_model, options);
  CHECK(test.pairs == 12);
  CHECK(std::abs(test.difference - 0.09166666666666662) < 1e-12);
  CHECK(std::abs(test.standard_error - 0.03790540570180574) < 1e-12);
  CHECK(std::abs(test.low - 0.016666666666666673) < 1e-12);
  CHECK(std::abs(test.high - 0.16666666666666666) < 1e-12);
  CHECK(std::abs(test.p_value - 0.022488755622188907) < 1e-12);
  const PairedTest alone = paired_bootstrap(serial, first_model, second_model, options);
  CHECK(alone.low == test.low);
  CHECK(alone.high == test.high);
  CHECK(alone.standard_error == test.standard_error);
  CHECK(alone.p_value == test.p_value);
  CHECK(paired_bootstrap(first_model, second_model, {.resamples = 2000, .seed = 124}).p_value !=
        test.p_value);
}

TEST_CASE("models without a difference, or with a constant one") {
  const PairedTest same = paired_t_test(first_model, first_model);
  CHECK(same.difference == 0);
  CHECK(same.low == 0);
  CHECK(same.high == 0);
  CHECK(same.p_value == 1);
  CHECK(paired_bootstrap(first_model, first_model, {.resamples = 100}).p_value == 1);
  const std::vector<double> ones{1, 1, 1}, zeros_of_three{0, 0, 0};
  const PairedTest constant = paired_t_test(ones, zeros_of_three);
  CHECK(constant.difference == 1);
  CHECK(constant.low == 1);
  CHECK(constant.p_value == 0);
  CHECK(paired_bootstrap(ones, zeros_of_three, {.resamples = 99}).p_value == doctest::Approx(0.01));
}

TEST_CASE("of equal models, the tests find a difference as often as their level says") {
  constexpr int experiments = 2000;
  constexpr std::size_t users = 40;
  int by_t = 0, by_bootstrap = 0, covered = 0;
  for (std::uint64_t seed = 0; seed < experiments; ++seed) {
    const Random random(seed, Stream::simulation);
    std::vector<double> first(users), second(users);
    for (std::size_t j = 0; j < users; ++j) {
      const double common = random.uniform(3 * j);
      first[j] = common + random.uniform(3 * j + 1);
      second[j] = common + random.uniform(3 * j + 2);
    }
    const PairedTest test = paired_t_test(first, second);
    by_t += test.p_value < 0.05 ? 1 : 0;
    covered += test.low <= 0 && 0 <= test.high ? 1 : 0;
    CHECK((test.p_value < 0.05) == (test.low > 0 || test.high < 0));
    if (seed < 500) {
      by_bootstrap +=
          paired_bootstrap(serial, first, second, {.resamples = 200}).p_value < 0.05 ? 1 : 0;
    }
  }
  // Four standard deviations; the bootstrap's p-values are a little small for 40 users.
  CHECK(std::abs(by_t / 2000.0 - 0.05) < 0.02);
  CHECK(std::abs(covered / 2000.0 - 0.95) < 0.02);
  CHECK(std::abs(by_bootstrap / 500.0 - 0.055) < 0.04);
}

TEST_CASE("paired tests refuse values that are no pairs") {
  const std::vector<double> one{1}, none, two{1, 2}, not_finite{1, NAN};
  CHECK(refusal([&] { return paired_t_test(two, one); }) ==
        "second: must have one number for each of the 2 numbers of `first`, of the same user, "
        "not 1");
  CHECK(refusal([&] { return paired_t_test(one, one); }) ==
        "first: must have at least 2 numbers, not 1");
  CHECK(refusal([&] { return paired_t_test(two, not_finite); }) ==
        "second: must be finite numbers");
  CHECK(refusal([&] { return paired_bootstrap(not_finite, two); }) ==
        "first: must be finite numbers");
  CHECK(refusal([&] { return paired_t_test(two, two, 95); }) ==
        "confidence: must be a number between 0 and 1, such as 0.95, not 95");
  CHECK(refusal([&] { return paired_bootstrap(two, two, {.resamples = 0}); }) ==
        "resamples: must be from 1 to 2^32 - 1, not 0");
}

TEST_CASE("a trained model is better than the least popular items, and a copy of it is not") {
  const Split split = random_split(synthetic_interactions({.users = 300, .items = 120}));
  using Model = Recommender<MF<8>, SSM, None, PRISM<1.0>>;
  Model trained(split.train);
  fit(trained, split, {.epochs = 5}, Silent());
  const auto ndcg = [&](const auto& scorer) {
    return ranked_lists(scorer, split.test, {.exclude = {&split.train, &split.validation}})
        .metrics(20)
        .ndcg;
  };
  Matrix<float> users = zeros<float>(300, 1), items = zeros<float>(120, 1);
  users.fill(1);
  for (Index i = 0; i < 120; ++i) items(i, 0) = -static_cast<float>(split.test.item_degree()[i]);
  const Scorer<float> least_popular{Output<float>(std::move(users), std::move(items))};
  const PairedTest test = paired_t_test(ndcg(trained.scorer()), ndcg(least_popular));
  CHECK(test.low > 0);
  CHECK(test.p_value < 1e-6);
  const Model copy = trained;
  CHECK(paired_t_test(ndcg(trained.scorer()), ndcg(copy.scorer())).p_value == 1);
}
