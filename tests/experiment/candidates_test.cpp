// SPDX-License-Identifier: BSD-3-Clause
// The candidates of a search space, and the keys that identify their trials.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <prism/prism.hpp>
#include <set>
#include <string>
#include <vector>

#include "fake_trials.hpp"

using namespace prism;
using test::Small;
using test::trial_split;

TEST_CASE("a trial's key says by which rule a learning rate follows that is left out") {
  using BothKinds = Grid<Types<MF<8>>, Types<SSM, BPR>, Types<None>, Types<Xavier>>;
  const auto all =
      candidates<BothKinds>(trial_split(), SearchSpace().grid("batch_size", {128}), {});
  REQUIRE(all.size() == 2);
  const auto has = [&](std::size_t k, const char* rule) {
    return all[k].trial(5).key.find(std::string("; learning_rate ") + rule + ";") !=
           std::string::npos;
  };
  CHECK(has(0, "default, rule 3"));
  CHECK(has(1, "default of dot products, rule 1"));
}

TEST_CASE(
    "a hyperparameter that a model lacks adds no candidates to it, whether others are drawn") {
  const SearchSpace space =
      SearchSpace().grid("lambda", {1e-6, 1e-4, 1e-3}).log_uniform("learning_rate", 1e-3, 1e-1);
  const auto all = candidates<Small>(trial_split(), space, {.epochs = 1}, 10);
  const auto of = [&](const std::string& regularizer) {
    return std::ranges::count_if(all, [&](const Candidate& candidate) {
      return candidate.model.find(regularizer) != std::string::npos;
    });
  };
  CHECK(of("None") == 10);
  CHECK(of("FullWD") == 30);
}

TEST_CASE("equal draws are one candidate") {
  // Only two numbers can be drawn.
  const SearchSpace space = SearchSpace().uniform("learning_rate", 0.1, std::nextafter(0.1, 1.0));
  const auto all =
      candidates<Types<Recommender<MF<8>, SSM>>>(trial_split(), space, {.epochs = 1}, 6);
  CHECK(all.size() <= 2);
}

TEST_CASE("trials of Released are recorded under the options that they are trained with") {
  const auto all = candidates<Types<Released<MF<8>, SSM>>>(
      trial_split(), SearchSpace().grid("negatives", {5, 20}), {.epochs = 1});
  REQUIRE(all.size() == 2);
  CHECK(all[0].trial(1).key.find("negatives 5,") != std::string::npos);
  CHECK(all[1].trial(1).key.find("negatives 20,") != std::string::npos);
  // 10 is the default of SSM, for which Released takes 20.
  const auto default_of_ssm = [] {
    return candidates<Types<Released<MF<8>, SSM>>>(
        trial_split(), SearchSpace().grid("negatives", {10}), {.epochs = 1});
  };
  CHECK_THROWS_WITH_AS(static_cast<void>(default_of_ssm()),
                       doctest::Contains("space: has negatives 10, but Released: MF<8> + SSM"),
                       ArgumentError);
}

TEST_CASE("a trial runs where its execution says, from the first number on") {
  using Model = Recommender<MF<8>, BPR, None, PRISM<1.0>>;
  const auto split = std::make_shared<const Split>(trial_split());
  const FitOptions fit{.learning_rate = 0.01, .epochs = 2};
  const auto trial = trial_of<Model>(serial, split, "", {.seed = 4}, fit, {}).make({});
  trial->train(2, {});
  Model model(serial, split->train, {.seed = 4});
  const History history = prism::fit(serial, model, *split, fit, Silent());
  for (std::size_t e = 0; e < 2; ++e) {
    CHECK(trial->history().epochs[e].loss == history.epochs[e].loss);
  }
}

TEST_CASE("a trial's files are refused under their own names") {
  const auto split = std::make_shared<const Split>(trial_split());
  const auto refused = [&](const FitOptions& fit) {
    try {
      static_cast<void>(trial_of<Recommender<MF<8>, BPR>>(split, "", {}, fit, {}));
    } catch (const ArgumentError& error) {
      return error.argument();
    }
    return std::string();
  };
  CHECK(refused({.best_weights = BestWeights::on_disk}) == "best_weights");
  CHECK(refused({.checkpoint = {.path = "run"}}) == "checkpoint");
}

TEST_CASE("trials of executions that may round otherwise have keys of their own") {
  using Model = Recommender<MF<8>, DirectAU, FullWD, Xavier>;
  const auto split = std::make_shared<const Split>(trial_split());
  const auto key = [&]<class X>(const X& exec) {
    return trial_of<Model>(exec, split, "", {}, {}, {}).key;
  };
  const std::set<std::string> keys{key(par), key(serial), key(host<isa::scalar>)};
  CHECK(keys.size() == 3);
  CHECK(key(serial).find("; on prism::Serial; epochs") != std::string::npos);
  CHECK(key(par) == trial_of<Model>(split, "", {}, {}, {}).key);
}
