// SPDX-License-Identifier: BSD-3-Clause
// What a model and fit refuse, naming the argument, and the defaults that fit uses for omitted
// options.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "small_case.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::numbers;
using test::Small;
using test::small_split;

TEST_CASE("without a validation set fit needs to be told when training ends") {
  Split split = small_split();
  split.validation = {};
  Small model(split.train);
  const auto start = numbers(model.items());
  CHECK_THROWS_WITH_AS(fit(model, split, {.batch_size = 300}, Silent()),
                       "epochs: must be set if split.validation is empty, because nothing "
                       "else would end training; or set stop",
                       ArgumentError);
  CHECK_THROWS_AS(TrainingSession(model, split, {}), ArgumentError);
  CHECK(numbers(model.items()) == start);
  const History history = fit(
      model, split,
      {.batch_size = 300, .stop = [](const History& so_far) { return so_far.epochs.size() == 3; }},
      Silent());
  CHECK(history.epochs.size() == 3);
  CHECK(history.stop_reason == StopReason::rule);
}

TEST_CASE("epochs that are left out are 1000, for observers and schedules too") {
  struct Look {
    std::size_t epochs = 0;
    void begin(const FitInfo& info) { epochs = info.epochs; }
  } look;
  Small model(small_split().train);
  std::uint64_t steps = 0;
  const FitOptions options{.batch_size = 300, .schedule = [&](const StepPosition& at) {
                             steps = at.steps;
                             return 1.0;
                           }};
  CHECK_FALSE(options.epochs);
  TrainingSession session(model, small_split(), options);
  session.step(look);
  CHECK(look.epochs == 1000);
  CHECK(session.options().epochs == 1000);
  CHECK(steps == 1000 * session.history().steps_per_epoch);
}

TEST_CASE("a policy's option outside its domain is an error when the model is made") {
  const auto argument_of = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const ArgumentError& error) {
      return error.argument();
    }
    return "nothing";
  };
  const Interactions& train = small_split().train;
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  const auto loss = [&]<class L>(L value) {
    return argument_of([&] { Recommender<MF<4>, L>(train, {.loss = value}); });
  };
  CHECK(loss(BPR{.negatives = 0}) == "negatives");
  CHECK(loss(SSM{.tau = 0}) == "tau");
  CHECK(loss(SLK{.negatives = 0}) == "negatives");
  CHECK(loss(SLK{.k = 0}) == "k");
  CHECK(loss(SLK{.tau_d = no_number}) == "tau_d");
  CHECK(loss(SLK{.tau_w = 0}) == "tau_w");
  CHECK(loss(SLK{.quantile_negatives = 0}) == "quantile_negatives");
  CHECK(loss(SLK{.refresh_epochs = 0}) == "refresh_epochs");
  CHECK(loss(SLK{}) == "nothing");
  CHECK(loss(DirectAU{.gamma = -1}) == "gamma");
  CHECK(loss(MAWU{.gamma2 = no_number}) == "gamma2");
  CHECK(loss(MACR{.alpha = -1}) == "alpha");
  // The loss and its penalty may both have an option of the same name.
  using Both = Penalized<DirectAU, IPL>;
  CHECK(loss(Both{.loss = {.gamma = -1}, .penalty = {}}) == "gamma");
  CHECK(loss(Both{.loss = {}, .penalty = {.gamma = NAN}}) == "penalty.gamma");
  CHECK_THROWS_WITH_AS((check_options(Both{.loss = {}, .penalty = {.weight = -1}})),
                       doctest::Contains("penalty.weight: must be"), ArgumentError);
  CHECK(loss(BPR{}) == "nothing");
  CHECK(argument_of([&] {
          Recommender<MF<4>, BPR, FullWD>(train, {.regularizer = {.lambda = no_number}});
        }) == "lambda");
  CHECK(argument_of([&] { Recommender<MF<4>, BPR>(train, {.optimizer = {.beta1 = 1}}); }) ==
        "beta1");
  CHECK(argument_of([&] { Recommender<MF<4>, BPR>(train, {.optimizer = {.epsilon = 1e-40}}); }) ==
        "epsilon");
}

