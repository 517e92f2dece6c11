// SPDX-License-Identifier: BSD-3-Clause
// Adam, whose rows catch up on missed steps, has DenseAdam's weights; PartialRowWiseAdam has those
// of its definition, which takes every step on every row.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "deferred_steps.hpp"
#include "policies.hpp"

using namespace prism;

namespace {

/// PartialRowWiseAdam by its definition, element by element.
struct PlainRowWiseAdam {
  static constexpr std::string_view name = "PlainRowWiseAdam";

  template <class T>
  struct State {
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* = nullptr)
        : first(zeros<T>(size, dim)), second(size) {}
    Matrix<T> first;
    std::vector<T> second;
  };

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X&, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const double t = static_cast<double>(info.step);
    const double first_correction = 1 - std::pow(0.9, t);
    const double second_correction = 1 - std::pow(0.999, t);
    const RowDecay active(regularizer, table.popularity, true);
    const RowDecay inactive(regularizer, table.popularity, false);
    const std::size_t dim = table.rows.dim();
    std::vector<double> g(dim);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const double decay = gradient.in_batch(r) ? active(r) : inactive(r);
      T* const w = table.rows[r];
      double squares = 0;
      for (std::size_t i = 0; i < dim; ++i) {
        g[i] = decay * static_cast<double>(w[i]);
        if (gradient.of(r) != nullptr) g[i] += static_cast<double>(gradient.of(r)[i]);
        squares += g[i] * g[i] / static_cast<double>(dim);
      }
      const double v = 0.999 * static_cast<double>(state.second[r]) + 0.001 * squares;
      state.second[r] = static_cast<T>(v);
      for (std::size_t i = 0; i < dim; ++i) {
        const double m = 0.9 * static_cast<double>(state.first(r, i)) + 0.1 * g[i];
        state.first(r, i) = static_cast<T>(m);
        const double step =
            info.learning_rate * m / first_correction / (std::sqrt(v / second_correction) + 1e-8);
        w[i] = std::clamp(static_cast<T>(static_cast<double>(w[i]) - step), table.lowest,
                          table.highest);
      }
    }
  }
};

template <class Backbone, class Loss, class Regularizer, class T>
void check_same(std::size_t steps, double bound) {
  test::check_same<Backbone, Loss, Regularizer, T, Adam, DenseAdam>(steps, bound);
}

template <class Backbone, class Loss, class Regularizer, class T>
void check_row_wise(std::size_t steps, double bound) {
  test::check_same<Backbone, Loss, Regularizer, T, PartialRowWiseAdam, PlainRowWiseAdam>(steps,
                                                                                         bound);
}

}  // namespace

TEST_CASE("Adam has the weights of DenseAdam, whatever the decay") {
  // Rounding grows over the steps: a row's gradient depends on all rows that it met.
  check_same<MF<dynamic>, BPR, None, double>(1500, 1e-10);
  check_same<MF<dynamic>, BPR, BatchedWD, double>(1500, 1e-10);
  check_same<MF<dynamic>, BPR, FullWD, double>(1500, 0);
  check_same<MF<dynamic>, BPR, test::PopularityWD, double>(1500, 1e-10);
  check_same<MF<dynamic>, MAWU, test::PopularityWD, double>(300, 1e-10);
  check_same<MF<dynamic>, BPR, None, float>(300, 1e-4);
  check_same<MF<dynamic>, BPR, FullWD, float>(1500, 0);
}

TEST_CASE("Adam has the weights of DenseAdam for a beta1 of 0, and for one above sqrt(beta2)") {
  for (const auto& [beta1, beta2] : {std::pair{0.0, 0.999}, std::pair{0.9, 0.8}}) {
    CAPTURE(beta1);
    const Adam lazily{.beta1 = beta1, .beta2 = beta2};
    const DenseAdam densely{.beta1 = beta1, .beta2 = beta2};
    test::check_same<MF<dynamic>, BPR, None, double>(300, 1e-10, lazily, densely);
    test::check_same<MF<dynamic>, BPR, FullWD, double>(300, 1e-10, lazily, densely);
  }
}

TEST_CASE("Adam has the weights of DenseAdam, trainable state and bounds included") {
  check_same<MF<dynamic>, MAWU, None, double>(400, 1e-10);
  check_same<MF<dynamic>, MAWU, FullWD, double>(400, 0);
  check_same<MLP<dynamic>, MACR, None, double>(400, 1e-10);
  check_same<MF<dynamic>, Penalized<BPR, IPL>, None, double>(200, 1e-10);
  check_same<LightGCN<dynamic>, BPR, None, double>(100, 0);
  check_same<SimpleX<dynamic>, BPR, FullWD, double>(100, 1e-10);
}

TEST_CASE("PartialRowWiseAdam has the weights of its definition, whatever the decay") {
  check_row_wise<MF<dynamic>, BPR, None, double>(1500, 1e-10);
  check_row_wise<MF<dynamic>, BPR, BatchedWD, double>(1500, 1e-10);
  check_row_wise<MF<dynamic>, BPR, FullWD, double>(1500, 1e-10);
  check_row_wise<MF<dynamic>, BPR, test::PopularityWD, double>(1500, 1e-10);
  check_row_wise<MF<dynamic>, MAWU, FullWD, double>(400, 1e-10);
  check_row_wise<LightGCN<dynamic>, BPR, FullWD, double>(100, 1e-10);
  check_row_wise<MF<dynamic>, BPR, FullWD, float>(300, 1e-4);
}

TEST_CASE("rows that a step does not reach wait for flush()") {
  const std::vector<Interaction> pairs{{0, 0}, {1, 1}};
  Recommender<MF<4>, DirectAU> model(Interactions(2, 2, pairs));
  Trainer trainer(model);
  trainer.step(pairs, {}, 0.1);
  trainer.step(std::span(pairs).first(1), {}, 0.1);
  const Matrix<float> waiting = model.users();
  trainer.flush();
  CHECK(model.users()(0, 0) == waiting(0, 0));
  CHECK(model.users()(1, 0) != waiting(1, 0));
  const Matrix<float> flushed = model.users();
  trainer.flush();
  CHECK(model.users() == flushed);
}

TEST_CASE("a model is left flushed if an observer of fit throws within an epoch") {
  struct Interrupts {
    static void batch(const EpochProgress& progress) {
      if (progress.pairs >= 200) throw std::runtime_error("enough");
    }
  };
  const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 8}));
  const auto interrupted = [&]<class Optimizer>(std::type_identity<Optimizer>) {
    Recommender<MF<8>, BPR, None, PRISM<1.0>, Optimizer, UniformNegatives, double> model(
        split.train);
    CHECK_THROWS_WITH(fit(model, split, {.batch_size = 20}, Interrupts{}), "enough");
    return model.users();
  };
  CHECK(test::relative_difference(interrupted(std::type_identity<Adam>{}),
                                  interrupted(std::type_identity<DenseAdam>{})) <= 1e-12);
}
