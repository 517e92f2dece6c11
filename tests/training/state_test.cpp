// SPDX-License-Identifier: BSD-3-Clause
// Trainable state of policies: a loss with a parameter per user and a single one, and a backbone
// with a weight, are trained along with the tables, decay included.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

/// mean (b_u + c)^2 / 2, which leaves the embeddings alone.
struct BiasLoss {
  static constexpr std::string_view name = "BiasLoss";

  template <class T>
  struct State {
    Matrix<T> bias;      // users x 1
    Matrix<T> constant;  // 1 x 1
    State(const BiasLoss&, const StateContext& context)
        : bias(zeros<T>(context.train.users(), 1)), constant(zeros<T>(1, 1)) {
      bias.fill(T{2});
      constant.fill(T{1});
    }
    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(bias), ParameterRows::users});
      visit(ParameterView<T>{rows(constant)});
    }
  };

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    const Batch& batch = step.batch;
    const T mean = T{1} / static_cast<T>(batch.pairs());
    double value = 0;
    for (const Index k : batch.users) {
      const T sum = *rows(state.bias)[batch.user_side.unique_rows[k]] + state.constant(0, 0);
      value += static_cast<double>(mean * sum * sum / 2);
      *step.parameter_gradients[0][k] += mean * sum;
      *step.parameter_gradients[1][0] += mean * sum;
    }
    return value;
  }
};
static_assert(LossPolicy<BiasLoss>);

/// Output rows are weight * table row, with one trainable weight.
struct Weighted {
  static constexpr std::string_view name = "Weighted";
  std::size_t dimension = 2;
  [[nodiscard]] std::size_t dim() const { return dimension; }

  template <class T>
  struct State {
    Matrix<T> weight;
    State(const Weighted&, const StateContext&) : weight(zeros<T>(1, 1)) { weight.fill(T{3}); }
    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(weight)});
    }
  };

  template <class T, Execution X>
  ForwardResult<T> forward(const BackboneStep<T, X>& step, const State<T>& state) const {
    const auto side = [&](Rows<const T> table, const BatchSide& rows) {
      const Rows<T> to = step.scratch.template allocate<T>(rows.unique_rows.size(), dim());
      for (std::size_t k = 0; k < to.size(); ++k) {
        scale(to[k], state.weight(0, 0), table[rows.unique_rows[k]], dim());
      }
      return to;
    };
    return {{side(step.tables.users, step.batch.user_side),
             side(step.tables.items, step.batch.item_side)}};
  }

  template <class T, Execution X>
  TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>& state, NothingSaved,
                             Embeddings<const T> gradient) const {
    const auto side = [&](Rows<const T> table, Rows<const T> g, const BatchSide& batch_side) {
      const Rows<T> to = step.scratch.template allocate<T>(g.size(), g.dim());
      for (std::size_t k = 0; k < g.size(); ++k) {
        scale(to[k], state.weight(0, 0), g[k], g.dim());
        *step.parameter_gradients[0][0] += dot(table[batch_side.unique_rows[k]], g[k], g.dim());
      }
      return TableGradient<T>::sparse(to, batch_side);
    };
    return {side(step.tables.users, gradient.users, step.batch.user_side),
            side(step.tables.items, gradient.items, step.batch.item_side)};
  }

  template <class T, Execution X>
  Output<T> output(const X&, Embeddings<const T> tables, const Interactions&,
                   const State<T>& state) const {
    const T w = state.weight(0, 0);
    const auto scaled = [w](Rows<const T> table) {
      auto result = zeros<T>(table.size(), table.dim());
      scale(result.data(), w, table.data(), table.num_elements());
      return result;
    };
    return {scaled(tables.users), scaled(tables.items)};
  }
};
static_assert(BackbonePolicy<Weighted>);

/// -mean (u . i): pulls pairs together without bound.
struct DotLoss {
  static constexpr std::string_view name = "DotLoss";
  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const std::size_t dim = step.output.users.dim();
    const T mean = T{1} / static_cast<T>(batch.pairs());
    double value = 0;
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      const T* const u = step.output.users[batch.users[p]];
      const T* const i = step.output.items[batch.items[p]];
      value -= static_cast<double>(mean * dot(u, i, dim));
      add_scaled(step.gradient.users[batch.users[p]], -mean, i, dim);
      add_scaled(step.gradient.items[batch.items[p]], -mean, u, dim);
    }
    return value;
  }
};

}  // namespace

TEST_CASE("a loss's state steps with the tables' optimizer and decay") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {2, 0}};
  using Model = Recommender<MF<2>, BiasLoss, FullWD, Xavier, SGD, UniformNegatives, double>;
  Model model(Interactions(3, 2, pairs), {.regularizer = {.lambda = 0.5}});
  Trainer trainer(model);
  CHECK(trainer.step(pairs, {}, 0.1) == doctest::Approx(4.5));
  trainer.flush();
  auto& state = model.weights().loss;
  CHECK(state.bias(0, 0) == doctest::Approx(2 - 0.1 * (2 * 3.0 / 3 + 0.5 * 2)));
  CHECK(state.bias(1, 0) == doctest::Approx(2 - 0.1 * (0.5 * 2)));  // not in the batch
  CHECK(state.bias(2, 0) == doctest::Approx(2 - 0.1 * (3.0 / 3 + 0.5 * 2)));
  CHECK(state.constant(0, 0) == doctest::Approx(1 - 0.1 * (3 + 0.5 * 1)));
}

