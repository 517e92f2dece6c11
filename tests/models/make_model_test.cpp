// SPDX-License-Identifier: BSD-3-Clause
// Models by the names of their policies are those of the types.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <prism/experiment/spec_trial.hpp>
#include <prism/prism.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/error_of.hpp"

using namespace prism;

namespace {

const Split& split_of_spec() {
  static const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 8}));
  return split;
}

FitOptions two_epochs() { return {.learning_rate = 1e-2, .batch_size = 100, .epochs = 2}; }

/// The lists of a model by its type, and of one by names, after the same training.
template <class Model>
void check_same_lists(const ModelSpec& spec, typename Model::Options options) {
  Model model(split_of_spec().train, std::move(options));
  fit(model, split_of_spec(), two_epochs(), Silent());
  const auto named = make_model(spec, split_of_spec().train);
  named->fit(split_of_spec(), two_epochs(), {});
  for (const Index user : {0u, 17u, 59u}) {
    const auto list = named->recommend(user, 5);
    const auto expected = recommend(model, user, 5);
    REQUIRE(list.size() == expected.size());
    for (std::size_t place = 0; place < list.size(); ++place) {
      CHECK(list[place].item == expected[place].item);
      CHECK(list[place].score == static_cast<double>(expected[place].score));
    }
  }
}

const PolicyDescription& described(const std::vector<PolicyDescription>& all,
                                   const std::string& name) {
  for (const PolicyDescription& policy : all) {
    if (policy.name == name) return policy;
  }
  FAIL("no policy " << name);
  return all.front();
}

}  // namespace

TEST_CASE("a model by names computes what the model's type does") {
  check_same_lists<Recommender<MF<8>, DirectAU>>({.dim = 8}, {});
  check_same_lists<Recommender<LightGCN<8, 3>, SSM, FullWD, PRISM<dynamic>>>(
      {.backbone = "LightGCN",
       .loss = "SSM",
       .regularizer = "FullWD",
       .initializer = "PRISM",
       .dim = 8,
       .options = {{"tau", 0.5}, {"loss.negatives", 3}, {"lambda", 1e-3}, {"initializer.alpha", 2}},
       .seed = 7},
      {.seed = 7,
       .loss = {.negatives = 3, .tau = 0.5},
       .regularizer = {.lambda = 1e-3},
       .initializer = {.alpha = 2}});
  check_same_lists<Recommender<MLP<8, 2, Identity>, PSL, None, Xavier, SGD,
                               SharedNegatives<PopularityNegatives>>>(
      {.backbone = "MLP",
       .loss = "PSL",
       .optimizer = "SGD",
       .sampler = "SharedPopularityNegatives",
       .dim = 8,
       .activation = "Identity",
       .options = {{"surrogate", 1}, {"negatives", 6}, {"mask", 2}, {"sampler.power", 0.5}}},
      {.loss = {.negatives = 6, .surrogate = Surrogate::atan},
       .sampler = {.base = {.power = 0.5}, .mask = NegativeMask::seen_items}});
  check_same_lists<Recommender<Dropout<MF<8>>, Penalized<BPR, IPL>>>(
      {.loss = "BPR", .penalty = "IPL", .dim = 8, .dropout = 0.2, .options = {{"gamma", 1.5}}},
      {.backbone = {.rate = 0.2}, .loss = {.penalty = {.gamma = 1.5}}});
}

TEST_CASE("every policy that is listed makes a model that trains") {
  for (const PolicyDescription& policy : compiled_policies()) {
    CAPTURE(policy.name);
    ModelSpec spec{.dim = 4};
    if (policy.kind == "backbone") spec.backbone = policy.name;
    if (policy.kind == "loss") spec.loss = policy.name;
    if (policy.kind == "penalty") spec.penalty = policy.name;
    if (policy.kind == "regularizer") spec.regularizer = policy.name;
    if (policy.kind == "initializer") spec.initializer = policy.name;
    if (policy.kind == "optimizer") spec.optimizer = policy.name;
    if (policy.kind == "sampler") spec.sampler = policy.name;
    if (policy.kind == "sampler" || policy.kind == "penalty") spec.loss = "BPR";
    // Each option at its default, by its name: the model is the same.
    for (const OptionDescription& option : policy.options) {
      CHECK(option.domain.contains(option.value));
      spec.options.push_back({option.qualified, option.value});
    }
    FitOptions one = two_epochs();
    one.epochs = 1;
    const auto model = make_model(spec, split_of_spec().train);
    // A model's name leaves these two out.
    const bool unnamed = policy.name == "Adam" || policy.name == "UniformNegatives";
    CHECK((unnamed || model->name().find(policy.name) != std::string::npos));
    CHECK(model->fit(split_of_spec(), one, {}).epochs.size() == 1);
  }
}

