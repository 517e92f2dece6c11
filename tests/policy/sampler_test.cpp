// SPDX-License-Identifier: BSD-3-Clause
// Samplers: the items drawn, their frequencies, and that a draw depends only on its position.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "policies.hpp"
#include "reversed_grid.hpp"

using namespace prism;

namespace {

template <class Sampler, Execution X = Host<>>
std::vector<Index> draw(const Sampler& sampler, const Interactions& train,
                        const std::vector<Interaction>& pairs, std::size_t n, const X& exec = {}) {
  const SampleRequest request{pairs, n, train, Random(1, Stream::negatives, 4), 0};
  const auto shared = shared_negatives(sampler, request);
  std::vector<Index> negatives(shared ? shared->count : pairs.size() * n);
  const sampler_state_t<Sampler> state(sampler, train);
  draw_negatives(exec, sampler, request, state, negatives);
  return negatives;
}

/// Checks that the count of each item is within 5 standard deviations of its expectation.
void check_counts(const std::vector<Index>& drawn, const std::vector<double>& probability) {
  std::vector<double> count(probability.size());
  for (const Index item : drawn) count.at(item) += 1;
  const auto n = static_cast<double>(drawn.size());
  for (std::size_t i = 0; i < count.size(); ++i) {
    CAPTURE(i);
    const double p = probability[i];
    CHECK(std::abs(count[i] - n * p) <= 5 * std::sqrt(n * p * (1 - p)));
  }
}

}  // namespace

TEST_CASE("every sampler draws items, and the same ones when called again") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 3}, {1, 1}, {2, 4}};
  const Interactions train(3, 6, pairs);
  test::for_each_policy(all::Samplers{}, [&]<class S>(std::type_identity<S>) {
    INFO(std::string(S::name));
    const std::vector<Index> drawn = draw(S{}, train, pairs, 7);
    CHECK(std::ranges::all_of(drawn, [](Index item) { return item < 6; }));
    CHECK(draw(S{}, train, pairs, 7) == drawn);
  });
}

TEST_CASE("a sampler's draws depend only on their position in the epoch") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 3}, {1, 1}, {2, 4}};
  const Interactions train(3, 60, pairs);
  test::for_each_policy(all::Samplers{}, [&]<class S>(std::type_identity<S>) {
    INFO(std::string(S::name));
    if (std::is_same_v<S, AllInBatchNegatives>) return;  // draws nothing
    const sampler_state_t<S> state(S{}, train);
    const Random random(1, Stream::negatives, 4);
    const auto drawn_for = [&](std::size_t pair_count, std::uint64_t first) {
      // The same four pairs repeated, so that in-batch draws choose from the same items.
      std::vector<Interaction> batch;
      for (std::size_t p = 0; p < pair_count; ++p) batch.push_back(pairs[p % 4]);
      std::vector<Index> negatives(batch.size() * 5);
      draw_negatives(par, S{}, {batch, 5, train, random, first}, state, negatives);
      return negatives;
    };
    const std::vector<Index> whole = drawn_for(40, 0), tail = drawn_for(8, 32 * 5);
    CHECK(std::ranges::equal(std::span(whole).last(40), tail));
    CHECK(drawn_for(8, 0) != tail);
  });
}

TEST_CASE("every sampler draws on a device what it draws on the host, in any order of the lanes") {
  const auto all_pairs = [](Index users, Index items) {
    const Random random(5, Stream::synthetic);
    std::vector<Interaction> pairs(3000);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      pairs[p] = {random.uniform_int(2 * p, users), random.uniform_int(2 * p + 1, items)};
    }
    return pairs;
  }(200, 500);
  const Interactions train(200, 500, all_pairs);
  const auto check = [&]<class S>(std::type_identity<S>) {
    INFO(std::string(S::name));
    for (const std::size_t size : {3000U, 1U, 2U, 40U, 1000U}) {
      CAPTURE(size);
      const std::vector<Interaction> pairs(all_pairs.begin(),
                                           all_pairs.begin() + static_cast<std::ptrdiff_t>(size));
      const std::vector<Index> expected = draw(S{}, train, pairs, 5, serial);
      CHECK(draw(S{}, train, pairs, 5, serial_grid) == expected);
      CHECK(draw(S{}, train, pairs, 5, test::reversed_grid) == expected);
    }
  };
  test::for_each_policy(all::Samplers{}, check);
  check(std::type_identity<SharedNegatives<PopularityNegatives>>{});
  check(std::type_identity<SharedNegatives<InBatchNegatives>>{});
}

TEST_CASE("unobserved negatives are uniform over the items that the user has no interaction with") {
  const std::vector<Interaction> seen{{0, 0}, {0, 2}, {0, 3}, {0, 6}, {1, 1}};
  const Interactions train(2, 7, seen);
  const std::vector<Interaction> pairs(2000, Interaction{0, 2});
  const double third = 1.0 / 3;
  check_counts(draw(UnobservedNegatives{}, train, pairs, 5), {0, third, 0, 0, third, third, 0});
}

TEST_CASE("a user with all items has no unobserved negative: the error names the user") {
  const std::vector<Interaction> seen{{0, 0}, {1, 0}, {1, 1}};
  const Interactions train(2, 2, seen);
  CHECK(draw(UnobservedNegatives{}, Interactions(2, 2, std::span(seen).first(2)), {{0, 0}}, 3) ==
        std::vector<Index>{1, 1, 1});
  CHECK_THROWS_WITH_AS(draw(UnobservedNegatives{}, train, {{1, 0}}, 1),
                       doctest::Contains("user '1' has interacted with all 2 items"),
                       ArgumentError);
  // The error is thrown before training.
  Recommender<MF<2>, BPR, None, Xavier, Adam, UnobservedNegatives> model(train);
  CHECK_THROWS_AS(Trainer{model}, ArgumentError);
}

