// SPDX-License-Identifier: BSD-3-Clause
// User-defined losses that are formulas of scores: gradients, options by name, saved models and
// checkpoints.
#include "policy/formulas.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <prism/experiment/hyperparameters.hpp>

#include "policy/gradient_law.hpp"
#include "support/error_of.hpp"

using namespace prism;

namespace {

template <class F, class Derivative>
void check_dual(const F& f, const Derivative& derivative) {
  for (const double x : {-2.5, -0.75, 0.25, 1.5}) {
    CAPTURE(x);
    const Dual<double> result = f(Dual<double>::variable(x));
    CHECK(result.derivatives[0] == doctest::Approx(derivative(x)).epsilon(1e-12));
  }
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

using HingeModel = Recommender<MF<8>, test::SquaredHinge>;

struct WithTraits {
  static constexpr std::string_view name = "WithTraits";
  static constexpr Similarity similarity = Similarity::dot;
  static constexpr LossTraits traits{.dot_product_logits = false};
  int negatives = 4;
  template <class T>
  constexpr T pairwise(T difference) const {
    return difference;
  }
};
static_assert(LossPolicy<WithTraits>);

}  // namespace

TEST_CASE("dual numbers have the derivatives of their functions") {
  using D = Dual<double>;
  check_dual([](D x) { return x * x / (x + 4.0) - 2.0 * x; },
             [](double x) { return (x * x + 8 * x) / ((x + 4) * (x + 4)) - 2; });
  check_dual([](D x) { return exp(-x); }, [](double x) { return -std::exp(-x); });
  check_dual([](D x) { return log(x * x); }, [](double x) { return 2 / x; });
  check_dual([](D x) { return sqrt(abs(x)); },
             [](double x) { return (x < 0 ? -1 : 1) / (2 * std::sqrt(std::abs(x))); });
  check_dual([](D x) { return sigmoid(x); }, [](double x) { return logistic(x) * logistic(-x); });
  check_dual([](D x) { return softplus(x); }, [](double x) { return logistic(x); });
  check_dual([](D x) { return tanh(x); }, [](double x) { return 1 - std::tanh(x) * std::tanh(x); });
  check_dual([](D x) { return max(x, D{0}) + min(2.0 * x, D{1}); },
             [](double x) { return (x < 0 ? 0 : 1) + (2 * x < 1 ? 2 : 0); });
  const auto x = Dual<double, 2>::variable(3, 0), y = Dual<double, 2>::variable(5, 1);
  CHECK((x * y).derivatives == std::array<double, 2>{5, 3});
  CHECK((x < y && y > x && x <= y && y >= x));
  const D nan = D::variable(std::numeric_limits<double>::quiet_NaN());
  for (const D& result : {max(D{0}, nan), max(nan, D{0}), min(D{0}, nan), min(nan, D{0})}) {
    CHECK(std::isnan(result.value));
  }
}

TEST_CASE("the gradients of formulas without derivatives are right, with masks, for any sampler") {
  test::check_gradient_law<MF<dynamic>>(test::SquaredHinge{});
  test::check_gradient_law<MF<dynamic>>(test::Top1{});
  test::check_gradient_law<MF<dynamic>>(test::BinaryCrossEntropy{});
  test::check_gradient_law<MF<dynamic>>(test::PlainBPR{});
}

TEST_CASE("a formula has the value and the gradient of the same loss with its derivative") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    GradientProblem problem(seed, 3);
    problem.shared = seed % 2 == 1;
    problem.mask = static_cast<NegativeMask>(problem.shared ? seed % 3 : 0);
    const auto evaluated = [&](const auto& loss, BatchGradients<double>& gradients) {
      using Loss = std::remove_cvref_t<decltype(loss)>;
      BatchEvaluation<double, MF<dynamic>, Loss> evaluate(MF<dynamic>(problem.dim), loss,
                                                          problem.train, problem.pairs,
                                                          problem.batch_negatives(), seed);
      auto users = zeros<double>(problem.train.users(), problem.dim);
      auto items = zeros<double>(problem.train.items(), problem.dim);
      std::uint64_t draw = 0;
      for (Matrix<double>* table : {&users, &items}) {
        for (double& value : *table) value = standard_normal(Random(seed, Stream::users), draw++);
      }
      return evaluate(users, items, &gradients);
    };
    BatchGradients<double> plain, with_derivative;
    CHECK(evaluated(test::PlainBPR{}, plain) ==
          doctest::Approx(evaluated(BPR{.negatives = 3}, with_derivative)).epsilon(1e-12));
    for (std::size_t k = 0; k < plain.items.size(); ++k) {
      CHECK(plain.items.data()[k] ==
            doctest::Approx(with_derivative.items.data()[k]).epsilon(1e-10));
    }
  }
}

