// SPDX-License-Identifier: BSD-3-Clause
// Initializers, optimizers and runs of several steps.
#include "golden.hpp"

using namespace prism;

namespace {

/// Initializes a table with given rows.
struct GivenRows {
  [[maybe_unused]] static constexpr std::string_view name = "GivenRows";
  inline static test::Array given;

  template <Execution X, class T>
  void operator()(const X&, Rows<T> table, std::span<const Index>, const Random&) const {
    std::ranges::transform(given.values, table.data(), [](double x) { return static_cast<T>(x); });
  }
};

template <class T>
void check_prism(const std::string& name, double alpha) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  GivenRows::given = golden["base"];
  auto table = zeros<T>(GivenRows::given.rows(), GivenRows::given.columns());
  const std::vector<Index> degree = golden.indices("degree");
  const PRISM<dynamic, GivenRows> initializer{.alpha = alpha};
  initializer(host_of(test::GoldenExecution{}), rows(table), degree, Random(1, Stream::users));
  CHECK(test::relative_error(table, golden["table"]) <= test::bound<T>);
}

template <class T>
void check_adam(const std::string& name, double decay) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const test::GoldenExecution exec;
  Matrix<T> table = copy_of(golden.matrix<T>("start"), memory_of(exec));
  const std::size_t size = table.size();
  const test::Array gradients = golden["grads"], after = golden["after"];
  Adam::State<T> state(table.shape(0), table.shape(1), memory_of(exec));
  const std::size_t steps = gradients.rows();
  REQUIRE(steps > 0);
  for (std::size_t s = 0; s < steps; ++s) {
    auto given = zeros<T>(table.shape(0), table.shape(1));
    for (std::size_t i = 0; i < size; ++i) {
      given.data()[i] = static_cast<T>(gradients.values[s * size + i]);
    }
    const Matrix<T> gradient = copy_of(given, memory_of(exec));
    Adam{}(exec, ParameterView<T>{rows(table)}, TableGradient<T>::dense(rows(gradient), {}), state,
           {.learning_rate = 1e-2, .step = s + 1}, FullWD{.lambda = decay});
    synchronise(exec);
    const Matrix<T> found = copy_of(table, nullptr);
    const std::vector<double> expected(after.values.begin() + static_cast<long>(s * size),
                                       after.values.begin() + static_cast<long>((s + 1) * size));
    CHECK(test::relative_error(std::span<const T>(found.data(), size), expected) <= test::bound<T>);
  }
}

/// 30 steps of MF + DirectAU with given batches and initial rows.
template <class Regularizer>
void check_run(const std::string& name, Regularizer regularizer) {
  const test::GoldenCase golden(name);
  const std::vector<Interaction> train = golden.pairs("train");
  const test::Array order = golden["batches"];
  const auto users = golden.matrix<double>("users"), items = golden.matrix<double>("items");
  using Model =
      Recommender<MF<dynamic>, DirectAU, Regularizer, Xavier, Adam, UniformNegatives, double>;
  const test::GoldenExecution exec;
  Model model(
      exec,
      Interactions(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)), train),
      {.backbone = MF<dynamic>(users.shape(1)), .regularizer = regularizer});
  model.weights().users = users;
  model.weights().items = items;

  detail::WorkingModel<Model, test::GoldenExecution> working(exec, model);
  Trainer<Model, test::GoldenExecution> trainer(working.get(), exec);
  std::vector<double> losses;
  for (std::size_t s = 0; s < order.rows(); ++s) {
    std::vector<Interaction> pairs;
    for (std::size_t p = 0; p < order.columns(); ++p) {
      pairs.push_back(train[static_cast<std::size_t>(order.values[s * order.columns() + p])]);
    }
    const TableVector<Interaction> batch(std::span<const Interaction>(pairs), memory_of(exec));
    losses.push_back(trainer.step(batch, {}, 1e-2));
  }
  trainer.flush();
  working.publish();
  CHECK(test::relative_error(std::span<const double>(losses), golden["losses"].values) <= 1e-9);
  CHECK(test::relative_error(model.users(), golden["users_after"]) <= 1e-9);
  CHECK(test::relative_error(model.items(), golden["items_after"]) <= 1e-9);
}

}  // namespace

TEST_CASE("init_prism_alpha0.0") {
  check_prism<double>("init_prism_alpha0.0", 0);
  check_prism<float>("init_prism_alpha0.0", 0);
}
TEST_CASE("init_prism_alpha0.5") {
  check_prism<double>("init_prism_alpha0.5", 0.5);
  check_prism<float>("init_prism_alpha0.5", 0.5);
}
TEST_CASE("init_prism_alpha1.0") {
  check_prism<double>("init_prism_alpha1.0", 1);
  check_prism<float>("init_prism_alpha1.0", 1);
}

TEST_CASE("adam_wd0") {
  check_adam<double>("adam_wd0", 0);
  check_adam<float>("adam_wd0", 0);
}
TEST_CASE("adam_wd1e-06") {
  check_adam<double>("adam_wd1e-06", 1e-6);
  check_adam<float>("adam_wd1e-06", 1e-6);
}
TEST_CASE("adam_wd0.01") {
  check_adam<double>("adam_wd0.01", 1e-2);
  check_adam<float>("adam_wd0.01", 1e-2);
}

TEST_CASE("run_directau_none") { check_run("run_directau_none", None{}); }
TEST_CASE("run_directau_full") { check_run("run_directau_full", FullWD{.lambda = 1e-3}); }
TEST_CASE("run_directau_batched") { check_run("run_directau_batched", BatchedWD{.lambda = 1e-3}); }
