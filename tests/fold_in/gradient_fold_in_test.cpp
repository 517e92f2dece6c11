// SPDX-License-Identifier: BSD-3-Clause
// New rows by gradient steps on the model's loss: equal to training with all other rows held fixed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;

namespace {

using Pairs = std::vector<Interaction>;

const Interactions& train() {
  static const Interactions made =
      synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 9});
  return made;
}

/// Twelve new users, or twelve new items.
const Interactions& history(ParameterRows side) {
  static const Interactions of_users =
      synthetic_interactions({.users = 12, .items = 50, .interactions_per_user = 7, .seed = 8});
  static const Interactions of_items = [] {
    const Interactions made =
        synthetic_interactions({.users = 12, .items = 60, .interactions_per_user = 7, .seed = 9});
    Pairs pairs;
    for (std::size_t k = 0; k < made.size(); ++k) pairs.push_back({made[k].item, made[k].user});
    return Interactions(60, 12, pairs);
  }();
  return side == ParameterRows::users ? of_users : of_items;
}

/// An optimizer that steps every row in every step, but restores all except the new rows of one
/// side: training with the others held fixed, by the library's own Trainer.
template <class Base>
struct HoldTrainedRows {
  static constexpr std::string_view name = "HoldTrainedRows";
  ParameterRows side = ParameterRows::users;
  std::size_t first = 0;
  Base base{};

  template <class T>
  using State = typename Base::template State<T>;

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const std::size_t held = (table.reached == side ? first : table.rows.size()) * table.rows.dim();
    const std::vector<T> before(table.rows.data(), table.rows.data() + held);
    base(exec, table, gradient, state, info, regularizer);
    if constexpr (LazyOptimizer<Base, T>) base.flush(exec, table, state, regularizer);
    std::ranges::copy(before, table.rows.data());
  }
};

constexpr std::size_t epochs = 4, batch_size = 30, training_pairs = 11;
constexpr double rate = 0.02;
constexpr std::uint64_t seed = 77;

template <class Loss, class Optimizer = DenseAdam, class Sampler = UniformNegatives>
using ModelOf = Recommender<MF<6>, Loss, FullWD, PRISM<1.0>, Optimizer, Sampler, double>;

template <class Model>
Matrix<double> fold_in(const Model& model, ParameterRows side, GradientFoldInOptions options) {
  return side == ParameterRows::users ? fold_in_users_by_gradient(model, history(side), options)
                                      : fold_in_items_by_gradient(model, history(side), options);
}

GradientFoldInOptions options_of_test() {
  return {.epochs = epochs,
          .batch_size = batch_size,
          .training_pairs = training_pairs,
          .learning_rate = rate,
          .seed = seed};
}

/// The new rows of a model that contains them from the start.
template <class Loss, class Sampler, class Optimizer>
Matrix<double> trained_with_others_held(const ModelOf<Loss, Optimizer, Sampler>& model,
                                        ParameterRows side, const Matrix<double>& start) {
  const bool of_users = side == ParameterRows::users;
  const Index first = of_users ? 60 : 50;
  Pairs pairs;
  for (std::size_t k = 0; k < train().size(); ++k) pairs.push_back(train()[k]);
  for (std::size_t k = 0; k < history(side).size(); ++k) {
    const auto [user, item] = history(side)[k];
    pairs.push_back({user + (of_users ? first : 0), item + (of_users ? 0 : first)});
  }
  const Interactions all(of_users ? 72 : 60, of_users ? 50 : 62, pairs);
  using Base = std::conditional_t<std::is_same_v<Optimizer, SGD>, SGD, DenseAdam>;
  ModelOf<Loss, HoldTrainedRows<Base>, Sampler> whole(
      all, {.loss = model.options().loss,
            .regularizer = model.options().regularizer,
            .optimizer = {.side = side, .first = first}});
  const auto overwrite = [](Matrix<double>& table, const Matrix<double>& with, std::size_t from) {
    std::copy(with.begin(), with.end(), rows(table)[from]);
  };
  overwrite(whole.weights().users, model.users(), 0);
  overwrite(whole.weights().items, model.items(), 0);
  overwrite(of_users ? whole.weights().users : whole.weights().items, start, first);
  auto of_loss = model.weights().loss;
  std::vector<ParameterView<double>> from;
  of_loss.for_each_parameter([&](const auto& parameter) { from.push_back(parameter); });
  std::size_t next = 0;
  whole.weights().loss.for_each_parameter([&](const ParameterView<double>& parameter) {
    const Rows<double> values = from[next++].rows;
    std::copy_n(values.data(), values.num_elements(), parameter.rows.data());
  });

  Trainer trainer(whole);
  for (std::uint32_t epoch = 1; epoch <= epochs; ++epoch) {
    trainer.begin_epoch(epoch);
    Pairs own;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if ((of_users ? all[k].user : all[k].item) >= first) own.push_back(all[k]);
    }
    shuffle(par, std::span(own), Random(seed, Stream::shuffle, epoch));
    std::size_t before = 0, drawn = 0;
    for (std::size_t begin = 0; begin < own.size(); begin += batch_size) {
      const std::size_t end = std::min(begin + batch_size, own.size());
      Pairs batch(own.begin() + static_cast<std::ptrdiff_t>(begin),
                  own.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t k = 0; k < training_pairs; ++k) {
        const Random random(seed, Stream::fold_in, epoch);
        batch.push_back(
            train()[random.uniform_int(drawn++, static_cast<std::uint32_t>(train().size()))]);
      }
      const auto negatives = trainer.sample(batch, Random(seed, Stream::negatives, epoch), before);
      trainer.step(batch, negatives, rate);
      before += batch.size();
    }
  }
  const Matrix<double>& table = of_users ? whole.users() : whole.items();
  Matrix<double> folded_in = make_table<double>(12, 6);
  std::copy_n(rows(table)[first], folded_in.size(), folded_in.data());
  return folded_in;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::abs(a.data()[k] - b.data()[k]);
    largest = difference > largest || std::isnan(difference) ? difference : largest;
  }
  return largest;
}

