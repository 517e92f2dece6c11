// SPDX-License-Identifier: BSD-3-Clause
// Backbones: outputs, and gradients through them.
#include "golden.hpp"

using namespace prism;

namespace {

template <class T>
double output_error(Rows<const T> actual, const test::Array& expected) {
  return test::relative_error(std::span<const T>(actual.data(), actual.num_elements()),
                              expected.values);
}

/// @param parameters  golden arrays of the backbone's parameters, in their order
template <class T, class Backbone, class Loss>
void check_backbone(const std::string& name, Backbone backbone, const Loss& loss,
                    const std::vector<Interaction>& train,
                    const std::vector<std::string>& parameters) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  std::vector<Index> negatives;
  if (loss_traits(loss).negatives > 0) negatives = golden.indices("negatives");
  const std::vector<Interaction> pairs = golden.pairs("pairs");
  test::Evaluation<T, Backbone, Loss, test::GoldenExecution> evaluate(
      backbone, loss,
      Interactions(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)), train),
      pairs, negatives);
  test::set_parameters<T>(evaluate, golden, parameters);
  const Output<T> output = evaluate.output(users, items);
  CHECK(output_error(output.users(), golden["out_users"]) <= test::bound<T>);
  CHECK(output_error(output.items(), golden["out_items"]) <= test::bound<T>);
  test::check_value_and_gradients<T>(evaluate, golden, parameters);
}

template <class T>
void check_mlp() {
  const test::GoldenCase golden("backbone_mlp");
  std::vector<std::string> parameters;
  for (const char* side : {"user", "item"}) {
    for (const char* part : {"_w1", "_b1", "_w2", "_b2"})
      parameters.push_back(side + std::string(part));
  }
  check_backbone<T>("backbone_mlp", MLP<dynamic>(golden["users"].columns()), DirectAU{.gamma = 1},
                    golden.pairs("pairs"), parameters);
}

template <class T>
void check_lightgcn() {
  const test::GoldenCase golden("backbone_lightgcn");
  check_backbone<T>("backbone_lightgcn", LightGCN<dynamic, 3>(golden["users"].columns()),
                    BPR{.negatives = 1}, golden.pairs("train"), {});
}

template <class T>
void check_simplex() {
  const test::GoldenCase golden("backbone_simplex");
  SimpleX<dynamic> backbone(golden["users"].columns());
  backbone.own_weight = 0.3;
  check_backbone<T>("backbone_simplex", backbone, BPR{.negatives = 2}, golden.pairs("train"),
                    {"v"});
}

}  // namespace

TEST_CASE("backbone_mlp") {
  check_mlp<double>();
  check_mlp<float>();
}
TEST_CASE("backbone_lightgcn") {
  check_lightgcn<double>();
  check_lightgcn<float>();
}
TEST_CASE("backbone_simplex") {
  check_simplex<double>();
  check_simplex<float>();
}
