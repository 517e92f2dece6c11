// SPDX-License-Identifier: BSD-3-Clause
// Training with a user-defined loss: saved models, checkpoints, executions.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <prism/execution/serial_grid.hpp>
#include <prism/prism.hpp>

#include "data/temporary_file.hpp"
#include "policy/formulas.hpp"
#include "training/small_case.hpp"

using namespace prism;

namespace {

Split split_to_train() {
  return random_split(synthetic_interactions({.users = 60, .items = 100}), {.validation = 0.2});
}

using WithHinge = Recommender<MF<8>, test::SquaredHinge>;

}  // namespace

TEST_CASE("a model with a user-defined loss is saved, loaded and resumed with its options") {
  const TemporaryFolder folder;
  const Split split = split_to_train();
  const FitOptions options{.learning_rate = 0.01, .batch_size = 64, .epochs = 3};
  WithHinge model(split.train, {.loss = {.least_gap = 0.25}});
  TrainingSession session(model, split, options);
  session.step();
  session.save(folder / "run.checkpoint");
  session.run();

  WithHinge resumed(split.train, {.loss = {.least_gap = 0.25}});
  static_cast<void>(
      TrainingSession<WithHinge>::resume(folder / "run.checkpoint", resumed, split, options).run());
  CHECK(test::numbers(resumed.items()) == test::numbers(model.items()));
  WithHinge other(split.train, {.loss = {.least_gap = 0.5}});
  CHECK_THROWS_AS(static_cast<void>(TrainingSession<WithHinge>::resume(folder / "run.checkpoint",
                                                                       other, split, options)),
                  Error);

  save_model(model, folder / "model");
  const auto loaded = load_model<WithHinge>(folder / "model");
  CHECK(loaded.options().loss.least_gap == 0.25);
}

TEST_CASE("training with a formula is the same for a warp of threads, up to the order of sums") {
  const Split split = split_to_train();
  const auto trained = [&](const auto& exec) {
    Recommender<MF<8>, test::Top1, None, Xavier, SGD, UniformNegatives, double> model(split.train);
    fit(exec, model, split, {.learning_rate = 0.1, .batch_size = 64, .epochs = 2}, Silent());
    return std::vector<double>(model.items().begin(), model.items().end());
  };
  const std::vector<double> host = trained(serial), device = trained(SerialGrid());
  for (std::size_t k = 0; k < host.size(); ++k) {
    CHECK(device[k] == doctest::Approx(host[k]).epsilon(1e-9));
  }
}