template <class Loss, class Optimizer, class Sampler>
void check_against_training(const Loss& loss, double tolerance, double least_change = 0.01) {
  const ModelOf<Loss, Optimizer, Sampler> model(train(),
                                                {.loss = loss, .regularizer = {.lambda = 1e-3}});
  for (const ParameterRows side : {ParameterRows::users, ParameterRows::items}) {
    CAPTURE(std::string(Loss::name));
    CAPTURE(side == ParameterRows::users);
    GradientFoldInOptions none = options_of_test();
    none.epochs = 0;
    const Matrix<double> start = fold_in(model, side, none);
    const Matrix<double> folded_in = fold_in(model, side, options_of_test());
    const Matrix<double> expected =
        trained_with_others_held<Loss, Sampler, Optimizer>(model, side, start);
    CHECK(largest_difference(start, expected) > least_change);
    CHECK(largest_difference(folded_in, expected) <= tolerance);
  }
}

}  // namespace

TEST_CASE("fold-in by gradient is training with all other rows held") {
  check_against_training<BPR, DenseAdam, UniformNegatives>({}, 1e-12);
  check_against_training<SSM, DenseAdam, PopularityNegatives>({.negatives = 5, .log_q = true},
                                                              1e-12);
  check_against_training<DirectAU, DenseAdam, UniformNegatives>({}, 1e-12);
  check_against_training<MAWU, DenseAdam, UniformNegatives>({}, 1e-12);
  check_against_training<MACR, DenseAdam, InBatchNegatives>({}, 1e-12);
  // Quantiles over all items, computed in epochs 1 and 3.
  const SLK of_all{.negatives = 5, .k = 7, .tau_w = 0.5, .refresh_epochs = 2};
  check_against_training<SLK, DenseAdam, UniformNegatives>(of_all, 1e-12);
  check_against_training<SLK, Adam, SharedNegatives<>>(of_all, 1e-9);
}

TEST_CASE("fold-in by gradient defers steps as training does") {
  check_against_training<BPR, Adam, UnobservedNegatives>({}, 1e-9);
  check_against_training<SSM, Adam, SharedNegatives<>>({.negatives = 20}, 1e-9);
  check_against_training<MAWU, Adam, UniformNegatives>({}, 1e-9);
  check_against_training<BPR, SGD, UniformNegatives>({}, 1e-12, 1e-3);
  check_against_training<MAWU, SGD, UniformNegatives>({}, 1e-12, 1e-3);
}

