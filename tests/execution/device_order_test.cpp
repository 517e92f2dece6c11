// SPDX-License-Identifier: BSD-3-Clause
// A device runs its warps in no fixed order: a model trained on it does not depend on the order.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <prism/training/epoch_pairs.hpp>
#include <type_traits>
#include <vector>

#include "policies.hpp"
#include "reversed_grid.hpp"

namespace test {

/// serial_grid whose host has threads, as a device's has.
struct GridOfThreadedHost {
  using isa = prism::isa::emulated_warp;
};

}  // namespace test

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_device<test::GridOfThreadedHost> = true;
template <>
struct Backend<test::GridOfThreadedHost> : Backend<SerialGrid> {
  [[nodiscard]] static Host<> host_of(const auto& /*exec*/) noexcept { return {}; }
};

}  // namespace prism::inline PRISM_ISA

using namespace prism;

namespace {

template <class Model, Execution X>
Model trained(const X& exec, const Split& split) {
  Model model(exec, split.train, {.backbone = test::with_dim<typename Model::backbone_type>(19)});
  fit(exec, model, split, {.learning_rate = 0.01, .batch_size = 200, .epochs = 2}, Silent());
  return model;
}

}  // namespace

TEST_CASE("the epochs' orders, drawn while a device trains, are the host's") {
  const Interactions train =
      synthetic_interactions({.users = 50, .items = 40, .interactions_per_user = 6});
  for (const Shuffle mode : {Shuffle::every_epoch, Shuffle::once}) {
    detail::EpochPairs of_host(train, 7, mode), of_device(train, 7, mode);
    // In order, repeated, skipped and going back, as a resumed run may request them.
    for (const std::size_t epoch : {1U, 2U, 2U, 3U, 5U, 4U, 1U}) {
      CAPTURE(epoch);
      CHECK(std::ranges::equal(of_host.of(serial, epoch),
                               of_device.of(test::GridOfThreadedHost(), epoch)));
    }
    CHECK((mode == Shuffle::once) ==
          std::ranges::equal(of_host.of(serial, 1), std::vector(of_device.of(serial, 2).begin(),
                                                                of_device.of(serial, 2).end())));
  }
}

TEST_CASE("a model trained on a device does not depend on the order of blocks, warps and lanes") {
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
  check(std::type_identity<Types<SSM, SharedNegatives<>>>{});
  check(std::type_identity<Types<Penalized<MACR, IPL>, UniformNegatives>>{});
  check(std::type_identity<Types<Penalized<MAWU, ReSN>, UniformNegatives>>{});
}
