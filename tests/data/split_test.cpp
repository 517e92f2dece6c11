// SPDX-License-Identifier: BSD-3-Clause
// Splits: every interaction in exactly one part, of the requested sizes.
#include "prism/data/split.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "prism/data/synthetic.hpp"

using namespace prism;

namespace {

using Pairs = std::vector<Interaction>;

Interactions square(Index side) {
  Pairs pairs;
  for (Index user = 0; user < side; ++user) {
    for (Index item = 0; item < side; ++item) pairs.push_back({user, item});
  }
  return {side, side, pairs};
}

Pairs list(const Interactions& data) {
  Pairs pairs;
  for (std::size_t k = 0; k < data.size(); ++k) pairs.push_back(data[k]);
  return pairs;
}

/// The number of parts with the interaction.
int parts_with(const Split& split, Interaction pair) {
  return split.train.contains(pair.user, pair.item) +
         split.validation.contains(pair.user, pair.item) +
         split.test.contains(pair.user, pair.item);
}

}  // namespace

TEST_CASE("a random split puts every interaction into exactly one part") {
  const Interactions data =
      synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 10});
  const Split split = random_split(data, {.validation = 0.15, .test = 0.25});
  CHECK(split.train.size() + split.validation.size() + split.test.size() == data.size());
  for (std::size_t k = 0; k < data.size(); ++k) CHECK(parts_with(split, data[k]) == 1);
  CHECK(split.test.users() == data.users());
  CHECK(split.validation.item_ids() == data.item_ids());
}

TEST_CASE("a fraction of the interactions is rounded to the nearest integer, halves up") {
  const Interactions data = square(5);
  const auto sizes = [&](double validation, double test) {
    const Split split = random_split(data, {.validation = validation, .test = test});
    return std::vector<std::size_t>{split.train.size(), split.validation.size(), split.test.size()};
  };
  using Sizes = std::vector<std::size_t>;
  CHECK(sizes(0.1, 0.2) == Sizes{17, 3, 5});
  CHECK(sizes(0.01, 0) == Sizes{25, 0, 0});
  CHECK(sizes(0, 0.96) == Sizes{1, 0, 24});
}

TEST_CASE("the seed decides the split, and nothing else does") {
  const Interactions data = square(20);
  const Split a = random_split(data, {.seed = 1});
  const Split b = random_split(data, {.seed = 1});
  const Split c = random_split(data, {.seed = 2});
  CHECK(list(a.test) == list(b.test));
  CHECK(list(a.validation) == list(b.validation));
  CHECK(list(a.test) != list(c.test));
}

TEST_CASE("a random split is uniform: all interactions are equally often in test") {
  const Interactions data = square(10);
  std::vector<int> tested(100);
  constexpr int rounds = 2000;
  for (int seed = 0; seed < rounds; ++seed) {
    const Split split = random_split(data, {.seed = static_cast<std::uint64_t>(seed)});
    for (std::size_t k = 0; k < data.size(); ++k) {
      tested[k] += split.test.contains(data[k].user, data[k].item);
    }
  }
  // 2000 draws at 0.1: mean 200, standard deviation 13.4; the limit is five of them, for 100
  // counts.
  for (const int count : tested) CHECK(std::abs(count - 0.1 * rounds) < 67);
}

TEST_CASE("invalid fractions, or those that leave nothing to train on, are errors") {
  const Interactions data = square(3);
  CHECK_THROWS_WITH_AS((void)random_split(data, {.validation = -0.1}),
                       "validation: must be a fraction in [0, 1), not -0.1", ArgumentError);
  CHECK_THROWS_AS((void)random_split(data, {.test = 1}), ArgumentError);
  CHECK_THROWS_AS((void)random_split(data, {.test = std::numeric_limits<double>::quiet_NaN()}),
                  ArgumentError);
  CHECK_THROWS_WITH_AS(
      (void)random_split(data, {.validation = 0.5, .test = 0.5}),
      "validation + test: leave no interactions to train on: they take 5 and 5 of 9 "
      "interactions",
      ArgumentError);
  CHECK_THROWS_AS((void)random_split(Interactions{}), ArgumentError);
}

