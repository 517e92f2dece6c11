// SPDX-License-Identifier: BSD-3-Clause
// Grids, policies chosen at run time, and the preset of the published code.
#include <doctest/doctest.h>

#include <prism/execution/serial_grid.hpp>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

using ModelGrid = Grid<Types<MF<64>, LightGCN<32, 2>>, Types<DirectAU, BPR>, Types<None, FullWD>,
                       Types<Xavier, PRISM<0.5>, PRISM<1.0>>>;
static_assert(size(ModelGrid{}) == 2 * 2 * 2 * 3);
static_assert(std::is_same_v<Grid<Types<MF<2>>, Types<BPR>>, Types<Recommender<MF<2>, BPR>>>);

const Split& grid_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 100, .items = 80, .interactions_per_user = 10}));
  return split;
}

template <class Model>
std::vector<float> trained(typename Model::Options options) {
  Model model(grid_split().train, options);
  fit(model, grid_split(), {.learning_rate = 1e-3, .batch_size = 200, .epochs = 3}, Silent());
  return {model.items().begin(), model.items().end()};
}

}  // namespace

TEST_CASE("a grid has every combination once, with its name") {
  std::vector<std::string> names;
  for_each_model<ModelGrid>([&]<class Model>() { names.push_back(model_name<Model>()); });
  REQUIRE(names.size() == 24);
  CHECK(names[0] == "MF<64> + DirectAU + None + Xavier");
  CHECK(names[1] == "MF<64> + DirectAU + None + PRISM<0.5>");
  CHECK(names[23] == "LightGCN<32, 2> + BPR + FullWD + PRISM<1>");
}

TEST_CASE("different models have different names") {
  using Models = Grid<Types<MF<8>>, Types<BPR>, Types<None>, Types<Xavier>,
                      Types<Adam, DenseAdam, SGD>, Types<UniformNegatives, InBatchNegatives>>;
  std::set<std::string> names{model_name<Released<MF<8>, BPR>>()};
  for_each_model<Models>([&]<class Model>() { names.insert(model_name<Model>()); });
  CHECK(names.size() == 7);
  CHECK(names.contains("MF<8> + BPR + None + Xavier"));
  CHECK(names.contains("MF<8> + BPR + None + Xavier + SGD + InBatchNegatives"));
  CHECK(Released<MF<8>, BPR>(grid_split().train).name() == model_name<Released<MF<8>, BPR>>());
}

TEST_CASE("the preset reaches a penalty that is chosen at run time") {
  using Loss = Penalized<BPR, OnePenalty<IPL, ReSN>>;
  const Released<MF<8>, Loss> model(grid_split().train, {.loss = {.loss = {}, .penalty = IPL{}}});
  model.options().loss.penalty.visit([]<class P>(const P& penalty) {
    if constexpr (std::is_same_v<P, IPL>) {
      CHECK(penalty.sums == IPLSums::batch_unsorted);
    } else {
      FAIL("another penalty");
    }
  });
}

TEST_CASE("the preset trains on a device's grids, as on the host up to rounding") {
  const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 40, .interactions_per_user = 6}));
  const auto trained = [&](const auto& exec) {
    Released<MF<8>, SSM> model(split.train);
    fit(exec, model, split, {.learning_rate = 0.01, .batch_size = 64, .epochs = 2}, Silent());
    return evaluate(model, split.test).ndcg;
  };
  CHECK(trained(serial_grid) == doctest::Approx(trained(par)).epsilon(1e-3));
}

TEST_CASE("the preset shuffles once: epochs have the same batches") {
  Released<MF<8>, DirectAU, None, Xavier, SGD> model(grid_split().train);
  const History history =
      fit(model, grid_split(), {.learning_rate = 1e-30, .batch_size = 64, .epochs = 2}, Silent());
  CHECK(history.epochs[0].loss == history.epochs[1].loss);
  Recommender<MF<8>, DirectAU, None, Xavier, SGD> other(grid_split().train);
  const History reshuffled =
      fit(other, grid_split(), {.learning_rate = 1e-30, .batch_size = 64, .epochs = 2}, Silent());
  CHECK(reshuffled.epochs[0].loss != reshuffled.epochs[1].loss);
}

