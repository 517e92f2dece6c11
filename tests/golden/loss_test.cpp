// SPDX-License-Identifier: BSD-3-Clause
// Losses and their gradients, through MF.
#include <optional>

#include "golden.hpp"

using namespace prism;

namespace {

/// @param extra  golden arrays of the loss's parameters, in their order
template <class T, class Loss>
void check_loss(const std::string& name, const Loss& loss, std::vector<std::string> extra) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const std::vector<Interaction> pairs = golden.pairs("pairs");
  std::vector<Index> negatives = golden.indices("negatives");
  if (loss_traits(loss).negatives == 0) negatives.clear();
  REQUIRE(negatives.size() == loss_traits(loss).negatives * pairs.size());
  const Interactions train(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)),
                           pairs);
  test::Evaluation<T, MF<dynamic>, Loss, test::GoldenExecution> evaluate(
      MF<dynamic>(users.shape(1)), loss, train, pairs, negatives);
  test::check_value_and_gradients<T>(evaluate, golden, extra);
}

template <class Loss>
void check_loss(const std::string& name, const Loss& loss,
                const std::vector<std::string>& extra = {}) {
  check_loss<double>(name, loss, extra);
  check_loss<float>(name, loss, extra);
}

template <class T, class Loss>
void check_shared_loss_in(const std::string& name, const Loss& loss, NegativeMask mask) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const std::vector<Interaction> pairs = golden.pairs("pairs");
  const std::vector<Index> negatives = golden.indices("negatives");
  const Interactions train(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)),
                           pairs);
  test::Evaluation<T, MF<dynamic>, Loss, test::GoldenExecution> evaluate(
      MF<dynamic>(users.shape(1)), loss, train, pairs, BatchNegatives(negatives, mask));
  if (loss_traits(loss).reads_log_probability) {
    evaluate.set_log_probability(golden["log_q"].values);
  }
  test::check_value_and_gradients<T>(evaluate, golden, {});
}

/// That each pair's own negatives, if all pairs have the same, give what shared ones give.
template <class T>
void check_log_q_of_own_negatives() {
  const test::GoldenCase golden("loss_ssm_shared_logq");
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const std::vector<Interaction> pairs = golden.pairs("pairs");
  const std::vector<Index> negatives = golden.indices("negatives");
  std::vector<Index> own;  // the same for all pairs, but each from another one on
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (std::size_t j = 0; j < negatives.size(); ++j) {
      own.push_back(negatives[(p + j) % negatives.size()]);
    }
  }
  const SSM loss{.negatives = negatives.size(), .log_q = true};
  const auto evaluated = [&](const BatchNegatives& of_batch) {
    test::Evaluation<T, MF<dynamic>, SSM, test::GoldenExecution> evaluate(
        MF<dynamic>(users.shape(1)), loss,
        Interactions(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)), pairs),
        pairs, of_batch);
    evaluate.set_log_probability(golden["log_q"].values);
    BatchGradients<T> gradients;
    const double value = evaluate(users, items, &gradients);
    std::vector<double> all{value};
    all.insert(all.end(), gradients.users.begin(), gradients.users.end());
    all.insert(all.end(), gradients.items.begin(), gradients.items.end());
    return all;
  };
  const std::vector<double> shared = evaluated(BatchNegatives(negatives, NegativeMask::none));
  const std::vector<double> separate = evaluated(BatchNegatives(own));
  REQUIRE(separate.size() == shared.size());
  for (std::size_t k = 0; k < shared.size(); ++k) {
    CHECK(separate[k] == doctest::Approx(shared[k]).epsilon(test::bound<T>));
  }
}

template <class Loss>
void check_shared_loss(const std::string& name, const Loss& loss, NegativeMask mask) {
  check_shared_loss_in<double>(name, loss, mask);
  check_shared_loss_in<float>(name, loss, mask);
}

/// @param mask  of shared negatives; absent: each pair has its own
template <class T>
void check_slk(const std::string& name, const SLK& loss, std::optional<NegativeMask> mask = {}) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const std::vector<Interaction> pairs = golden.pairs("pairs");
  const std::vector<Index> negatives = golden.indices("negatives");
  const Interactions train(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)),
                           pairs);
  test::Evaluation<T, MF<dynamic>, SLK, test::GoldenExecution> evaluate(
      MF<dynamic>(users.shape(1)), loss, train, pairs,
      mask ? BatchNegatives(negatives, *mask) : BatchNegatives(negatives));
  evaluate.loss_state().beta = golden.matrix<T>("beta");
  test::check_value_and_gradients<T>(evaluate, golden, {});
}

template <class T>
void check_quantiles() {
  const test::GoldenCase golden("quantile_slk");
  const auto users = golden.matrix<T>("users"), items = golden.matrix<T>("items");
  const Interactions train(static_cast<Index>(users.shape(0)), static_cast<Index>(items.shape(0)),
                           golden.pairs("train"));
  const SLK loss{.k = 3, .quantile_negatives = items.shape(0)};
  auto state = make_state<T>(loss, StateContext{train, users.shape(1), 1});
  const EpochStart<T, test::GoldenExecution> start{
      1, train, Random(1, Stream::epoch_start),
      [&] { return Output<T>(Embeddings<const T>{rows(users), rows(items)}); }};
  loss.begin_epoch(start, state);
  CHECK(test::relative_error(state.beta, golden["beta"]) <= test::bound<T>);
}

}  // namespace