TEST_CASE("a given split keeps the test set and draws validation from train") {
  const Split parts = random_split(square(10), {.validation = 0, .test = 0.2});
  const Split split = given_split(parts.train, parts.test, {.validation = 0.25});
  CHECK(list(split.test) == list(parts.test));
  CHECK(split.train.size() == 60);
  CHECK(split.validation.size() == 20);
  for (std::size_t k = 0; k < parts.train.size(); ++k) {
    CHECK(parts_with(split, parts.train[k]) == 1);
  }
}

TEST_CASE("a given split rejects interactions of both parts, or drops them from test") {
  const Interactions train(2, 2, Pairs{{0, 0}, {0, 1}, {1, 0}});
  const Interactions test(2, 2, Pairs{{0, 1}, {1, 1}});
  CHECK_THROWS_WITH_AS((void)given_split(train, test),
                       "test: 1 of its 2 interactions are also in train; use the option "
                       "drop_repeated to remove them from test",
                       ArgumentError);
  const Split split = given_split(train, test, {.validation = 0, .drop_repeated = true});
  CHECK(list(split.test) == Pairs{{1, 1}});
  CHECK(list(split.train) == list(train));
}

TEST_CASE("a given split rejects parts of two data sets") {
  const Interactions train(2, 2, Pairs{{0, 0}, {1, 1}});
  CHECK_THROWS_AS((void)given_split(train, Interactions(2, 3, Pairs{{0, 1}})), ArgumentError);
  const auto other = std::make_shared<Ids>();
  other->intern("a");
  other->intern("b");
  CHECK_THROWS_AS((void)given_split(train, Interactions(other, other, Pairs{{0, 1}})),
                  ArgumentError);
}

TEST_CASE("a given split takes the validation set by time, of each user or of all") {
  const Interactions train(2, 4, Pairs{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}},
                           std::vector<double>{1, 4, 3, 2, 8, 9});
  const Interactions test(2, 4, Pairs{{1, 2}});
  const auto validation = [&](SplitMethod method) {
    const Split split = given_split(train, test, {.validation = 0.5, .method = method});
    CHECK(list(split.test) == list(test));
    CHECK(split.train.size() + split.validation.size() == train.size());
    return list(split.validation);
  };
  CHECK(validation(SplitMethod::temporal_user) == Pairs{{0, 1}, {0, 2}, {1, 1}});
  CHECK(validation(SplitMethod::temporal_global) == Pairs{{0, 1}, {1, 0}, {1, 1}});
  CHECK(validation(SplitMethod::leave_last_out) == Pairs{{0, 1}, {1, 1}});
  CHECK_THROWS_WITH_AS((void)given_split(train, test, {.method = static_cast<SplitMethod>(9)}),
                       "method: must be one of its type's enumerators", ArgumentError);
  CHECK_THROWS_WITH_AS(
      (void)given_split(test, test, {.method = SplitMethod::temporal_user, .drop_repeated = true}),
      "train: has no times, so its interactions cannot be ordered; choose the "
      "column of times with the option time, or use file_order",
      ArgumentError);
  CHECK_THROWS_WITH_AS(
      (void)given_split(Interactions(2, 4, {}), test, {.method = SplitMethod::leave_last_out}),
      "train: has no interactions", ArgumentError);
}

TEST_CASE("a method chosen at run time splits as its function") {
  const Interactions data(2, 5, Pairs{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 4}},
                          std::vector<double>{1, 4, 3, 2, 8, 9, 7});
  const SplitOptions options{.validation = 0.25, .test = 0.25, .seed = 4};
  const auto same = [&](SplitMethod method, const Split& expected) {
    const Split split = split_by(method, data, options);
    return list(split.train) == list(expected.train) &&
           list(split.validation) == list(expected.validation) &&
           list(split.test) == list(expected.test);
  };
  CHECK(same(SplitMethod::random, random_split(data, options)));
  CHECK(same(SplitMethod::temporal_user,
             temporal_user_split(data, {.validation = 0.25, .test = 0.25})));
  CHECK(same(SplitMethod::temporal_global,
             temporal_global_split(data, {.validation = 0.25, .test = 0.25})));
  CHECK(same(SplitMethod::leave_last_out, leave_last_out(data)));
}
