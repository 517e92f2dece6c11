// SPDX-License-Identifier: BSD-3-Clause
// Where a model is trained: every execution gives the same model up to rounding, a user-defined
// instruction set trains whole models, and tables lie in the memory that the options name.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <prism/execution/serial_grid.hpp>

#include "policies.hpp"
#include "support/counting_memory.hpp"
#include "two_wide.hpp"

using namespace prism;

namespace {

const Split& small_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 120, .items = 90, .interactions_per_user = 10}));
  return split;
}

template <class Model, Execution X>
Model trained(const X& exec) {
  Model model(exec, small_split().train,
              {.backbone = test::with_dim<typename Model::backbone_type>(19)});
  fit(exec, model, small_split(), {.learning_rate = 0.01, .batch_size = 200, .epochs = 2},
      Silent());
  return model;
}

/// The largest difference of two models' tables, relative to the largest weight.
template <class Model>
double difference(const Model& a, const Model& b) {
  double largest = 0, apart = 0;
  for (const auto& [x, y] :
       {std::pair(&a.users(), &b.users()), std::pair(&a.items(), &b.items())}) {
    for (std::size_t i = 0; i < x->size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x->data()[i])));
      apart = std::max(
          apart, std::abs(static_cast<double>(x->data()[i]) - static_cast<double>(y->data()[i])));
    }
  }
  return apart / largest;
}

/// Output rows are the first 5 columns of the tables.
struct FirstColumns {
  static constexpr std::string_view name = "FirstColumns";
  [[nodiscard]] std::size_t dim() const { return 8; }
  [[nodiscard]] std::size_t output_dim() const { return 5; }

  template <class T, Execution X>
  ForwardResult<T> forward(const BackboneStep<T, X>& step, const Stateless<FirstColumns>&) const {
    const auto side = [&](Rows<const T> table, const BatchSide& from) {
      const Rows<T> to = step.scratch.template allocate<T>(from.unique_rows.size(), output_dim());
      for (std::size_t k = 0; k < to.size(); ++k) {
        std::copy_n(table[from.unique_rows[k]], output_dim(), to[k]);
      }
      return to;
    };
    return {{side(step.tables.users, step.batch.user_side),
             side(step.tables.items, step.batch.item_side)}};
  }
  template <class T, Execution X>
  TableGradients<T> backward(const BackboneStep<T, X>& step, const Stateless<FirstColumns>&,
                             NothingSaved, Embeddings<const T> gradient) const {
    const auto side = [&](Rows<const T> from, const BatchSide& batch_side) {
      const Rows<T> to = step.scratch.template allocate_zeros<T>(step.exec, from.size(), dim());
      for (std::size_t k = 0; k < to.size(); ++k) std::copy_n(from[k], output_dim(), to[k]);
      return TableGradient<T>::sparse(to, batch_side);
    };
    return {side(gradient.users, step.batch.user_side), side(gradient.items, step.batch.item_side)};
  }
  template <class T, Execution X>
  Output<T> output(const X&, Embeddings<const T> tables, const Interactions&,
                   const Stateless<FirstColumns>&) const {
    const auto all = [&](Rows<const T> table) {
      auto result = zeros<T>(table.size(), output_dim());
      for (std::size_t r = 0; r < table.size(); ++r) {
        std::copy_n(table[r], output_dim(), rows(result)[r]);
      }
      return result;
    };
    return {all(tables.users), all(tables.items)};
  }
};

}  // namespace

TEST_CASE("every execution trains the same model up to rounding") {
  const auto check = [&]<class Backbone, class Loss, class Sampler = UniformNegatives>() {
    using Model = Recommender<Backbone, Loss, FullWD, Xavier, Adam, Sampler>;
    const auto reference = trained<Model>(serial);
    INFO(reference.name());
    CHECK(difference(trained<Model>(par), reference) < 1e-3);
    CHECK(difference(trained<Model>(host<test::TwoWide>), reference) < 1e-3);
    CHECK(difference(trained<Model>(serial_grid), reference) < 1e-3);
  };
  check.operator()<MF<dynamic>, BPR>();
  check.operator()<MF<dynamic>, DirectAU>();
  check.operator()<MF<dynamic>, SSM>();
  check.operator()<MF<dynamic>, SSM, SharedNegatives<>>();
  check.operator()<LightGCN<dynamic>, BPR>();
  check.operator()<MLP<dynamic>, SSM>();
  check.operator()<LightGCN<dynamic>, MACR>();
}

TEST_CASE("an instruction set of one's own is used wherever a model is trained and ranked") {
  test::TwoWide::multiply_adds = 0;
  auto model = trained<Recommender<MF<dynamic>, DirectAU>>(host<test::TwoWide>);
  CHECK(test::TwoWide::multiply_adds > 0);
  test::TwoWide::multiply_adds = 0;
  const Report own = evaluate(host<test::TwoWide>, model, small_split().test);
  CHECK(test::TwoWide::multiply_adds > 0);
  CHECK(own.ndcg == doctest::Approx(evaluate(model, small_split().test).ndcg).epsilon(1e-6));
}

TEST_CASE("tables, states and the optimizer's memory come from the resource that is named") {
  test::CountingMemory memory;
  {
    using Model = Recommender<MLP<dynamic>, MAWU, None, PRISM<1.0>>;
    Model model(small_split().train, {.memory = &memory, .backbone = MLP<dynamic>(19)});
    CHECK(memory.holds(model.users().data()));
    CHECK(memory.holds(model.items().data()));
    CHECK(memory.holds(model.weights().loss.users.data()));
    CHECK(memory.holds(model.weights().backbone.users.weight[0].data()));
    const std::size_t of_model = memory.blocks();
    const auto copy = model.weights();  // a copy lies where the original does
    CHECK(memory.holds(copy.items.data()));
    CHECK(memory.blocks() == 2 * of_model);
    fit(model, small_split(), {.batch_size = 200, .epochs = 2}, Silent());
    CHECK(memory.blocks() == 2 * of_model);
    CHECK(memory.holds(model.users().data()));
    Model elsewhere(small_split().train, {.backbone = MLP<dynamic>(19)});
    elsewhere.weights() = model.weights();
    CHECK(memory.holds(elsewhere.users().data()));
  }
  CHECK(memory.blocks() == 0);
}

TEST_CASE("output rows may have another width than the tables") {
  Recommender<FirstColumns, MACR> model(small_split().train);
  CHECK(model.users().shape(1) == 8);
  const auto output = model.output();
  CHECK(output.users().dim() == 5);
  CHECK(model.weights().loss.user_head.shape(1) == 5);
  const History history =
      fit(model, small_split(), {.learning_rate = 0.01, .batch_size = 200, .epochs = 5}, Silent());
  CHECK(history.epochs.back().loss < history.epochs.front().loss);
}
