// SPDX-License-Identifier: BSD-3-Clause
// Samplers: what they may draw, how often, and that a draw depends on its place alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

template <class Sampler>
std::vector<Index> draw(const Sampler& sampler, const Interactions& train,
                        const std::vector<Interaction>& pairs, std::size_t n) {
  std::vector<Index> negatives(pairs.size() * n);
  const sampler_state_t<Sampler> state(sampler, train);
  draw_negatives(sampler, {pairs, n, train, Random(1, Stream::negatives, 4), 0}, state, negatives);
  return negatives;
}

/// How often each item was drawn, against what was expected: within 5 standard deviations.
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

TEST_CASE("every sampler draws items, and the same ones again") {
  const std::vector<Interaction> pairs{{0, 0}, {0, 3}, {1, 1}, {2, 4}};
  const Interactions train(3, 6, pairs);
  test::for_each_policy(all::Samplers{}, [&]<class S>(std::type_identity<S>) {
    INFO(std::string(S::name));
    const std::vector<Index> drawn = draw(S{}, train, pairs, 7);
    CHECK(std::ranges::all_of(drawn, [](Index item) { return item < 6; }));
    CHECK(draw(S{}, train, pairs, 7) == drawn);
  });
}

TEST_CASE("unobserved negatives are uniform over what the user has not") {
  const std::vector<Interaction> seen{{0, 0}, {0, 2}, {0, 3}, {0, 6}, {1, 1}};
  const Interactions train(2, 7, seen);
  const std::vector<Interaction> pairs(2000, Interaction{0, 2});
  const double third = 1.0 / 3;
  check_counts(draw(UnobservedNegatives{}, train, pairs, 5), {0, third, 0, 0, third, third, 0});
}

TEST_CASE("a user who has every item has no unobserved negative: an error that names the user") {
  const std::vector<Interaction> seen{{0, 0}, {1, 0}, {1, 1}};
  const Interactions train(2, 2, seen);
  CHECK(draw(UnobservedNegatives{}, train, {{0, 0}}, 3) == std::vector<Index>{1, 1, 1});
  CHECK_THROWS_WITH_AS(draw(UnobservedNegatives{}, train, {{1, 0}}, 1),
                       doctest::Contains("user '1' has all 2 items"), ArgumentError);
}

TEST_CASE("in-batch negatives are uniform over the batch's distinct items") {
  const Interactions train(1, 9, {});
  std::vector<Interaction> pairs(3000, Interaction{0, 4});
  pairs[7].item = 8;
  check_counts(draw(InBatchNegatives{}, train, pairs, 3), {0, 0, 0, 0, 0.5, 0, 0, 0, 0.5});
}

TEST_CASE("popularity negatives follow popularity to a power") {
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
  CHECK_THROWS_AS(draw(PopularityNegatives{.power = NAN}, train, pairs, 1), ArgumentError);
}
