// SPDX-License-Identifier: BSD-3-Clause
// Samples of users and of candidates, and means with their standard errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

const Split& sampled_split() {
  static const Split split = random_split(synthetic_interactions({.users = 400, .items = 120}));
  return split;
}

}  // namespace

TEST_CASE("each number is in a sample with the same probability") {
  constexpr Index size = 12, count = 5, samples = 6000;
  std::vector<int> times(size), pairs(size * size);
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const auto sample = detail::sample_numbers(count, size, Random(seed, Stream::user_sample));
    REQUIRE(sample.size() == count);
    REQUIRE(std::ranges::adjacent_find(sample, std::greater_equal<>()) == sample.end());
    REQUIRE(sample.back() < size);
    for (const Index a : sample) {
      ++times[a];
      for (const Index b : sample) pairs[a * size + b] += a < b ? 1 : 0;
    }
  }
  // Five standard deviations of a binomial distribution.
  const auto near = [&](int observed, double probability) {
    const double mean = samples * probability;
    return std::abs(observed - mean) < 5 * std::sqrt(mean * (1 - probability));
  };
  for (Index a = 0; a < size; ++a) {
    CHECK(near(times[a], 5.0 / 12));
    for (Index b = a + 1; b < size; ++b) CHECK(near(pairs[a * size + b], 5.0 * 4 / (12 * 11)));
  }
}

TEST_CASE("samples of up to 256 numbers and larger ones are drawn alike") {
  const Random random(5, Stream::user_sample);
  for (const Index count : {255u, 256u, 257u, 900u, 1000u}) {
    const auto sample = detail::sample_numbers(count, 1000, random);
    CHECK(sample.size() == count);
    CHECK(std::ranges::adjacent_find(sample, std::greater_equal<>()) == sample.end());
    CHECK(sample.back() < 1000);
    // Floyd's algorithm in its published form, with a list that is not sorted.
    std::vector<Index> expected;
    for (Index last = 1000 - count; last < 1000; ++last) {
      const Index drawn = random.uniform_int(last, last + 1);
      expected.push_back(std::ranges::count(expected, drawn) > 0 ? last : drawn);
    }
    std::ranges::sort(expected);
    CHECK(sample == expected);
  }
}

TEST_CASE("a sample has users with relevant items, and depends on the seed") {
  const Interactions& relevant = sampled_split().test;
  const std::vector<Index> sample = sample_users(relevant, 50, 1);
  CHECK(sample.size() == 50);
  for (const Index user : sample) CHECK_FALSE(relevant.items_of(user).empty());
  CHECK(sample == sample_users(relevant, 50, 1));
  CHECK(sample != sample_users(relevant, 50, 2));
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(sampled_split().train);
  const RankedLists lists = ranked_lists(model, relevant, {.users = sample});
  CHECK(std::ranges::equal(lists.users(), sample));
  CHECK(std::ranges::equal(sample_users(relevant, 10000), ranked_lists(model, relevant).users()));
  CHECK(refusal([&] { return sample_users(relevant, 0); }) == "count: must be at least 1, not 0");
}

TEST_CASE("sampled candidates are a user's relevant items, and others that it has not seen") {
  const Split& split = sampled_split();
  const Interactions* const seen[] = {&split.train, &split.validation};
  const Interactions candidates = sample_candidates(split.test, seen, 20);
  std::vector<int> drawn(split.test.items());
  for (Index user = 0; user < split.test.users(); ++user) {
    CAPTURE(user);
    const auto relevant = split.test.items_of(user), items = candidates.items_of(user);
    if (relevant.empty()) {
      CHECK(items.empty());
      continue;
    }
    CHECK(items.size() == relevant.size() + 20);
    CHECK(std::ranges::includes(items, relevant));
    for (const Index item : items) {
      CHECK_FALSE(split.train.contains(user, item));
      CHECK_FALSE(split.validation.contains(user, item));
      ++drawn[item];
    }
  }
  CHECK(std::ranges::count(drawn, 0) == 0);
  CHECK(std::ranges::equal(candidates.items_of(1),
                           sample_candidates(split.test, seen, 20).items_of(1)));
  CHECK_FALSE(std::ranges::equal(candidates.items_of(1),
                                 sample_candidates(split.test, seen, 20, 124).items_of(1)));
  // All that there are, of which the metrics are those of a full ranking.
  const Interactions all = sample_candidates(split.test, seen, 1000);
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(split.train);
  const Report full = evaluate(model, split.test, {.exclude = {&split.validation}});
  CHECK(evaluate(model, split.test, {.exclude = {&split.validation}, .candidates = &all}).ndcg ==
        full.ndcg);
  CHECK(evaluate(model, split.test, {.candidates = &candidates}).ndcg > full.ndcg);
  const Interactions wider(400, 121, {});
  const Interactions* const wrong[] = {&wider};
  CHECK(refusal([&] {
          return sample_candidates(split.test, wrong, 5);
        }).starts_with("seen: each part must be non-null and have 400 users and 120 items"));
  CHECK(refusal([&] { return sample_candidates(split.test, seen, 0); }) ==
        "count: must be at least 1, not 0");
}

