// SPDX-License-Identifier: BSD-3-Clause
#include "policy/gradient_law.hpp"

using namespace prism;

TEST_CASE("losses with other options pass the gradient check") {
  using Plain = MF<dynamic>;
  test::check_gradient_law<Plain>(BPR{.negatives = 4});
  test::check_gradient_law<Plain>(SSM{.negatives = 2, .tau = 0.05});
  test::check_gradient_law<Plain>(BSL{.negatives = 3, .tau1 = 0.3, .tau2 = 0.2, .power = 1.3});
  test::check_gradient_law<Plain>(
      BSL{.negatives = 3, .tau1 = 0.3, .tau2 = 0.2, .average_positives = false});
  test::check_gradient_law<Plain>(CCL{.negatives = 3, .margin = 0.1, .weight = 2});
  test::check_gradient_law<Plain>(UltraGCN{.negatives = 3, .weight = 2, .w1 = 0.5, .w3 = 0.25});
  test::check_gradient_law<Plain>(PSL{.negatives = 3, .tau = 0.3, .surrogate = Surrogate::atan});
  test::check_gradient_law<Plain>(SLK{.negatives = 3, .tau_d = 0.4, .tau_w = 0.2});
  test::check_gradient_law<Plain>(Penalized<Penalized<SLK, MAWU>, IPL>{
      .loss = {.loss = {.negatives = 3}, .penalty = {}}, .penalty = {.weight = 0.3}});
  test::check_gradient_law<Plain>(DirectAU{.gamma = 5});
  test::check_gradient_law<Plain>(DirectAU{.gamma = 0.5, .duplicates = true});
  test::check_gradient_law<Plain>(MAWU{.gamma1 = 2.6, .gamma2 = 0.4});
  test::check_gradient_law<Plain>(MAWU{.pair_mean = PairMean::strict});
  test::check_gradient_law<Plain>(MAWU{.broadcast = true});
  test::check_gradient_law<Plain>(MACR{.negatives = 3, .alpha = 0.5, .beta = 0.25});
  test::check_gradient_law<Plain>(
      Penalized<BPR, IPL>{.loss = {}, .penalty = {.weight = 0.3, .sums = IPLSums::batch}});
  // Sums over pairs alone, and over negatives too.
  const IPL unsorted{.weight = 0.3, .sums = IPLSums::batch_unsorted};
  test::check_gradient_law<Plain>(Penalized<Dot, IPL>{.loss = {}, .penalty = unsorted});
  test::check_gradient_law<Plain>(Penalized<BPR, IPL>{.loss = {}, .penalty = unsorted});
  test::check_gradient_law<Plain>(Penalized<Penalized<SSM, OnePenalty<IPL, ReSN>>, ReSN>{
      .loss = {.loss = {.negatives = 3}, .penalty = unsorted}, .penalty = {}});
  test::check_gradient_law<Plain>(Penalized<Penalized<DirectAU, IPL>, ReSN>{});
}

TEST_CASE("a loss without negatives passes the gradient check in a sum with one that uses them") {
  using Plain = MF<dynamic>;
  test::check_gradient_law<Plain>(Penalized<BPR, DirectAU>{});
  test::check_gradient_law<Plain>(
      Penalized<BPR, DirectAU>{.loss = {.negatives = 3}, .penalty = {.duplicates = true}});
  test::check_gradient_law<Plain>(Penalized<SSM, MAWU>{});
  test::check_gradient_law<Plain>(Penalized<BPR, Cosine>{});
  test::check_gradient_law<Plain>(Penalized<BPR, Dot>{});
  test::check_gradient_law<Plain>(Penalized<BPR, Euclidean>{});
  test::check_gradient_law<Plain>(Penalized<Penalized<BPR, IPL>, Dot>{});
  test::check_gradient_law<Plain>(
      Penalized<BPR, OnePenalty<IPL, Dot>>{.loss = {}, .penalty = Dot{}});
}

namespace {

/// Declares overwrites_gradient, but does not write the items' gradient.
struct Forgetful {
  static constexpr std::string_view name = "Forgetful";
  static constexpr LossTraits traits{.overwrites_gradient = true};

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Rows<T> users = step.gradient.users;
    std::fill_n(users.data(), users.num_elements(), T{0});
    return 0;
  }
};

}  // namespace

TEST_CASE("a loss that does not write all rows that it must overwrite fails the gradient check") {
  CHECK_FALSE(test::gradient_error<MF<dynamic>>(0, Forgetful{}, 1.0) <= test::gradient_bound);
}
