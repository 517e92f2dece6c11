// SPDX-License-Identifier: BSD-3-Clause
// On a device the time of a small batch's step goes into launching its loops and into the host's
// waits for them: these tests fix how many loops and waits a step has.
#include <doctest/doctest.h>

#include <cstddef>
#include <prism/prism.hpp>
#include <prism/training/working_model.hpp>
#include <span>
#include <string>
#include <vector>

#include "counting_grid.hpp"
#include "guarded_grid.hpp"

using namespace prism;

namespace {

/// The counts of a step on a batch of 16,384 pairs, drawing its negatives included, once nothing
/// more is allocated.
template <class Model>
test::DeviceCounts counts_of_step(const Interactions& train,
                                  const typename Model::Options& options = {}) {
  Model model(train, options);
  Trainer<Model, test::CountingGrid> trainer(model, test::counting_grid);
  std::vector<Interaction> pairs;
  for (std::size_t k = 0; k < 16384; ++k) pairs.push_back(train[k]);
  test::DeviceCounts counts;
  for (std::uint32_t step = 0; step < 3; ++step) {
    test::device_counts = {};
    const BatchNegatives negatives = trainer.sample(pairs, Random(1, Stream::negatives, step), 0);
    static_cast<void>(trainer.step(pairs, negatives, 0.01));
    counts = test::device_counts;
  }
  return counts;
}

/// More steps than Adam's history holds at first.
constexpr std::uint32_t many_steps = 300;

/// The host crashes if it touches the memory.
template <class Model>
void step_on_device_only(const Interactions& train, std::uint32_t steps = 30) {
  Model model(train);
  detail::WorkingModel<Model, test::GuardedGrid> working(test::guarded_grid, model);
  Trainer<Model, test::GuardedGrid> trainer(working.get(), test::guarded_grid);
  detail::EpochPairs epoch_pairs(train, 1, Shuffle::every_epoch, &test::guarded_memory());
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto pairs = epoch_pairs.of(test::guarded_grid, 1 + step / 10).first(64);
    const BatchNegatives negatives = trainer.sample(pairs, Random(1, Stream::negatives, step), 0);
    static_cast<void>(trainer.step(pairs, negatives, 0.01));
  }
  trainer.flush();
  CHECK(trainer.finite());
  working.publish();
  CHECK(model.trained());
}

}  // namespace

TEST_CASE("the host touches no memory of a device in a step") {
  const Interactions train =
      synthetic_interactions({.users = 90, .items = 60, .interactions_per_user = 8});
  step_on_device_only<Recommender<MF<8>, BPR>>(train, many_steps);
  step_on_device_only<Recommender<MF<8>, SSM, BatchedWD>>(train, many_steps);
  step_on_device_only<Recommender<MF<8>, DirectAU, FullWD>>(train, many_steps);
  step_on_device_only<Recommender<MF<8>, MAWU, None, PRISM<1.0>>>(train);
  step_on_device_only<Recommender<MLP<8, 2>, MACR>>(train);
  step_on_device_only<Recommender<LightGCN<8, 2>, BSL, None, Xavier, Adam, SharedNegatives<>>>(
      train);
  step_on_device_only<Recommender<MF<8>, Penalized<BPR, IPL>, None, Xavier, SGD>>(train);
  step_on_device_only<Recommender<MF<8>, MAWU, FullWD, Xavier, SGD>>(train);
  step_on_device_only<
      Recommender<MF<8>, Penalized<SSM, ReSN>, None, Xavier, Adam, InBatchNegatives>>(train);
}

TEST_CASE("a step begins few loops on a device, and waits for few of them") {
  const Interactions train =
      synthetic_interactions({.users = 3000, .items = 2000, .interactions_per_user = 8});
  REQUIRE(train.size() >= 16384);
  const auto check = [](const std::string& name, test::DeviceCounts counts, std::size_t loops,
                        std::size_t waits) {
    CAPTURE(name);
    CHECK(counts.loops == loops);
    // It also waits before it replaces the two lists whose size differs from the last step's.
    CHECK(counts.waits == waits + (separate_allocations ? 2 : 0));
  };
  check("BPR", counts_of_step<Recommender<MF<8>, BPR>>(train), 25, 3);
  check("SSM", counts_of_step<Recommender<MF<8>, SSM>>(train), 27, 3);
  check("DirectAU", counts_of_step<Recommender<MF<8>, DirectAU>>(train), 40, 5);
}
