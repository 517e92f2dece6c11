// SPDX-License-Identifier: BSD-3-Clause
// A user-defined backbone with trained parameters of its own; its gradients are checked first.
#include <cstdio>
#include <prism/prism.hpp>
#include <prism/testing/gradient_check.hpp>
#include <string_view>

using namespace prism;

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

  const Split split = random_split(synthetic_interactions({.users = 1000, .items = 800}));
  Recommender<WeightedMF, SSM> model(split.train);
  fit(model, split, {.epochs = 20});
  const Report report = evaluate(model, split.test, {.exclude = {&split.validation}});
  std::printf("%s: NDCG@20 %.4f\n", model.name().c_str(), report.ndcg);
}
