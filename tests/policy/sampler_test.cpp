// SPDX-License-Identifier: BSD-3-Clause
// Samplers: the items drawn, their frequencies, and that a draw depends only on its position.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

template <class Sampler>
std::vector<Index> draw(const Sampler& sampler, const Interactions& train,
                        const std::vector<Interaction>& pairs, std::size_t n) {
  std::vector<Index> negatives(pairs.size() * n);
  const sampler_state_t<Sampler> state(sampler, train);
  draw_negatives(par, sampler, {pairs, n, train, Random(1, Stream::negatives, 4), 0}, state,
                 negatives);
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
                       doctest::Contains("user '1' has all 2 items"), ArgumentError);
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