TEST_CASE("a penalty chosen at run time cannot need negatives") {
  using Loss = Penalized<DirectAU, OnePenalty<IPL, BPR>>;
  CHECK_THROWS_AS(
      (Recommender<MF<8>, Loss>(grid_split().train, {.loss = {.loss = {}, .penalty = BPR{}}})),
      ArgumentError);
}

TEST_CASE("policies chosen at run time train as those chosen at compile time") {
  using Fixed = Recommender<MLP<dynamic, 2, Identity>, Penalized<BPR, ReSN>, BatchedWD, PRISM<0.5>,
                            SGD, PopularityNegatives>;
  using Loss = Penalized<BPR, OnePenalty<IPL, ReSN>>;
  using RunTimeMLP = MLP<dynamic, 2, OneActivation<ReLU, Identity>>;
  using Chosen = Recommender<RunTimeMLP, Loss, OneRegularizer<None, BatchedWD, FullWD>,
                             OneInitializer<Xavier, PRISM<dynamic>>, OneOptimizer<Adam, SGD>,
                             OneSampler<UniformNegatives, PopularityNegatives>>;
  const Chosen::Options options{.backbone = RunTimeMLP(8, Identity{}),
                                .loss = {.loss = {}, .penalty = ReSN{.weight = 0.1}},
                                .regularizer = BatchedWD{.lambda = 0.1},
                                .initializer = PRISM<dynamic>{.alpha = 0.5},
                                .optimizer = SGD{},
                                .sampler = PopularityNegatives{}};
  const Fixed::Options same{.backbone = MLP<dynamic, 2, Identity>(8),
                            .loss = {.loss = {}, .penalty = {.weight = 0.1}},
                            .regularizer = {.lambda = 0.1}};
  CHECK(name_of(options) == name_of(same));
  CHECK(trained<Chosen>(options) == trained<Fixed>(same));
  Chosen::Options plain = options;
  plain.loss.penalty = {};
  CHECK(label(plain.loss) == "BPR");
  CHECK(trained<Chosen>(plain) != trained<Fixed>(same));
}

TEST_CASE("an option of a policy chosen at run time is checked too") {
  using Model = Recommender<MF<4>, BPR, OneRegularizer<None, FullWD>>;
  CHECK_THROWS_AS(Model(grid_split().train, {.regularizer = FullWD{.lambda = -1}}), ArgumentError);
}

TEST_CASE("Released has the published code's choices") {
  using Model = Released<MLP<8>, Penalized<MAWU, IPL>>;
  const Model model(grid_split().train);
  CHECK(model.name() == "Released: MLP<8, 2, Identity> + MAWU & IPL + None + Xavier");
  CHECK(model.options().loss.loss.broadcast);
  CHECK(model.options().loss.penalty.sums == IPLSums::batch_unsorted);
  CHECK(std::is_same_v<Model::sampler_type, InBatchNegatives>);
  // The published uniformity is over distinct users and items.
  CHECK(!Released<MF<8>, DirectAU>(grid_split().train).options().loss.duplicates);
  CHECK(Released<MF<8>, SSM>(grid_split().train).options().loss.negatives == 20);
  CHECK(Released<MF<8>, SSM>(grid_split().train, {.loss = {.negatives = 5}})
            .options()
            .loss.negatives == 5);
}

TEST_CASE("batches shuffled once are the same in every epoch") {
  // With a learning rate that changes nothing, an epoch's mean loss still depends on its batches.
  const auto losses = [](const auto& options) {
    Recommender<MF<4>, DirectAU, None, Xavier, SGD> model(grid_split().train);
    const History history = fit(model, grid_split(), options, Silent());
    return std::pair(history.epochs[0].loss, history.epochs[1].loss);
  };
  FitOptions options{.learning_rate = 1e-30, .batch_size = 50, .epochs = 2};
  const auto [first, second] = losses(options);
  CHECK(first != second);
  options.shuffle = Shuffle::once;
  const auto [once, again] = losses(options);
  CHECK(once == again);
}
