// SPDX-License-Identifier: BSD-3-Clause
// Search spaces, and hyperparameters by name.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <prism/experiment/hyperparameters.hpp>
#include <prism/prism.hpp>
#include <set>
#include <string>
#include <utility>

#include "support/error_of.hpp"

using namespace prism;

TEST_CASE("a search space has every combination of its grids, and draws within its ranges") {
  const SearchSpace grids = SearchSpace().grid("a", {1, 2}).grid("b", {5, 6, 7});
  const auto all = grids.configurations();
  REQUIRE(all.size() == 6);
  CHECK(label(all[0]) == "a 1, b 5");
  CHECK(label(all[5]) == "a 2, b 7");
  CHECK(SearchSpace().configurations().size() == 1);

  const SearchSpace mixed =
      SearchSpace().grid("a", {1, 2}).log_uniform("l", 1e-8, 1e-2).uniform("u", -1, 1);
  const auto drawn = mixed.configurations(100, 7);
  REQUIRE(drawn.size() == 200);
  std::size_t below = 0;
  std::set<double> values;
  for (const Configuration& configuration : drawn) {
    REQUIRE(configuration.size() == 3);
    CHECK(configuration[1].name == "l");
    CHECK(configuration[1].value >= 1e-8);
    CHECK(configuration[1].value < 1e-2);
    CHECK(std::abs(configuration[2].value) <= 1);
    below += configuration[1].value < 1e-5;
    values.insert(configuration[1].value);
  }
  CHECK(values.size() == 200);
  CHECK(below > 70);  // the logarithm's middle
  CHECK(below < 130);
  CHECK(mixed.configurations(100, 7) == drawn);
  const auto more = mixed.configurations(101, 7);
  CHECK(std::equal(drawn.begin(), drawn.begin() + 100, more.begin()));
  CHECK(std::equal(drawn.begin() + 100, drawn.end(), more.begin() + 101));
  CHECK(mixed.configurations(100, 8) != drawn);

  CHECK_THROWS_AS(SearchSpace().grid("a", {}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("a", {NAN}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("a", {1, 2, 1}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("a", {1}).grid("a", {2}), ArgumentError);
  CHECK_THROWS_AS(SearchSpace().grid("fit.a", {1}).grid("a", {2}), ArgumentError);
  CHECK_NOTHROW(SearchSpace().grid("loss.a", {1}).grid("penalty.a", {2}).grid("ba", {1}));
  const auto refused = [](double low, double high) {
    return std::pair{test::refusal([&] { SearchSpace().log_uniform("a", low, high); }),
                     test::refusal([&] { SearchSpace().uniform("a", low, high); })};
  };
  CHECK(refused(-1, -2) ==
        std::pair<std::string, std::string>{"low: of a must be above 0 and below high, not -1",
                                            "low: of a must be finite and below high, not -1"});
  CHECK(refused(1, INFINITY) ==
        std::pair<std::string, std::string>{"high: of a must be finite, not inf",
                                            "high: of a must be finite, not inf"});
  CHECK(test::refusal([] { SearchSpace().log_uniform("a", 1e-200, 1e200); }) ==
        "high: of a must be small enough that high / low is finite, not 1e+200");
  CHECK(test::refusal([] { SearchSpace().uniform("a", -1e308, 1e308); }) ==
        "high: of a must be small enough that high - low is finite, not 1e+308");
  CHECK_THROWS_AS((void)mixed.configurations(0), ArgumentError);
}

TEST_CASE("hyperparameters are set by name, with their kind where two policies share one") {
  using Model =
      Recommender<MF<8>, Penalized<SSM, IPL>, FullWD, PRISM<dynamic>, Adam, PopularityNegatives>;
  Model::Options options;
  FitOptions fit;
  const auto set = [&](const std::string& name, double value) {
    return set_hyperparameter(options, fit, {name, value});
  };
  CHECK(set("learning_rate", 0.25));
  CHECK(set("batch_size", 77));
  CHECK(set("tau", 0.5));
  CHECK(set("loss.negatives", 4));
  CHECK(set("penalty.gamma", 1.5));
  CHECK(set("lambda", 1e-4));
  CHECK(set("initializer.alpha", 0.5));
  CHECK(set("power", 0.25));
  CHECK(!set("gamma1", 2));
  CHECK(fit.batch_size == 77);
  CHECK(options.loss.loss.tau == 0.5);
  CHECK(options.loss.loss.negatives == 4);
  CHECK(options.loss.penalty.gamma == 1.5);
  CHECK(options.regularizer.lambda == 1e-4);
  CHECK(options.initializer.alpha == 0.5);
  CHECK(options.sampler.power == 0.25);
  CHECK_THROWS_WITH_AS(set("negatives", 2.5),
                       "negatives: must be an integer from 0 to below 18446744073709551616, "
                       "not 2.5",
                       ArgumentError);
  fit.epochs.reset();
  CHECK_THROWS_AS(set("epochs", 2.5), ArgumentError);
  CHECK(!fit.epochs);

  using Two = Recommender<MF<8>, MACR, None, PRISM<dynamic>>;
  Two::Options two;
  CHECK_THROWS_WITH_AS(
      set_hyperparameter(two, fit, {"alpha", 0.5}),
      "alpha: is an option of several policies: write loss.alpha or initializer.alpha",
      ArgumentError);
  CHECK(set_hyperparameter(two, fit, {"loss.alpha", 0.5}));
  CHECK(two.loss.alpha == 0.5);
  CHECK(two.initializer.alpha == 1);
  const auto names = hyperparameters(two);
  CHECK(std::ranges::count(names, "loss.beta") == 1);
  CHECK(std::ranges::count(names, "fit.learning_rate") == 1);
}