TEST_CASE("a formula's traits follow from it") {
  CHECK(loss_traits(test::SquaredHinge{.negatives = 7}).negatives == 7);
  CHECK(!loss_traits(test::SquaredHinge{}).dot_product_logits);
  CHECK(loss_traits(test::Top1{}).dot_product_logits);
  CHECK(loss_traits(Dot{}).negatives == 0);
  CHECK(!loss_traits(Dot{}).dot_product_logits);
  CHECK(loss_traits(SSM{.log_q = true}).reads_log_probability);
  CHECK(!loss_traits(SSM{}).reads_log_probability);
}

TEST_CASE("a formula declares only the traits that do not follow from it") {
  CHECK(loss_traits(WithTraits{}).negatives == 4);
  CHECK(loss_traits(WithTraits{}).overwrites_gradient);
  CHECK(!loss_traits(WithTraits{}).dot_product_logits);
}

// Checkpoints, records of trials and saved models of earlier versions have these texts.
TEST_CASE("the library's policies are described as ever") {
  CHECK(describe(BPR{}) == "BPR, negatives 1");
  CHECK(describe(SSM{}) == "SSM, log_q 0, negatives 10, tau 0.2");
  CHECK(describe(BSL{}) == "BSL, average_positives 1, negatives 800, power 1, tau1 0.1, tau2 0.1");
  CHECK(describe(PSL{}) == "PSL, negatives 1000, surrogate 0, tau 0.1");
  CHECK(describe(SLK{}) ==
        "SLK, constant_weight 0, k 20, negatives 1000, quantile_negatives 1000, refresh_epochs 20, "
        "tau_d 0.1, tau_w 2.25");
  CHECK(describe(CCL{}) == "CCL, margin 0.9, negatives 800, weight 150");
  CHECK(describe(UltraGCN{}) ==
        "UltraGCN, negatives 1500, w1 1e-06, w2 1, w3 1e-06, w4 1, weight 300");
  CHECK(describe(DirectAU{}) == "DirectAU, duplicates 0, gamma 1");
  CHECK(describe(MAWU{}) == "MAWU, broadcast 0, gamma1 0.2, gamma2 0.2, pair_mean 1");
  CHECK(describe(MACR{}) == "MACR, alpha 0.001, beta 0.001, c 1, negatives 1");
  CHECK(describe(Penalized<BPR, IPL>{}) ==
        "BPR & IPL, BPR, negatives 1, IPL, gamma 1.285, sums 0, weight 0.1");
  CHECK(describe(Adam{}) == "Adam, beta1 0.9, beta2 0.999, epsilon 1e-08");
  CHECK(describe(FullWD{}) == "FullWD, lambda 1e-06");
  CHECK(describe(PRISM<0.5>{}) == "PRISM<0.5>, scale 1, Xavier");
  CHECK(describe(PRISM<dynamic>{.alpha = 0.5}) == "PRISM<0.5>, alpha 0.5, scale 1, Xavier");
  CHECK(describe(SharedNegatives<>{}) == "SharedUniformNegatives, mask 1, UniformNegatives");
  CHECK(describe(Dropout<MF<8>>{}) == "MF<8> with dropout 0.1, rate 0.1, MF<8>");
}

TEST_CASE("an option in a policy's table is described, checked and set by name") {
  test::SquaredHinge loss{.least_gap = 0.25};
  CHECK(describe(loss) == "SquaredHinge, least_gap 0.25, negatives 3");
  HingeModel::Options options;
  FitOptions fit;
  CHECK(set_hyperparameter(options, fit, {"least_gap", 2}));
  CHECK(options.loss.least_gap == 2);
  loss.least_gap = -1;
  CHECK(test::refusal([&] { check_options(loss); }) ==
        "least_gap: must be a finite number above 0, not -1");
  const Interactions train = synthetic_interactions({.users = 20, .items = 100});
  CHECK_THROWS_AS(HingeModel(train, {.loss = loss}), ArgumentError);
}