TEST_CASE("options are described with their kinds, defaults and domains") {
  const auto all = compiled_policies();
  std::set<std::string> names;
  for (const PolicyDescription& policy : all) CHECK(names.insert(policy.name).second);
  const auto& psl = described(all, "PSL").options;
  REQUIRE(psl.size() == 3);
  CHECK(psl[0].qualified == "loss.negatives");
  CHECK(psl[0].kind == OptionKind::integer);
  CHECK(psl[0].value == 1000);
  CHECK(psl[1].kind == OptionKind::number);
  CHECK(psl[1].domain.text == "from 1e-6 to 1e6");
  CHECK(psl[2].kind == OptionKind::enumeration);
  CHECK(psl[2].domain.enumerators == "tanh, atan, relu");
  CHECK(psl[2].domain.high == 2);
  CHECK(described(all, "SSM").options[2].kind == OptionKind::boolean);
}

TEST_CASE("names and options that a model does not have are refused, with those that it has") {
  const Interactions& train = split_of_spec().train;
  const auto problem = [&](const ModelSpec& spec) {
    return test::error_of<Error>([&] { static_cast<void>(make_model(spec, train)); });
  };
  CHECK(problem({.loss = "Hinge"}).find("loss: must be one of BPR, SSM") != std::string::npos);
  CHECK(problem({.backbone = "mf"}).find("must be one of MF, MLP") != std::string::npos);
  CHECK(problem({.penalty = "L1"}).find("must be one of IPL, ReSN") != std::string::npos);
  CHECK(problem({.backbone = "MLP", .activation = "tanh"}).find("must be one of ReLU, Identity") !=
        std::string::npos);
  CHECK(problem({.options = {{"tau", 1}}}).find("is no option of these policies, which have") !=
        std::string::npos);
  CHECK(problem({.loss = "SSM", .options = {{"tau", 0}}}).find("from 1e-6 to 1e6") !=
        std::string::npos);
  CHECK(problem({.loss = "SSM", .options = {{"negatives", 1.5}}}).find("must be an integer") !=
        std::string::npos);
  CHECK(problem({.loss = "PSL", .options = {{"surrogate", 3}}}).find("enumerators") !=
        std::string::npos);
  CHECK(problem({.loss = "BPR", .penalty = "IPL", .options = {{"penalty.weight", -1}}})
            .find("penalty.weight: must be a finite number of at least 0") != std::string::npos);
  CHECK(problem({.dim = 0}).find("at least 1") != std::string::npos);
}

TEST_CASE("the preset of the published code gives policies their options, unless they are given") {
  const auto policies = [](const ModelSpec& spec) {
    return make_model(spec, split_of_spec().train)->policies()[1];
  };
  CHECK(policies({.loss = "SSM", .released = true}).find("negatives 20") != std::string::npos);
  CHECK(policies({.loss = "SSM", .released = true, .options = {{"negatives", 5}}})
            .find("negatives 5") != std::string::npos);
}

TEST_CASE("a trial by names has the key of the records, and the results of the model") {
  const auto split = std::make_shared<const Split>(split_of_spec());
  const ModelSpec spec{.loss = "SSM", .dim = 4, .options = {{"tau", 0.3}}};
  const TrialSpec trial = spec_trial(spec, {split, "the split"}, two_epochs(), {{"tau", 0.3}});
  // docs/evidence/results/records.jsonl has keys of this form: with another, its trials would run
  // anew.
  CHECK(trial.key ==
        "MF<4> + SSM + None + Xavier (MF<4>, rate 0, MF<4> + SSM, SSM, log_q 0, negatives 10, tau "
        "0.3, ,  + None, None + Xavier, Xavier + Adam, Adam, beta1 0.9, beta2 0.999, epsilon 1e-08 "
        "+ UniformNegatives, UniformNegatives + float); seed 123; learning_rate 0.01; batch_size "
        "100; k 20; shuffle every epoch; schedule default; metric NDCG; epochs 2, patience 10, "
        "min_steps 1000; the split");
  const auto run = trial.make({});
  run->train(2, {});
  const auto model = make_model(spec, split->train);
  model->fit(*split, two_epochs(), {});
  CHECK(run->report().dot.ndcg ==
        model->evaluate(split->test, {.exclude = {&split->train, &split->validation}}).ndcg);
}
