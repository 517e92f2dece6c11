// SPDX-License-Identifier: BSD-3-Clause
// Values of a State that no optimizer updates, and the member function of a loss that computes them
// before an epoch's first batch.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "small_case.hpp"

using namespace prism;
using test::small_split;

namespace {

/// (c - r)^2 / 2, with a trained c between two that are not: how often an epoch began, and r, a
/// random number of the epoch less a sum of the output rows.
struct Counting {
  static constexpr std::string_view name = "Counting";
  std::size_t every = 1;

  template <class T>
  struct State {
    Matrix<T> begun;
    Matrix<T> constant;
    Matrix<T> computed;
    State(const Counting&, const StateContext& context)
        : begun(zeros<T>(1, 2)), constant(zeros<T>(1, 1)), computed(zeros<T>(1, 1)) {
      constant.fill(T{3});
      static_cast<void>(context);
    }
    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{.rows = rows(begun), .trained = false});
      visit(ParameterView<T>{.rows = rows(constant)});
      visit(ParameterView<T>{.rows = rows(computed), .trained = false});
    }
  };

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    REQUIRE(step.parameter_gradients.size() == 1);
    const T difference = state.constant(0, 0) - state.computed(0, 0);
    *step.parameter_gradients[0][0] += difference;
    return static_cast<double>(difference * difference / 2);
  }

  template <class T, Execution X>
  void begin_epoch(const EpochStart<T, X>& start, State<T>& state) const {
    state.begun(0, 0) += 1;
    state.begun(0, 1) = static_cast<T>(start.epoch);
    if (start.epoch % every != 0) return;
    const Output<T> output = start.output();
    REQUIRE(output.users().size() == start.train.users());
    REQUIRE(output.items().size() == start.train.items());
    state.computed(0, 0) = static_cast<T>(start.random.uniform(0));
    for (std::size_t u = 0; u < output.users().size(); ++u) {
      state.computed(0, 0) -= *output.users()[u];
    }
  }
};
static_assert(LossPolicy<Counting> && LossPolicy<Counting, float, Serial>);

using Sum = Penalized<Penalized<BPR, Counting>, Penalized<Counting, MAWU>>;

template <class Loss, class Backbone = MF<4>>
using ModelOf = Recommender<Backbone, Loss, FullWD, Xavier, Adam>;

FitOptions epochs(std::size_t count) {
  return {.learning_rate = 0.05, .batch_size = 300, .epochs = count};
}

}  // namespace

TEST_CASE("values that are not trained have no gradient, and neither step nor decay") {
  using Model = Recommender<MF<4>, Counting, FullWD, Xavier, SGD, UniformNegatives, double>;
  Model model(small_split().train, {.regularizer = {.lambda = 0.5}});
  Trainer trainer(model);
  auto& state = model.weights().loss;
  state.begun.fill(7);
  state.computed.fill(1);
  const std::vector<Interaction> pairs{{0, 0}};
  CHECK(trainer.step(pairs, {}, 0.1) == 2);  // (3 - 1)^2 / 2
  CHECK(state.begun(0, 0) == 7);
  CHECK(state.computed(0, 0) == 1);
  CHECK(state.constant(0, 0) == doctest::Approx(3 - 0.1 * (2 + 0.5 * 3)));
  state.computed(0, 0) = std::numeric_limits<double>::infinity();
  CHECK_FALSE(trainer.finite());
}

TEST_CASE("a loss begins each epoch once") {
  ModelOf<Counting> model(small_split().train);
  FitOptions options = epochs(3);
  options.best_weights = BestWeights::last;
  TrainingSession session(model, small_split(), options);
  REQUIRE(session.options().batch_size * 3 < small_split().train.size());
  const auto& state = model.weights().loss;
  session.step();
  CHECK(state.begun(0, 0) == 1);
  session.step();
  CHECK(state.begun(0, 0) == 1);
  while (!session.finished()) session.step();
  CHECK(state.begun(0, 0) == 3);
  CHECK(state.begun(0, 1) == 3);
  session.allow_epochs(4);
  session.run();
  CHECK(state.begun(0, 0) == 4);
  CHECK(state.begun(0, 1) == 4);
}