TEST_CASE("loss_bpr_1neg") { check_loss("loss_bpr_1neg", BPR{.negatives = 1}); }
TEST_CASE("loss_bpr_5neg") { check_loss("loss_bpr_5neg", BPR{.negatives = 5}); }
TEST_CASE("loss_ssm_tau0.1") { check_loss("loss_ssm_tau0.1", SSM{.tau = 0.1}); }
TEST_CASE("loss_ssm_tau0.2") { check_loss("loss_ssm_tau0.2", SSM{.tau = 0.2}); }
TEST_CASE("loss_ssm_extreme") { check_loss("loss_ssm_extreme", SSM{.tau = 0.02}); }
TEST_CASE("loss_directau_gamma0.5") { check_loss("loss_directau_gamma0.5", DirectAU{.gamma = .5}); }
TEST_CASE("loss_directau_gamma1.0") { check_loss("loss_directau_gamma1.0", DirectAU{.gamma = 1}); }
TEST_CASE("loss_directau_gamma5.0") { check_loss("loss_directau_gamma5.0", DirectAU{.gamma = 5}); }
TEST_CASE("loss_directau_dim67") { check_loss("loss_directau_dim67", DirectAU{.gamma = 1}); }
TEST_CASE("loss_mawu") {
  check_loss("loss_mawu", MAWU{.gamma1 = 2.6, .gamma2 = 1.4}, {"user_margins", "item_margins"});
}
TEST_CASE("loss_mawu_strict") {
  check_loss("loss_mawu_strict", MAWU{.gamma1 = 0.8, .gamma2 = 0.6, .pair_mean = PairMean::strict},
             {"user_margins", "item_margins"});
}
TEST_CASE("loss_macr") {
  check_loss("loss_macr", MACR{.alpha = 1e-2, .beta = 1e-3}, {"user_head", "item_head"});
}
TEST_CASE("loss_ccl") { check_loss("loss_ccl", CCL{.negatives = 5, .margin = 0.2, .weight = 250}); }
TEST_CASE("loss_ultragcn") {
  const UltraGCN loss{.negatives = 5, .weight = 10, .w1 = 0.5, .w2 = 2, .w3 = 0.25, .w4 = 3};
  check_loss("loss_ultragcn", loss);
  check_shared_loss("loss_ultragcn_shared", loss, NegativeMask::none);
}
TEST_CASE("loss_bsl") {
  check_loss("loss_bsl", BSL{.negatives = 5, .tau1 = 0.2, .tau2 = 0.1, .average_positives = false});
}
TEST_CASE("loss_bsl_equal") {
  check_loss("loss_bsl_equal",
             BSL{.negatives = 5, .tau1 = 0.2, .tau2 = 0.2, .average_positives = false});
}
TEST_CASE("loss_bsl_power") {
  check_loss(
      "loss_bsl_power",
      BSL{.negatives = 5, .tau1 = 0.14, .tau2 = 0.14, .power = 1.32, .average_positives = false});
}
TEST_CASE("loss_psl") {
  check_loss("loss_psl_tanh", PSL{.negatives = 5, .tau = 0.1});
  check_loss("loss_psl_atan", PSL{.negatives = 5, .tau = 0.1, .surrogate = Surrogate::atan});
  check_loss("loss_psl_relu", PSL{.negatives = 5, .tau = 0.1, .surrogate = Surrogate::relu});
}
TEST_CASE("loss_slk") {
  check_slk<double>("loss_slk", SLK{.negatives = 5, .tau_d = 0.2, .tau_w = 0.5});
  check_slk<float>("loss_slk", SLK{.negatives = 5, .tau_d = 0.2, .tau_w = 0.5});
}
TEST_CASE("loss_slk_shared") {
  check_slk<double>("loss_slk_shared", SLK{.tau_w = 2.25}, NegativeMask::own_item);
  check_slk<float>("loss_slk_shared", SLK{.tau_w = 2.25}, NegativeMask::own_item);
}
TEST_CASE("loss_slk_constant") {
  const SLK loss{.negatives = 5, .tau_d = 0.2, .tau_w = 0.25, .constant_weight = true};
  check_slk<double>("loss_slk_constant", loss);
  check_slk<float>("loss_slk_constant", loss);
}
TEST_CASE("quantile_slk") {
  check_quantiles<double>();
  check_quantiles<float>();
}
TEST_CASE("losses with negatives that all pairs share") {
  check_shared_loss("loss_bpr_shared", BPR{}, NegativeMask::none);
  check_shared_loss("loss_ssm_shared", SSM{}, NegativeMask::own_item);
  check_shared_loss("loss_ssm_shared_logq", SSM{.log_q = true}, NegativeMask::own_item);
}
TEST_CASE("log q of each pair's own negatives") {
  check_log_q_of_own_negatives<double>();
  check_log_q_of_own_negatives<float>();
}
TEST_CASE("loss_cosine") { check_loss("loss_cosine", Cosine{}); }
