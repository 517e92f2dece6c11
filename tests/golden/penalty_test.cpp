// SPDX-License-Identifier: BSD-3-Clause
// Penalties over given rows: a batch whose loss adds nothing.
#include "golden.hpp"

using namespace prism;

namespace {

/// @param pairs  the batch, and the training interactions
template <class T, class Penalty>
void check_penalty(const std::string& name, const Penalty& penalty, const std::string& value_name,
                   const std::vector<Interaction>& pairs) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const Interactions train(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)),
                           pairs);
  test::Evaluation<T, MF<dynamic>, Penalty, test::GoldenExecution> evaluate(
      MF<dynamic>(users.shape(1)), penalty, train, pairs, {});
  test::check_value_and_gradients<T>(evaluate, golden, {}, value_name);
}

}  // namespace

TEST_CASE("reg_ipl") {
  const test::GoldenCase golden("reg_ipl");
  const std::vector<Interaction> train = golden.pairs("train");
  check_penalty<double>("reg_ipl", IPL{.weight = 1, .gamma = 1.285}, "value", train);
  check_penalty<float>("reg_ipl", IPL{.weight = 1, .gamma = 1.285}, "value", train);
  // The batch that is the whole training part.
  check_penalty<double>("reg_ipl", IPL{.weight = 1, .per_batch = true}, "value", train);
}

TEST_CASE("reg_resn") {
  // Over all rows: a batch in which each user and each item stands.
  const test::GoldenCase golden("reg_resn");
  const auto users = static_cast<Index>(golden["users"].rows());
  const auto items = static_cast<Index>(golden["items"].rows());
  std::vector<Interaction> pairs;
  for (Index k = 0; k < std::max(users, items); ++k) pairs.push_back({k % users, k % items});
  check_penalty<double>("reg_resn", ReSN{.weight = 1}, "loss", pairs);
  check_penalty<float>("reg_resn", ReSN{.weight = 1}, "loss", pairs);
}