TEST_CASE("each epoch has random numbers of its own, and rows that are up to date") {
  using Model = Recommender<MF<4>, Penalized<BPR, Counting>, None, Xavier, Adam>;
  const auto computed = [](std::size_t count, const FitOptions& options) {
    Model model(small_split().train);
    TrainingSession session(model, small_split(), options);
    for (std::size_t epoch = 1; epoch < count; ++epoch) session.run_epoch();
    float sum = 0;
    const Random random(model.options().seed, Stream::epoch_start,
                        static_cast<std::uint32_t>(count));
    for (std::size_t u = 0; u < model.users().shape(0); ++u) sum -= model.users()(u, 0);
    session.step();
    const Random of_penalty = random.from(std::uint64_t{1} << 56);
    const float found = model.weights().loss.penalty.computed(0, 0);
    CHECK(found == doctest::Approx(static_cast<float>(of_penalty.uniform(0)) + sum).epsilon(1e-4));
    return found;
  };
  CHECK(computed(1, epochs(3)) != computed(2, epochs(3)));
  CHECK(computed(3, epochs(3)) == computed(3, epochs(3)));
}

TEST_CASE("a sum of losses begins the epochs of both, and finds the gradients of each") {
  ModelOf<Sum, LightGCN<4>> model(small_split().train);
  FitOptions options = epochs(2);
  options.best_weights = BestWeights::last;
  fit(model, small_split(), options, Silent());
  const auto& state = model.weights().loss;
  CHECK(state.loss.penalty.begun(0, 0) == 2);
  CHECK(state.penalty.loss.begun(0, 0) == 2);
  CHECK(state.loss.penalty.computed(0, 0) != state.penalty.loss.computed(0, 0));
  CHECK(state.loss.penalty.constant(0, 0) != 3);
  CHECK(state.penalty.loss.constant(0, 0) != 3);
}

TEST_CASE("a run that is resumed within an epoch has begun it") {
  const TemporaryFolder folder;
  const std::string path = (folder / "run").string();
  std::pair<float, float> whole;
  {
    ModelOf<Counting> model(small_split().train);
    TrainingSession session(model, small_split(), epochs(3));
    session.run_epoch();
    session.step();
    session.step();
    session.save(path);
    session.run_epoch();
    session.run_epoch();
    whole = {model.weights().loss.begun(0, 0), model.weights().loss.computed(0, 0)};
  }
  ModelOf<Counting> model(small_split().train);
  TrainingSession session =
      TrainingSession<ModelOf<Counting>>::resume(path, model, small_split(), epochs(3));
  CHECK(model.weights().loss.begun(0, 0) == 2);
  session.step();
  CHECK(model.weights().loss.begun(0, 0) == 2);
  session.run_epoch();
  session.run_epoch();
  CHECK(model.weights().loss.begun(0, 0) == 3);
  CHECK(std::pair(model.weights().loss.begun(0, 0), model.weights().loss.computed(0, 0)) == whole);
}

TEST_CASE("the best epoch's weights and a saved model hold what is not trained") {
  ModelOf<Penalized<DirectAU, Counting>> model(small_split().train);
  FitOptions options = epochs(4);
  options.metric = [](const Report&) { return 1.0; };  // the first epoch is the best
  fit(model, small_split(), options, Silent());
  const auto& state = model.weights().loss.penalty;
  CHECK(state.begun(0, 1) == 1);
  const TemporaryFolder folder;
  save_model(model, folder / "model");
  using Model = ModelOf<Penalized<DirectAU, Counting>>;
  const Model read = load_model<Model>(folder / "model");
  CHECK(read.weights().loss.penalty.begun == state.begun);
  CHECK(read.weights().loss.penalty.computed == state.computed);
}
