// SPDX-License-Identifier: BSD-3-Clause
// What policies declare, where it is known only at run time. Wrong declarations that are known
// earlier do not compile: see messages/.
#include <doctest/doctest.h>

#include <filesystem>
#include <prism/experiment/candidates.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

struct Zero {
  static constexpr std::string_view name = "Zero";
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) const {
    return 0;
  }
};

/// Its options are not constant expressions, and it declares a ranking rule that it lacks.
struct Promising : Zero {
  std::filesystem::path file;
  [[nodiscard]] LossTraits traits() const { return {.has_ranking_rule = true}; }
};

/// Ranks by the score less a half, where it is asked to.
struct Halving : Zero {
  std::filesystem::path file;
  bool halves = true;
  [[nodiscard]] LossTraits traits() const { return {.has_ranking_rule = halves}; }
  template <class T, Execution X>
  void ranking_rule(const X&, Scorer<T>& scorer, const Stateless<Halving>&) const {
    scorer.offset = T{0.5};
  }
};

/// Has members with the names of options and parts that are neither, and is in a namespace with
/// functions of the library's names.
namespace other {

struct Named : Zero {
  static constexpr double margin = 1;
  double penalty = 0.1, base = 2, tau = 0.5;
  static constexpr auto options = option_table(option<&Named::tau>("tau", domain::positive));
  [[nodiscard]] static std::string label() { return "Named"; }
};
[[maybe_unused]] std::string label(const Named&) { return "taken"; }
[[maybe_unused]] std::string describe(const Named&) { return "taken"; }
[[maybe_unused]] LossTraits loss_traits(const Named&) { return {.negatives = 1}; }

}  // namespace other

struct Slope : ReLU {
  double slope = 0;
  void check() const { require_positive("slope", slope); }
};

struct Filled : Xavier {
  double value = 0;
  void check() const { require_positive("value", value); }
};

// A type with a malformed hook is not a policy.
struct Unchecked : Zero {
  void check() {}
};
struct ForOneExecution {
  static constexpr std::string_view name = "ForOneExecution";
  template <class T>
  double operator()(const LossStep<T>&) const {
    return 0;
  }
};
struct Final final : Zero {};
static_assert(LossPolicy<Zero> && LossPolicy<Promising> && LossPolicy<Halving>);
static_assert(LossPolicy<Final>);
static_assert(!LossPolicy<Unchecked>);
static_assert(LossPolicy<ForOneExecution> && !LossPolicy<ForOneExecution, double, Serial>);
static_assert(LossPolicy<BPR, float, Serial> && LossPolicy<Penalized<MACR, IPL>, float, Serial>);
static_assert(BackbonePolicy<LightGCN<8>, float, Serial> && BackbonePolicy<MLP<8>, float, Serial>);
static_assert(OptimizerPolicy<Adam, float, Serial> && SamplerPolicy<InBatchNegatives, Serial>);
static_assert(InitializerPolicy<PRISM<1.0>, float, Serial>);

// Traits are constants if the options are.
static_assert(loss_traits(Zero{}).negatives == 0 && !loss_traits(Zero{}).overwrites_gradient);
static_assert(loss_traits(BPR{.negatives = 7}).negatives == 7);
static_assert(loss_traits(IPL{}).needs_all_rows &&
              !loss_traits(IPL{.sums = IPLSums::batch}).needs_all_rows);
static_assert(!loss_traits(IPL{}).sees_negatives &&
              loss_traits(IPL{.sums = IPLSums::batch_unsorted}).sees_negatives &&
              loss_traits(Penalized<IPL, ReSN>{.loss = {.sums = IPLSums::batch_unsorted},
                                               .penalty = {}})
                  .sees_negatives);
static_assert(loss_traits(Penalized<MACR, IPL>{}).needs_all_rows);
static_assert(!backbone_traits<MF<8>>().needs_all_rows &&
              backbone_traits<LightGCN<8>>().needs_all_rows);

const Interactions two_pairs(2, 2, std::vector<Interaction>{{0, 0}, {1, 1}});

Interactions one_pair(Index user, Index item) {
  return {2, 2, std::vector<Interaction>{{user, item}}};
}

}  // namespace

TEST_CASE("a loss's traits follow its options, and a penalty's the one that is chosen") {
  using Both = Penalized<SSM, OnePenalty<IPL, Dot>>;
  CHECK(loss_traits(Both{.loss = {.negatives = 3}, .penalty = {}}).negatives == 3);
  CHECK(!loss_traits(Both{}).needs_all_rows);
  CHECK(loss_traits(Both{.loss = {}, .penalty = IPL{}}).needs_all_rows);
  CHECK(!loss_traits(OnePenalty<IPL, Dot>{IPL{}}).overwrites_gradient);
  CHECK(loss_traits(OnePenalty<IPL, Dot>{Dot{}}).overwrites_gradient);
}

TEST_CASE("a ranking rule is used where the traits say that there is one") {
  using Model = Recommender<MF<4>, Halving>;
  const auto offset = [](const Model& model) { return model.scorer().offset; };
  CHECK(offset(Model(two_pairs)) == 0.5F);
  Model::Options options;
  options.loss.halves = false;
  CHECK(offset(Model(two_pairs, options)) == 0);
  const Recommender<MF<4>, Penalized<MACR, ReSN>> with_rule(two_pairs);
  CHECK(with_rule.scorer().user_factor.size() == 2);
  const Recommender<MF<4>, Penalized<BPR, ReSN>> without(two_pairs);
  CHECK(without.scorer().user_factor.empty());
}

TEST_CASE("a ranking rule that is promised at run time alone, and missing, is refused") {
  const Recommender<MF<4>, Promising> model(two_pairs);
  CHECK_THROWS_AS(static_cast<void>(model.scorer()), ArgumentError);
}

TEST_CASE("members that are no options or parts, and functions of the same names, do no harm") {
  using Model = Recommender<MF<4>, other::Named>;
  Model model(two_pairs);
  CHECK(model.name().find("taken") == std::string::npos);
  CHECK(prism::describe(other::Named{}) == "Named, tau 0.5");
  CHECK(fit(model, Split{two_pairs, {}, {}}, {.learning_rate = 0.1, .epochs = 1}, Silent())
            .epochs.size() == 1);
  const auto trials = candidates<Types<Model>>(Split{two_pairs, one_pair(0, 1), one_pair(1, 0)},
                                               SearchSpace().grid("tau", {0.1, 0.2}),
                                               {.learning_rate = 0.1, .epochs = 1});
  CHECK(trials.size() == 2);
}

TEST_CASE("options of policies inside policies are looked at") {
  using Towers = MLP<dynamic, 2, Slope>;
  CHECK_THROWS_AS((Recommender<Towers, BPR>(two_pairs, {.backbone = Towers(4)})), ArgumentError);
  Slope right;
  right.slope = 0.5;
  CHECK_NOTHROW((Recommender<Towers, BPR>(two_pairs, {.backbone = Towers(4, right)})));
  using Initializer = PRISM<1.0, Filled>;
  CHECK_THROWS_AS((Recommender<MF<4>, BPR, None, Initializer>(two_pairs)), ArgumentError);
}
