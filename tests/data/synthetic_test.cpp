// SPDX-License-Identifier: BSD-3-Clause
// Synthetic data has its intended properties: popular items, preferences, and reproducible draws.
#include "prism/data/synthetic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

using namespace prism;

namespace {

bool same_interactions(const Interactions& a, const Interactions& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) return false;
  }
  return true;
}

std::vector<Index> descending(std::span<const Index> degree) {
  std::vector<Index> sorted(degree.begin(), degree.end());
  std::ranges::sort(sorted, std::greater<>{});
  return sorted;
}

/// The mean square of the number of users that two items have in common, over all pairs of items.
double mean_square_overlap(const Interactions& data) {
  double sum = 0;
  for (Index a = 0; a < data.items(); ++a) {
    for (Index b = 0; b < a; ++b) {
      std::vector<Index> both;
      std::ranges::set_intersection(data.users_of(a), data.users_of(b), std::back_inserter(both));
      sum += static_cast<double>(both.size() * both.size());
    }
  }
  return 2 * sum / data.items() / (data.items() - 1.0);
}

}  // namespace

TEST_CASE("synthetic data has the requested size") {
  const Interactions data = synthetic_interactions();
  CHECK(data.users() == 3000);
  CHECK(data.items() == 2000);
  const double mean = static_cast<double>(data.size()) / data.users();
  CHECK(mean == doctest::Approx(40).epsilon(0.08));
  const std::vector<Index> degree = descending(data.user_degree());
  CHECK(degree.back() >= 5);
  CHECK(degree.front() <= 1000);
  CHECK(degree.front() > 4 * degree[1500]);  // heavy-tailed
}

TEST_CASE("a few items are popular, and their rows do not reveal which") {
  const Interactions data = synthetic_interactions();
  const std::vector<Index> degree = descending(data.item_degree());
  const auto top = std::accumulate(degree.begin(), degree.begin() + 100, std::size_t{0});
  CHECK(top > data.size() / 4);
  CHECK(std::accumulate(degree.begin(), degree.end(), std::size_t{0}) == data.size());
  const auto first = data.item_degree().first(100);
  CHECK(std::accumulate(first.begin(), first.end(), std::size_t{0}) < data.size() / 6);
}

TEST_CASE("without preferences an item is drawn with probability proportional to rank^-exponent") {
  const auto shares = [](double exponent) {
    const Interactions data = synthetic_interactions({.users = 30'000,
                                                      .items = 4,
                                                      .interactions_per_user = 1,
                                                      .popularity_exponent = exponent,
                                                      .affinity = 0});
    std::vector<double> share;
    for (const Index d : descending(data.item_degree())) share.push_back(d / 30'000.0);
    return share;
  };
  // The standard deviation of a fraction is at most 0.003.
  for (const double share : shares(0)) CHECK(std::abs(share - 0.25) < 0.015);
  const std::vector<double> by_rank = shares(1);
  for (const double rank : {1.0, 2.0, 3.0, 4.0}) {
    const double expected = 1 / rank / (1.0 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4);
    CHECK(std::abs(by_rank[static_cast<std::size_t>(rank) - 1] - expected) < 0.015);
  }
}

TEST_CASE("preferences make items co-occur, the more the higher the affinity") {
  // Five items each: users differ only in their preferences.
  const auto at = [](double affinity) {
    return mean_square_overlap(synthetic_interactions({.users = 4000,
                                                       .items = 100,
                                                       .interactions_per_user = 5,
                                                       .factors = 4,
                                                       .popularity_exponent = 0,
                                                       .affinity = affinity}));
  };
  const double none = at(0), some = at(3), strong = at(6);
  CAPTURE(none);
  CAPTURE(some);
  CHECK(some > 1.2 * none);
  CHECK(strong > 1.2 * some);
}

TEST_CASE("equal options give equal data, on any number of threads") {
  const SyntheticOptions options{.users = 300, .items = 200, .interactions_per_user = 20};
  const Interactions once = synthetic_interactions(options);
  {
    const ThreadLimit one(1);
    CHECK(same_interactions(once, synthetic_interactions(options)));
  }
  SyntheticOptions other = options;
  other.seed = 124;
  CHECK_FALSE(same_interactions(once, synthetic_interactions(other)));
}

TEST_CASE("the smallest data set can be generated") {
  const Interactions data =
      synthetic_interactions({.users = 1, .items = 2, .interactions_per_user = 1, .factors = 1});
  CHECK(data.size() == 1);
}

TEST_CASE("options outside their domain are errors") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS((void)synthetic_interactions({.users = 0}), ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.items = 1}), ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.interactions_per_user = 0}), ArgumentError);
  CHECK_THROWS_WITH_AS((void)synthetic_interactions({.items = 10, .interactions_per_user = 6}),
                       "interactions_per_user: must be in [1, items / 2], not 6", ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.factors = 0}), ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.popularity_exponent = -1}), ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.popularity_exponent = nan}), ArgumentError);
  CHECK_THROWS_AS((void)synthetic_interactions({.affinity = nan}), ArgumentError);
}