TEST_CASE("fold-in by gradient lowers the loss of the new users' interactions") {
  const auto check = [](const auto& model) {
    std::vector<double> losses;
    // Without training pairs, which differ from epoch to epoch.
    GradientFoldInOptions options{.epochs = 15, .training_pairs = 0};
    options.on_epoch = [&](std::size_t epoch, double loss) {
      CHECK(epoch == losses.size() + 1);
      losses.push_back(loss);
    };
    static_cast<void>(fold_in_users_by_gradient(model, history(ParameterRows::users), options));
    REQUIRE(losses.size() == 15);
    CAPTURE(losses.front());
    CAPTURE(losses.back());
    CHECK(losses.back() < losses.front());
  };
  // Fit first, because with random rows a user's items are not alike. Many negatives: the least
  // squares start is close to the optimum, and steps with few negatives would lead away from it.
  const auto fitted = []<class Model>(Model model) {
    const Split split{train(), Interactions(60, 50, Pairs{}), Interactions(60, 50, Pairs{})};
    fit(model, split, {.learning_rate = 0.02, .batch_size = 100, .epochs = 20}, Silent());
    return model;
  };
  check(fitted(Recommender<MF<8>, BPR>(train(), {.loss = {.negatives = 100}})));
  check(fitted(Recommender<MF<8>, SSM, None, PRISM<1.0>>(train(), {.loss = {.negatives = 100}})));
  check(fitted(Recommender<MF<8>, DirectAU, None, PRISM<1.0>>(train())));
  check(fitted(Recommender<MLP<8>, BPR>(train(), {.loss = {.negatives = 100}})));
  check(fitted(Recommender<LightGCN<8>, SSM>(train(), {.loss = {.negatives = 100}})));
  check(fitted(Recommender<Dropout<MF<8>>, Penalized<DirectAU, IPL>>(train())));
}

TEST_CASE("fold-in by gradient is the same bits for any number of threads") {
  const Recommender<MF<8>, SSM, None, PRISM<1.0>> model(train());
  const auto folded_in = [&](std::size_t threads, std::uint64_t of_seed) {
    const ThreadLimit limit(threads);
    return fold_in_users_by_gradient(model, history(ParameterRows::users), {.seed = of_seed});
  };
  const Matrix<float> one = folded_in(1, 1), three = folded_in(3, 1), other = folded_in(1, 2);
  CHECK(std::ranges::equal(one, three));
  CHECK_FALSE(std::ranges::equal(one, other));
}

TEST_CASE("fold-in by gradient gives rows the magnitude of their popularity in the end") {
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(train());
  const Interactions shown(60, 2, Pairs{{0, 0}, {1, 0}, {2, 0}});
  const Matrix<float> folded_in =
      fold_in_items_by_gradient(model, shown, {.magnitude = PrismMagnitude{}});
  CHECK(norm(rows(folded_in)[0], 8) == doctest::Approx(std::log(5.0)));
  CHECK(norm(rows(folded_in)[1], 8) == doctest::Approx(std::log(2.0)));
  // With nothing to learn from, the rows keep their start: no step is taken.
  const Interactions nothing(60, 2, Pairs{});
  CHECK(std::ranges::equal(fold_in_items_by_gradient(model, nothing),
                           fold_in_items_by_gradient(model, nothing, {.epochs = 0})));
  CHECK(fold_in_items_by_gradient(model, Interactions(60, 0, Pairs{})).shape(0) == 0);
}

TEST_CASE("fold-in by gradient refuses what it cannot do") {
  const Interactions& shown = history(ParameterRows::users);
  const Recommender<MF<8>, BPR> model(train());
  const auto with = [&](GradientFoldInOptions options) {
    return test::refusal([&] { return fold_in_users_by_gradient(model, shown, options); });
  };
  CHECK(with({.batch_size = 0}) == "batch_size: must be at least 1, not 0");
  CHECK(with({.learning_rate = -1}) == "learning_rate: must be a finite number above 0, not -1");
  CHECK(with({.start = {.lambda = -1}}).starts_with("lambda: "));
  CHECK(test::refusal([&] {
          return fold_in_users_by_gradient(Recommender<MF<8>, BPR, None, Xavier, SGD>(train()),
                                           shown);
        }).starts_with("learning_rate: must be given for the optimizer SGD"));
  CHECK(test::refusal([&] {
          return fold_in_users_by_gradient(model, Interactions(1, 51, Pairs{{0, 50}}));
        }).starts_with("history: must have the same 50 items"));
  CHECK(test::error_of<DivergenceError>([&] {
          return fold_in_users_by_gradient(model, shown, {.learning_rate = 1e38});
        }).starts_with("fold-in: the new rows are no longer finite; use a learning rate below"));
}
