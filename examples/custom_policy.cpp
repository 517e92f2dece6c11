// SPDX-License-Identifier: BSD-3-Clause
// A user-defined initializer and backbone, trained in combination with the library's. A policy is a
// plain struct with a name: no base class, no macro, no registration. custom_loss.cpp has a loss.
#include <cmath>
#include <cstdio>
#include <prism/prism.hpp>
#include <prism/testing/gradient_check.hpp>
#include <span>
#include <string_view>

using namespace prism;

/// Xavier's directions; a row of popularity d has magnitude sqrt(d + 1) / 10.
struct RootPopularity {
  static constexpr std::string_view name = "RootPopularity";

  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
                  const Random& random) const {
    Xavier{}(exec, table, popularity, random);
    parallel_chunks(exec, table.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        normalise(table[r], table[r], table.dim());
        scale(table[r], std::sqrt(static_cast<T>(popularity[r] + 1)) / 10, table[r], table.dim());
      }
    });
  }
};
static_assert(InitializerPolicy<RootPopularity>);

/// Output rows are the embeddings with each column multiplied by a trained weight.
struct WeightedMF {
  static constexpr std::string_view name = "WeightedMF";
  // A training step reads only the rows of its batch: its cost does not depend on the size of the
  // tables.
  static constexpr BackboneTraits traits{.needs_all_rows = false};
  [[nodiscard]] std::size_t dim() const { return 32; }

  /// Parameters besides the tables; the trainer updates each with the optimizer.
  template <class T>
  struct State {
    Matrix<T> weight;  // 1 x dim

    State(const WeightedMF&, const StateContext& context) : weight(zeros<T>(1, context.dim)) {
      weight.fill(T{1});
    }
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
        scale_columns(table[rows.unique_rows[k]], state, to[k]);
      }
      return to;
    };
    return {{side(step.tables.users, step.batch.user_side),
             side(step.tables.items, step.batch.item_side)}};
  }

  template <class T, Execution X>
  TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>& state, NothingSaved,
                             Embeddings<const T> gradient) const {
    const auto side = [&](Rows<const T> table, const BatchSide& rows, Rows<const T> g) {
      const Rows<T> to = step.scratch.template allocate<T>(g.size(), g.dim());
      for (std::size_t k = 0; k < g.size(); ++k) {
        scale_columns(g[k], state, to[k]);
        for (std::size_t c = 0; c < g.dim(); ++c) {
          step.parameter_gradients[0][0][c] += g[k][c] * table[rows.unique_rows[k]][c];
        }
      }
      return TableGradient<T>::sparse(to, rows);
    };
    return {side(step.tables.users, step.batch.user_side, gradient.users),
            side(step.tables.items, step.batch.item_side, gradient.items)};
  }

  template <class T, Execution X>
  Output<T> output(const X&, Embeddings<const T> tables, const Interactions&,
                   const State<T>& state) const {
    const auto all = [&](Rows<const T> table) {
      auto result = zeros<T>(table.size(), table.dim());
      for (std::size_t r = 0; r < table.size(); ++r) {
        scale_columns(table[r], state, rows(result)[r]);
      }
      return result;
    };
    return {all(tables.users), all(tables.items)};
  }

 private:
  template <class T>
  void scale_columns(const T* row, const State<T>& state, T* to) const {
    for (std::size_t c = 0; c < dim(); ++c) to[c] = state.weight(0, c) * row[c];
  }
};
static_assert(BackbonePolicy<WeightedMF>);

int main() {
  // Before training, check the gradients against central differences.
  const GradientCheck check = check_gradients(WeightedMF(), BPR());
  std::printf("gradients of WeightedMF: error %.1e, %s\n", check.error, check ? "right" : "wrong");
  if (!check) return 1;

  const Split split = random_split(synthetic_interactions({.users = 1000, .items = 800}),
                                   {.validation = 0.1, .test = 0.1, .seed = 123});
  using ModelGrid =
      Grid<Types<MF<32>, WeightedMF>, Types<BPR, SSM>, Types<None>, Types<Xavier, RootPopularity>>;
  std::printf("%zu models\n", size(ModelGrid{}));
  for_each_model<ModelGrid>([&]<class Model>() {
    Model model(split.train);
    const History history =
        fit(model, split, {.learning_rate = 3e-3, .batch_size = 1024, .epochs = 50}, Silent());
    const Report report = evaluate(model, split.test, {.exclude = {&split.validation}});
    std::printf("%-42s NDCG@20 %.5f, best epoch %zu\n", model.name().c_str(), report.ndcg,
                history.best_epoch);
  });
}
