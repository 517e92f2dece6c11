// SPDX-License-Identifier: BSD-3-Clause
// A loss, an initializer and a backbone of one's own, trained beside the library's. A policy is a
// plain struct with a name: no base class, no macro, no registration.
#include <cmath>
#include <cstdio>
#include <prism/prism.hpp>
#include <span>
#include <string_view>

using namespace prism;

/// Hinge: mean max(0, margin - s(u,i) + s(u,i')), over one negative a pair.
struct Hinge {
  static constexpr std::string_view name = "Hinge";

  static constexpr std::size_t negatives = 1;  // how many the trainer draws for each pair
  double margin = 1;

  template <class T>
  double operator()(const LossStep<T>& step) const {
    const Batch& batch = step.batch;
    const std::size_t dim = step.output.users.dim();
    const T mean = T{1} / static_cast<T>(batch.pairs());
    double value = 0;
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      // Users and items of a batch are row numbers in `output`, and in `gradient` beside it.
      const Index u = batch.users[p], i = batch.items[p], other = batch.negatives[p];
      const T* const user = step.output.users[u];
      const T gap = dot(user, step.output.items[i], dim) - dot(user, step.output.items[other], dim);
      const T loss = static_cast<T>(margin) - gap;
      if (loss <= 0) continue;
      value += static_cast<double>(mean * loss);
      add_scaled(step.gradient.users[u], -mean, step.output.items[i], dim);
      add_scaled(step.gradient.users[u], mean, step.output.items[other], dim);
      add_scaled(step.gradient.items[i], -mean, user, dim);
      add_scaled(step.gradient.items[other], mean, user, dim);
    }
    return value;
  }
};
static_assert(LossPolicy<Hinge>);

/// Xavier's directions; a row of popularity d has length sqrt(d + 1) / 10.
struct RootPopularity {
  static constexpr std::string_view name = "RootPopularity";

  template <class T>
  void operator()(Rows<T> table, std::span<const Index> popularity, const Random& random) const {
    Xavier{}(table, popularity, random);
    for (std::size_t r = 0; r < table.size(); ++r) {
      normalise(table[r], table[r], table.dim());
      scale(table[r], std::sqrt(static_cast<T>(popularity[r] + 1)) / 10, table[r], table.dim());
    }
  }
};
static_assert(InitializerPolicy<RootPopularity>);

/// Output rows are the table rows times a weight a column, which is trained too.
struct WeightedMF {
  static constexpr std::string_view name = "WeightedMF";
  // A step reads the rows of its batch alone, so that it costs no more than those.
  static constexpr bool reads_every_row = false;
  [[nodiscard]] std::size_t dim() const { return 32; }

  /// What is trained besides the tables. The trainer steps each Parameter with the optimizer.
  template <class T>
  struct State {
    Parameter<T> weight;  // 1 x dim

    State(const WeightedMF&, const StateContext& context)
        : weight{.value = zeros<T>(1, context.dim)} {
      weight.value.fill(T{1});
    }
    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(weight);
    }
  };

  template <class T>
  Forward<T> forward(const BackboneStep<T>& step, const State<T>& state) const {
    const auto side = [&](Rows<const T> table, const BatchSide& rows) {
      const Rows<T> to = step.scratch.template take<T>(rows.rows.size(), dim());
      for (std::size_t k = 0; k < to.size(); ++k) weigh(table[rows.rows[k]], state, to[k]);
      return to;
    };
    return {{side(step.tables.users, step.batch.user_side),
             side(step.tables.items, step.batch.item_side)}};
  }

  template <class T>
  TableGradients<T> backward(const BackboneStep<T>& step, State<T>& state, NothingKept,
                             Embeddings<const T> gradient) const {
    const auto side = [&](Rows<const T> table, const BatchSide& rows, Rows<const T> g) {
      const Rows<T> to = step.scratch.template take<T>(g.size(), g.dim());
      for (std::size_t k = 0; k < g.size(); ++k) {
        weigh(g[k], state, to[k]);
        for (std::size_t c = 0; c < g.dim(); ++c) {
          state.weight.gradient[0][c] += g[k][c] * table[rows.rows[k]][c];
        }
      }
      return TableGradient<T>::of_batch_rows(to, rows);
    };
    return {side(step.tables.users, step.batch.user_side, gradient.users),
            side(step.tables.items, step.batch.item_side, gradient.items)};
  }

  template <class T>
  Output<T> output(Embeddings<const T> tables, const Interactions&, const State<T>& state) const {
    const auto all = [&](Rows<const T> table) {
      auto result = zeros<T>(table.size(), table.dim());
      for (std::size_t r = 0; r < table.size(); ++r) weigh(table[r], state, rows(result)[r]);
      return result;
    };
    return {all(tables.users), all(tables.items)};
  }

 private:
  template <class T>
  void weigh(const T* row, const State<T>& state, T* to) const {
    for (std::size_t c = 0; c < dim(); ++c) to[c] = state.weight.value(0, c) * row[c];
  }
};
static_assert(BackbonePolicy<WeightedMF>);

int main() {
  const Split split = random_split(synthetic_interactions({.users = 1000, .items = 800}),
                                   {.validation = 0.1, .test = 0.1, .seed = 123});
  using Grid = Product<Types<MF<32>, WeightedMF>, Types<BPR, Hinge>, Types<None>,
                       Types<Xavier, RootPopularity>>;
  std::printf("%zu models\n", size(Grid{}));
  for_each_model<Grid>([&]<class Model>() {
    Model model(split.train);
    const History history =
        fit(model, split, {.learning_rate = 3e-3, .batch_size = 1024, .epochs = 50}, Silent());
    const Report report =
        evaluate(model, split.test, {.exclude = {&split.train, &split.validation}});
    std::printf("%-42s NDCG@20 %.5f, best epoch %zu\n", model.name().c_str(), report.ndcg,
                history.best_epoch);
  });
}