TEST_CASE("in-batch negatives are uniform over the batch's distinct items") {
  const Interactions train(1, 9, {});
  std::vector<Interaction> pairs(3000, Interaction{0, 4});
  pairs[7].item = 8;
  check_counts(draw(InBatchNegatives{}, train, pairs, 3), {0, 0, 0, 0, 0.5, 0, 0, 0, 0.5});
}

TEST_CASE("popularity negatives are proportional to a power of popularity") {
  std::vector<Interaction> seen;
  for (const auto& [item, users] : {std::pair{0u, 1u}, {2u, 16u}, {3u, 81u}}) {
    for (Index u = 0; u < users; ++u) seen.push_back({u, item});
  }
  const Interactions train(81, 5, seen);
  const std::vector<Interaction> pairs(5000, Interaction{0, 2});
  check_counts(draw(PopularityNegatives{.power = 0.5}, train, pairs, 4),
               {1.0 / 14, 0, 4.0 / 14, 9.0 / 14, 0});
  check_counts(draw(PopularityNegatives{.power = 0}, train, pairs, 4),
               {1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0});
  check_counts(draw(PopularityNegatives{.power = -2000}, train, pairs, 4), {1, 0, 0, 0, 0});
  check_counts(draw(PopularityNegatives{.power = 2000}, train, pairs, 4), {0, 0, 0, 1, 0});
  CHECK_THROWS_AS(draw(PopularityNegatives{.power = NAN}, train, pairs, 1), ArgumentError);
}

TEST_CASE("shared negatives are one list of the length that the loss asks for") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 3}, {1, 1}, {2, 4}, {2, 3}};
  const Interactions train(3, 60, pairs);
  CHECK(draw(SharedNegatives<UniformNegatives>{}, train, pairs, 7).size() == 7);
  CHECK(draw(SharedNegatives<PopularityNegatives>{}, train, pairs, 7) == [&] {
    // The same draws that the first pairs would get as their own negatives.
    auto own = draw(PopularityNegatives{}, train, pairs, 7);
    own.resize(7);
    return own;
  }());
  CHECK(draw(AllInBatchNegatives{}, train, pairs, 7) == std::vector<Index>{0, 1, 3, 4});
  CHECK(SharedNegatives<InBatchNegatives>::name == "SharedInBatchNegatives");
}

TEST_CASE("the probability of an item to be in a batch is what batches show") {
  // Item i of 40 has i + 1 of the 820 interactions, each with another user.
  std::vector<Interaction> all;
  for (Index item = 0; item < 40; ++item) {
    for (Index user = 0; user <= item; ++user) all.push_back({user, item});
  }
  const Interactions train(40, 40, all);
  constexpr std::size_t batch_size = 200, batches = 20000;
  const std::size_t batches_of_epoch = train.size() / batch_size;
  std::vector<double> in_batch(40);
  const Random random(1, Stream::shuffle);
  std::vector<double> log_probability;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t place = b % batches_of_epoch;
    if (place == 0) {  // an epoch
      for (std::size_t left = all.size(); left > 1; --left) {
        const Index other = random.uniform_int(b * all.size() + left, static_cast<Index>(left));
        std::swap(all[left - 1], all[other]);
      }
    }
    const auto* const first = all.data() + place * batch_size;
    const std::vector<Interaction> pairs(first, first + batch_size);
    for (const Index item : draw(AllInBatchNegatives{}, train, pairs, 1)) in_batch[item] += 1;
    if (b > 0) continue;
    BatchBuilder builder(train);
    const Batch batch = builder.build(par, pairs, {}, true);
    // All rows count as active, so that every item's probability is asked for.
    Batch whole = batch;
    whole.item_side.num_active = 40;
    std::vector<double> of_row;
    AllInBatchNegatives{}.log_probability({AllInBatchNegatives{}, train}, whole, of_row);
    log_probability.resize(40);
    for (std::size_t k = 0; k < 40; ++k)
      log_probability[batch.item_side.unique_rows[k]] = of_row[k];
  }
  for (std::size_t item = 0; item < 40; ++item) {
    CAPTURE(item);
    const double p = std::exp(log_probability[item]);
    CHECK(std::abs(in_batch[item] - batches * p) <= 5 * std::sqrt(batches * p * (1 - p)));
  }
}

TEST_CASE("popularity's log probability differs by the power of the popularity") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}};
  const Interactions train(3, 3, pairs);
  BatchBuilder builder(train);
  const Batch batch = builder.build(par, pairs, {});
  const PopularityNegatives sampler{.power = 0.5};
  std::vector<double> values;
  sampler.log_probability(PopularityNegatives::State(sampler, train), batch, values);
  REQUIRE(values.size() == 3);
  CHECK(values[1] - values[0] == doctest::Approx(0.5 * std::log(3)));
  CHECK(values[2] - values[0] == doctest::Approx(0.5 * std::log(2)));
}

TEST_CASE("a loss that does not take shared negatives refuses them by name") {
  using Model = Recommender<MF<8>, MACR, None, Xavier, Adam, SharedNegatives<>>;
  const Split split = random_split(synthetic_interactions({.users = 90, .items = 90}));
  Model model(split.train);
  try {
    fit(model, split, {.epochs = 1}, Silent());
    FAIL("no error");
  } catch (const ArgumentError& error) {
    INFO(error.what());
    CHECK(std::string(error.what()).find("sampler") != std::string::npos);
    CHECK(std::string(error.what()).find("MACR") != std::string::npos);
  }
}