TEST_CASE("an estimate has the standard error of the mean") {
  const std::vector<double> values{0.5, 0.25, 0.0, 1.0, 0.75};
  const Estimate all = estimate(values);
  CHECK(all.count == 5);
  CHECK(all.mean == doctest::Approx(0.5).epsilon(1e-15));
  // scipy.stats.sem(values)
  CHECK(std::abs(all.standard_error - 0.1767766952966369) < 1e-15);
  // Of 20 users: times sqrt(1 - 5 / 20)
  CHECK(estimate(values, 20).standard_error ==
        doctest::Approx(0.1767766952966369 * std::sqrt(0.75)).epsilon(1e-14));
  CHECK(estimate(values, 5).standard_error == 0);
  CHECK(std::isnan(estimate({}).mean));
  CHECK(estimate(std::vector<double>{3}).mean == 3);
  CHECK(std::isnan(estimate(std::vector<double>{3}).standard_error));
  CHECK(refusal([&] { return estimate(values, 4); }) ==
        "population: must be 0, or at least the number of values, 5, not 4");
  CHECK(refusal([&] { return estimate(std::vector<double>{1, NAN}); }) ==
        "values: must be finite numbers");
}

TEST_CASE("a sample's standard error is the spread of its estimates") {
  const Interactions& relevant = sampled_split().test;
  const Recommender<MF<8>, BPR, None, PRISM<1.0>> model(sampled_split().train);
  const RankedLists lists = ranked_lists(model, relevant);
  const std::vector<double> all = lists.metrics(20).ndcg;
  const double truth = estimate(all).mean;
  double squared_error = 0, variance = 0;
  constexpr int samples = 400;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const std::vector<Index> sample = sample_users(relevant, 100, seed);
    std::vector<double> of_sample;
    for (const Index user : sample) {
      const auto place = std::ranges::lower_bound(lists.users(), user) - lists.users().begin();
      of_sample.push_back(all[static_cast<std::size_t>(place)]);
    }
    const Estimate estimated = estimate(of_sample, all.size());
    squared_error += (estimated.mean - truth) * (estimated.mean - truth);
    variance += estimated.standard_error * estimated.standard_error;
  }
  // The standard deviation of the ratio is about sqrt(2 / 400).
  CHECK(squared_error / variance == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("groups by count, and the mean of each") {
  const std::vector<Index> counts{3, 10, 9, 50, 400, 49}, bounds{10, 50};
  const std::vector<Index> groups = groups_by_count(counts, bounds);
  CHECK(groups == std::vector<Index>{0, 1, 0, 2, 2, 1});
  const std::vector<Index> users{0, 2, 4, 5};
  const std::vector<double> values{0.25, 0.75, 1, 0.5};
  const std::vector<Estimate> means = estimate_by_group(users, values, groups);
  REQUIRE(means.size() == 3);
  CHECK(means[0].count == 2);
  CHECK(means[0].mean == 0.5);
  CHECK(means[0].standard_error == doctest::Approx(0.25));
  CHECK(means[1].mean == 0.5);
  CHECK(means[2].mean == 1);
  const std::vector<Index> some{0, absent, absent, absent, 2, 2};
  const std::vector<Estimate> of_some = estimate_by_group(users, values, some);
  REQUIRE(of_some.size() == 3);
  CHECK(of_some[0].mean == 0.25);
  CHECK(of_some[1].count == 0);
  CHECK(of_some[2].mean == 0.75);

  const std::vector<Index> falling{5, 3}, short_list{0, 0}, ids{0, 1, 2, 3, 4, 1000000};
  CHECK(refusal([&] { return groups_by_count(counts, falling); }) ==
        "bounds: must be in ascending order");
  CHECK(refusal([&] { return estimate_by_group(users, values, short_list); }) ==
        "group_of: must have a group for each user, also for 2");
  CHECK(refusal([&] {
          return estimate_by_group(users, values, ids);
        }).starts_with("group_of: must have groups numbered from 0"));
  CHECK(refusal([&] { return estimate_by_group(short_list, values, groups); }) ==
        "values: must have one number for each of the 2 users, not 4");
}
