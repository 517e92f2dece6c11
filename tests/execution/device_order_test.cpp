// SPDX-License-Identifier: BSD-3-Clause
// A device runs its warps in no order: a model trained on one does not depend on it.
#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>

#include "policies.hpp"
#include "reversed_grid.hpp"

using namespace prism;

namespace {

template <class Model, Execution X>
Model trained(const X& exec, const Split& split) {
  Model model(exec, split.train, {.backbone = test::with_dim<typename Model::backbone_type>(19)});
  fit(exec, model, split, {.learning_rate = 0.01, .batch_size = 200, .epochs = 2}, Silent());
  return model;
}

}  // namespace

TEST_CASE("a model trained on a device does not depend on the order of warps and lanes") {
  const Split split = random_split(
      synthetic_interactions({.users = 120, .items = 90, .interactions_per_user = 10}));
  const auto check = [&]<class Loss, class Sampler>(std::type_identity<Types<Loss, Sampler>>) {
    using Model = Recommender<MF<dynamic>, Loss, None, Xavier, Adam, Sampler>;
    const auto forward = trained<Model>(serial_grid, split);
    const auto backward = trained<Model>(test::reversed_grid, split);
    INFO(forward.name());
    INFO(std::string(Sampler::name));
    CHECK(std::ranges::equal(forward.users(), backward.users()));
    CHECK(std::ranges::equal(forward.items(), backward.items()));
  };
  check(std::type_identity<Types<BPR, UniformNegatives>>{});
  check(std::type_identity<Types<BPR, InBatchNegatives>>{});
  check(std::type_identity<Types<SSM, InBatchNegatives>>{});
  check(std::type_identity<Types<Penalized<MACR, IPL>, UniformNegatives>>{});
  check(std::type_identity<Types<Penalized<MAWU, ReSN>, UniformNegatives>>{});
}