TEST_CASE("fit names the option that is outside its domain") {
  Small model(small_split().train);
  const auto message = [&](const FitOptions& options) -> std::string {
    try {
      fit(model, small_split(), options, Silent());
    } catch (const ArgumentError& error) {
      return error.argument();
    }
    return "nothing";
  };
  CHECK(message({.learning_rate = 0}) == "learning_rate");
  CHECK(message({.learning_rate = std::numeric_limits<double>::quiet_NaN()}) == "learning_rate");
  CHECK(message({.batch_size = 0}) == "batch_size");
  CHECK(message({.epochs = 0}) == "epochs");
  CHECK(message({.patience = 0}) == "patience");
  CHECK(message({.k = 0}) == "k");
  CHECK(message({.shuffle = Shuffle(9)}) == "shuffle");
  CHECK(message({.best_weights = BestWeights(7)}) == "best_weights");
  double (*const no_schedule)(const StepPosition&) = nullptr;
  CHECK(message({.schedule = no_schedule}) == "schedule");
  CHECK(message({.schedule = std::function<double(const StepPosition&)>()}) == "schedule");
  CHECK(message({.metric = std::function<double(const Report&)>()}) == "metric");
  const Split other =
      random_split(synthetic_interactions({.users = 20, .items = 20, .interactions_per_user = 5}));
  CHECK_THROWS_AS(fit(model, other, {}, Silent()), ArgumentError);
}

TEST_CASE("a checkpoint that cannot be written is refused before training begins") {
  Small model(small_split().train);
  const auto start = numbers(model.items());
  CHECK_THROWS_WITH_AS(
      fit(model, small_split(), {.checkpoint = {.path = "/no/such/folder/run.ckpt"}}, Silent()),
      doctest::Contains("/no/such/folder/run.ckpt: cannot be written"), DataError);
  CHECK(numbers(model.items()) == start);
}

TEST_CASE("negatives of no pairs are refused") {
  Recommender<MF<4>, BPR> model(small_split().train);
  Trainer trainer(model);
  CHECK_THROWS_WITH_AS((void)trainer.sample({}, Random(1, Stream::negatives, 1), 0),
                       doctest::Contains("pairs: must be at least 1"), ArgumentError);
}

TEST_CASE("more negatives than a batch can number are refused, not too few trained with") {
  using Model = Recommender<MF<4>, SSM>;
  for (const std::size_t negatives : {std::size_t{1} << 52, std::size_t{1} << 30}) {
    Model model(small_split().train, {.loss = {.negatives = negatives}});
    CHECK_THROWS_WITH_AS(fit(model, small_split(), {.epochs = 1}, Silent()),
                         doctest::Contains("negatives: must be at most "), ArgumentError);
  }
}

namespace {

/// A user's sampler that does not keep its contract: an item that there is not, or too few
/// probabilities.
struct WrongSampler {
  static constexpr std::string_view name = "WrongSampler";
  bool no_item = false;
  template <Execution X>
  void operator()(const X&, const SampleRequest& request, std::span<Index> negatives) const {
    std::ranges::fill(negatives, 0U);
    if (no_item) negatives.back() = static_cast<Index>(request.train.items());
  }
  void log_probability(const sampler_state_t<WrongSampler>&, const Batch&,
                       std::vector<double>& values) const {
    values = {0};
  }
};

/// A loss with a parameter of three rows that it says are the users'.
struct WrongRows {
  static constexpr std::string_view name = "WrongRows";
  template <class T>
  struct State {
    State(const WrongRows&, const StateContext&) : values(zeros<T>(3, 1)) {}
    Matrix<T> values;
    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(values), ParameterRows::users});
    }
  };
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&, const State<T>&) const {
    return 0;
  }
};

}  // namespace