TEST_CASE("batched decay of a loss's state follows the batch's rows") {
  const std::vector<Interaction> pairs{{0, 0}};
  using Model = Recommender<MF<2>, BiasLoss, BatchedWD, Xavier, SGD, UniformNegatives, double>;
  Model model(Interactions(2, 1, pairs), {.regularizer = {.lambda = 0.5}});
  Trainer trainer(model);
  trainer.step(pairs, {}, 0.1);
  CHECK(model.weights().loss.bias(0, 0) == doctest::Approx(2 - 0.1 * (3 + 1)));
  CHECK(model.weights().loss.bias(1, 0) == 2);
  CHECK(model.weights().loss.constant(0, 0) == doctest::Approx(1 - 0.1 * 3));  // no id's row
}

TEST_CASE("a backbone's parameters step, and its output ranks") {
  const std::vector<Interaction> pairs{{0, 1}};
  using Model = Recommender<Weighted, DotLoss, None, Xavier, SGD, UniformNegatives, double>;
  Model model(Interactions(1, 2, pairs));
  model.weights().users.fill(0.5);
  model.weights().items.fill(0.25);
  Trainer trainer(model);
  CHECK(trainer.step(pairs, {}, 0.1) == doctest::Approx(-9 * 2 * 0.125));
  // d(-w^2 u.i)/dw = -2 w u.i; d/du = -w^2 i
  CHECK(model.weights().backbone.weight(0, 0) == doctest::Approx(3 + 0.1 * 2 * 3 * 0.25));
  CHECK(model.users()(0, 0) == doctest::Approx(0.5 + 0.1 * 9 * 0.25));
  CHECK(model.items()(0, 0) == 0.25);
  CHECK(model.items()(1, 0) == doctest::Approx(0.25 + 0.1 * 9 * 0.5));
  const double w = model.weights().backbone.weight(0, 0);
  const auto output = model.output();
  CHECK(*output.users()[0] == doctest::Approx(w * model.users()(0, 0)));
  const auto best = recommend(model, 0, 2, {.exclude_seen = false});
  REQUIRE(best.size() == 2);
  CHECK(best[0].item == 1);
}

TEST_CASE("a step refuses a batch without pairs, and negatives that do not match") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}};
  const std::vector<Index> negatives{1, 0, 1};
  Recommender<MF<2>, BPR> model(Interactions(1, 2, pairs));
  Trainer trainer(model);
  const auto argument = [&](std::span<const Interaction> p, std::span<const Index> n) {
    try {
      trainer.step(p, n, 0.1);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(argument({}, {}).starts_with("pairs"));
  CHECK(argument(pairs, {}).starts_with("negatives: must be 1 for each of the 2 pairs, not 0"));
  CHECK(argument(pairs, negatives).starts_with("negatives"));
  CHECK(argument(pairs, std::span(negatives).first(2)) == "none");
}

TEST_CASE("each batch of an epoch draws negatives of its own") {
  const std::vector<Interaction> pairs(50, Interaction{0, 0});
  Recommender<MF<2>, BPR> model(Interactions(1, 1000, std::span(pairs).first(1)));
  Trainer trainer(model);
  const Random random(1, Stream::negatives);
  const auto drawn = [&](std::size_t first) {
    const auto some = trainer.sample(pairs, random, first);
    return std::vector<Index>(some.items.begin(), some.items.end());
  };
  CHECK(drawn(0) == drawn(0));
  CHECK(drawn(0) != drawn(50));
}

TEST_CASE("a snapshot of the weights holds the states too") {
  const std::vector<Interaction> pairs{{0, 0}};
  using Model = Recommender<Weighted, DotLoss, None, Xavier, SGD, UniformNegatives, double>;
  Model model(Interactions(1, 1, pairs));
  const auto snapshot = model.weights();
  Trainer trainer(model);
  trainer.step(pairs, {}, 0.1);
  CHECK(model.weights().backbone.weight != snapshot.backbone.weight);
  model.weights() = snapshot;
  CHECK(model.weights().backbone.weight(0, 0) == 3);
}

TEST_CASE("MAWU's margins stay in [0, 1] after every step") {
  const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 8}));
  Recommender<MF<8>, MAWU> model(split.train);
  Trainer trainer(model);
  std::vector<Interaction> pairs;
  for (std::size_t k = 0; k < split.train.size(); ++k) pairs.push_back(split.train[k]);
  bool moved = false;
  const auto start = model.weights().loss;
  for (int step = 0; step < 20; ++step) {
    trainer.step(pairs, {}, 0.3);
    trainer.flush();
    for (const auto* margins : {&model.weights().loss.users, &model.weights().loss.items}) {
      for (const float margin : *margins) REQUIRE((margin >= 0 && margin <= 1));
    }
    moved = moved || model.weights().loss.users != start.users;
  }
  CHECK(moved);
}

TEST_CASE("starting values of trainable state: fan-in bound, Xavier, no two sides alike") {
  const Interactions train(30, 40, std::vector<Interaction>{{0, 0}});
  const StateContext context{train, 16, 5};
  const auto towers = make_state<double>(MLP<16>{}, context);
  double largest = 0;
  for (const double w : towers.users.weight[0]) largest = std::max(largest, std::abs(w));
  CHECK(largest <= 0.25);  // 1 / sqrt(16)
  CHECK(largest > 0.24);
  CHECK(towers.users.weight[0] != towers.items.weight[0]);
  CHECK(towers.users.weight[0] != towers.users.weight[1]);
  const auto margins = make_state<double>(MAWU{}, context);
  for (const double m : margins.users) CHECK(std::abs(m) <= std::sqrt(6.0 / 31));
  const std::vector<double> user_margins(margins.users.begin(), margins.users.end());
  const std::vector<double> item_margins(margins.items.begin(), margins.items.end());
  CHECK(std::ranges::search(user_margins, std::span(item_margins).first(5)).empty());
  const auto heads = make_state<double>(MACR{}, context);
  CHECK(heads.user_head != heads.item_head);
}
