// SPDX-License-Identifier: BSD-3-Clause
// Penalties of given rows: a batch whose loss adds nothing.
#include "golden.hpp"

using namespace prism;

namespace {

/// @param penalty  or a loss and a penalty
/// @param pairs    the batch
template <class T, class Penalty>
void check_penalty(const std::string& name, const Penalty& penalty, const std::string& value_name,
                   const std::vector<Interaction>& train, const std::vector<Interaction>& pairs,
                   const std::vector<Index>& negatives = {}) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const Interactions interactions(static_cast<Index>(users.shape(0)),
                                  static_cast<Index>(items.shape(0)), train);
  test::Evaluation<T, MF<dynamic>, Penalty, test::GoldenExecution> evaluate(
      MF<dynamic>(users.shape(1)), penalty, interactions, pairs, negatives);
  test::check_value_and_gradients<T>(evaluate, golden, {}, value_name);
}

/// The batch is the whole training set.
template <class T, class Penalty>
void check_penalty(const std::string& name, const Penalty& penalty, const std::string& value_name,
                   const std::vector<Interaction>& train) {
  check_penalty<T>(name, penalty, value_name, train, train);
}

}  // namespace

TEST_CASE("reg_ipl") {
  const test::GoldenCase golden("reg_ipl");
  const std::vector<Interaction> train = golden.pairs("train");
  check_penalty<double>("reg_ipl", IPL{.weight = 1, .gamma = 1.285}, "value", train);
  check_penalty<float>("reg_ipl", IPL{.weight = 1, .gamma = 1.285}, "value", train);
  check_penalty<double>("reg_ipl", IPL{.weight = 1, .sums = IPLSums::batch}, "value", train);
}

TEST_CASE("reg_ipl_unsorted") {
  const test::GoldenCase golden("reg_ipl_unsorted");
  const auto train = golden.pairs("train"), pairs = golden.pairs("pairs");
  const IPL ipl{.weight = 1, .sums = IPLSums::batch_unsorted};
  check_penalty<double>("reg_ipl_unsorted", ipl, "value", train, pairs);
  check_penalty<float>("reg_ipl_unsorted", ipl, "value", train, pairs);
}

TEST_CASE("loss_bpr_ipl_unsorted") {
  const test::GoldenCase golden("loss_bpr_ipl_unsorted");
  const auto train = golden.pairs("train"), pairs = golden.pairs("pairs");
  const auto negatives = golden.indices("negatives");
  const Penalized<BPR, IPL> both{
      .loss = {.negatives = 2},
      .penalty = {.weight = 0.5, .gamma = 1.826, .sums = IPLSums::batch_unsorted}};
  check_penalty<double>("loss_bpr_ipl_unsorted", both, "loss", train, pairs, negatives);
  check_penalty<float>("loss_bpr_ipl_unsorted", both, "loss", train, pairs, negatives);
}

TEST_CASE("reg_resn") {
  // All rows: a batch with each user and each item.
  const test::GoldenCase golden("reg_resn");
  const auto users = static_cast<Index>(golden["users"].rows());
  const auto items = static_cast<Index>(golden["items"].rows());
  std::vector<Interaction> pairs;
  for (Index k = 0; k < std::max(users, items); ++k) pairs.push_back({k % users, k % items});
  check_penalty<double>("reg_resn", ReSN{.weight = 1}, "loss", pairs);
  check_penalty<float>("reg_resn", ReSN{.weight = 1}, "loss", pairs);
}