TEST_CASE("a user-defined policy that does not keep its contract is refused by name") {
  const auto message = [&]<class Model>(Model model) {
    return test::error_of<ArgumentError>(
        [&] { fit(model, small_split(), {.learning_rate = 0.01, .epochs = 1}, Silent()); });
  };
  const Interactions& train = small_split().train;
  using Wrong = Recommender<MF<4>, SSM, None, Xavier, Adam, WrongSampler>;
  CHECK(message(Wrong(train, {.sampler = {.no_item = true}})) ==
        "sampler: must return items below 120, not 120");
  CHECK(message(Wrong(train, {.loss = {.log_q = true}})).starts_with("sampler: must set "));
  CHECK(message(Wrong(train)) == "nothing is refused");
  CHECK(message(Recommender<MF<4>, WrongRows>(train)) ==
        "State: must have 150 rows in a parameter with ParameterRows::users, not 3");
}

TEST_CASE("weights of a model of other sizes are refused before anything is copied") {
  using Model = Recommender<MF<4>, BPR>;
  const Interactions small(2, 3, std::vector<Interaction>{{0, 0}, {1, 2}});
  const Interactions more_items(2, 4, std::vector<Interaction>{{0, 0}, {1, 3}});
  Model model(small, {.seed = 1});
  const Model before(small, {.seed = 1});
  CHECK_THROWS_AS(model.copy_weights_from(Model(more_items, {.seed = 2})), ArgumentError);
  CHECK(model.users() == before.users());
  model.copy_weights_from(model);
  CHECK(model.items() == before.items());
  model.copy_weights_from(Model(small, {.seed = 2}));
  CHECK(model.users() != before.users());
}

TEST_CASE("a model needs interactions, and a dimension") {
  CHECK_THROWS_AS(Small(Interactions(3, 3, {})), ArgumentError);
  using Dynamic = Recommender<MF<dynamic>, BPR>;
  CHECK_THROWS_AS(Dynamic(small_split().train, {.backbone = MF<dynamic>(0)}), ArgumentError);
}

TEST_CASE("fit refuses another training set, of the same degrees too") {
  const std::vector<Interaction> one{{0, 0}, {1, 1}}, other{{0, 1}, {1, 0}};
  Recommender<MF<2>, DirectAU> model(Interactions(2, 2, one));
  const Split split{Interactions(2, 2, other), Interactions(2, 2, {}), Interactions(2, 2, {})};
  CHECK_THROWS_WITH_AS(fit(model, split, {.epochs = 1}, Silent()), doctest::Contains("split"),
                       ArgumentError);
}

TEST_CASE("fit refuses a validation set that it cannot rank, before it trains") {
  Split split = small_split();
  Small model(split.train);
  const auto start = numbers(model.items());
  SUBCASE("with an interaction of the training set") {
    const std::vector<Interaction> pairs{split.validation[0], split.train[0]};
    split.validation = Interactions(150, 120, pairs);
    CHECK_THROWS_WITH_AS(fit(model, split, {}, Silent()),
                         "split.validation: must have no interactions in common with split.train, "
                         "which are left out of the ranking",
                         ArgumentError);
  }
  SUBCASE("of other users or items") {
    const std::vector<Interaction> pairs{{0, 120}};
    split.validation = Interactions(150, 121, pairs);
    CHECK_THROWS_WITH_AS(fit(model, split, {}, Silent()),
                         "split.validation: must have 150 users and 120 items, as the model "
                         "has",
                         ArgumentError);
  }
  CHECK(numbers(model.items()) == start);
}

TEST_CASE("an embedding too wide for any memory is refused by name") {
  const std::vector<Interaction> pairs{{0, 0}};
  CHECK_THROWS_WITH_AS(
      (Recommender<MF<dynamic>, BPR>(Interactions(1, 1, pairs),
                                     {.backbone = MF<dynamic>(std::size_t{1} << 60)})),
      doctest::Contains("dim"), ArgumentError);
}
