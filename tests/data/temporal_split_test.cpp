// SPDX-License-Identifier: BSD-3-Clause
// Splits by time: what is later than the training set, of each user or of all.
#include "prism/data/temporal_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/random.hpp"
#include "prism/data/synthetic.hpp"

using namespace prism;

namespace {

using Pairs = std::vector<Interaction>;
using Times = std::vector<double>;

Pairs pairs_by_user(const Interactions& data) {
  Pairs pairs;
  for (std::size_t k = 0; k < data.size(); ++k) pairs.push_back(data[k]);
  return pairs;
}

/// Interactions with times in a random order, some of them equal.
Interactions timed() {
  const Interactions data =
      synthetic_interactions({.users = 80, .items = 60, .interactions_per_user = 12});
  const Random random(7, Stream::split);
  Times times;
  for (std::size_t k = 0; k < data.size(); ++k) {
    times.push_back(static_cast<double>(random.bits(k) % 300));
  }
  return {data.user_ids(), data.item_ids(), pairs_by_user(data), times};
}

double first(const Interactions& part) { return std::ranges::min(part.times()); }
double last(const Interactions& part) { return std::ranges::max(part.times()); }

}  // namespace

TEST_CASE("leave last out tests on each user's last interaction") {
  const Interactions data(3, 4, Pairs{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {2, 3}},
                          std::vector<double>{7, 9, 2, 8, 1, 2, 5});
  const Split split = leave_last_out(data);
  CHECK(pairs_by_user(split.test) == Pairs{{0, 1}});
  CHECK(pairs_by_user(split.validation) == Pairs{{0, 3}});
  CHECK(pairs_by_user(split.train) == Pairs{{0, 0}, {0, 2}, {1, 0}, {1, 1}, {2, 3}});
  CHECK(split.train.times()[0] == 7);
  CHECK(split.test.times()[0] == 9);
}

TEST_CASE("of two interactions at the same time the lower item is the earlier") {
  const Interactions data(1, 3, Pairs{{0, 2}, {0, 0}, {0, 1}}, std::vector<double>{5, 5, 5});
  const Split split = leave_last_out(data);
  CHECK(pairs_by_user(split.test) == Pairs{{0, 2}});
  CHECK(pairs_by_user(split.validation) == Pairs{{0, 1}});
}

TEST_CASE("leave last out needs times") {
  CHECK_THROWS_AS((void)leave_last_out(Interactions(1, 3, Pairs{{0, 0}, {0, 1}, {0, 2}})),
                  ArgumentError);
  CHECK_THROWS_WITH_AS((void)leave_last_out(Interactions{}), "data: has no interactions",
                       ArgumentError);
}

TEST_CASE("the last fraction of each user's interactions is tested, the one before validates") {
  const Interactions data(2, 10,
                          Pairs{{0, 0},
                                {0, 1},
                                {0, 2},
                                {0, 3},
                                {0, 4},
                                {0, 5},
                                {0, 6},
                                {0, 7},
                                {0, 8},
                                {0, 9},
                                {1, 0},
                                {1, 1},
                                {1, 2},
                                {1, 3}},
                          Times{3, 1, 4, 9, 5, 11, 2, 6, 0, 7, 100, 103, 102, 101});
  const Split split = temporal_user_split(data, {.validation = 0.1, .test = 0.2});
  CHECK(pairs_by_user(split.test) ==
        Pairs{{0, 3}, {0, 5}, {1, 1}});                     // 0.8 of an interaction is one
  CHECK(pairs_by_user(split.validation) == Pairs{{0, 9}});  // 0.4 is none
  CHECK(split.train.size() == 10);
  CHECK(split.test.times()[1] == 11);
}

TEST_CASE("each user's training set ends before the validation set, and that before the test set") {
  const Interactions data = timed();
  const Split split = temporal_user_split(data, {.validation = 0.2, .test = 0.3});
  CHECK(split.train.size() + split.validation.size() + split.test.size() == data.size());
  std::vector<double> trained(data.users(), -1), validated(data.users(), -1);
  for (std::size_t k = 0; k < split.train.size(); ++k) {
    double& end = trained[split.train[k].user];
    end = std::max(end, split.train.times()[k]);
  }
  for (std::size_t k = 0; k < split.validation.size(); ++k) {
    const Index user = split.validation[k].user;
    CHECK(split.validation.times()[k] >= trained[user]);
    validated[user] = std::max(validated[user], split.validation.times()[k]);
  }
  for (std::size_t k = 0; k < split.test.size(); ++k) {
    const Index user = split.test[k].user;
    CHECK(split.test.times()[k] >= std::max(trained[user], validated[user]));
  }
}

TEST_CASE("a user of whom nothing would be left to train on stays in the training set") {
  const Interactions data(2, 3, Pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}},
                          Times{1, 2, 1, 2, 3});
  const Split split = temporal_user_split(data, {.validation = 0.4, .test = 0.4});
  CHECK(pairs_by_user(split.test) == Pairs{{1, 2}});
  CHECK(pairs_by_user(split.validation) == Pairs{{1, 1}});
  CHECK(pairs_by_user(split.train) == Pairs{{0, 0}, {0, 1}, {1, 0}});
}

TEST_CASE("a global split has one time for all at which the test set begins") {
  const Interactions data = timed();
  const Split split = temporal_global_split(data, {.validation = 0.2, .test = 0.3});
  CHECK(split.train.size() + split.validation.size() + split.test.size() == data.size());
  CHECK(last(split.train) < first(split.validation));
  CHECK(last(split.validation) < first(split.test));
  // As large as its fraction, or smaller by the interactions at the time of the boundary.
  const auto wanted = [&](double fraction) {
    return static_cast<std::size_t>(fraction * static_cast<double>(data.size()) + 0.5);
  };
  const auto at = [&](double time) {
    return static_cast<std::size_t>(std::ranges::count(data.times(), time));
  };
  CHECK(split.test.size() <= wanted(0.3));
  CHECK(split.test.size() + at(last(split.validation)) > wanted(0.3));
  const std::size_t held_out = split.test.size() + split.validation.size();
  CHECK(held_out <= wanted(0.3) + wanted(0.2));
  CHECK(held_out + at(last(split.train)) > wanted(0.3) + wanted(0.2));
}

TEST_CASE("a global split keeps interactions at the same time together") {
  const Interactions data(1, 5, Pairs{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}},
                          Times{1, 2, 2, 2, 3});
  const Split split = temporal_global_split(data, {.validation = 0.2, .test = 0.4});
  CHECK(pairs_by_user(split.test) == Pairs{{0, 4}});
  CHECK(split.validation.empty());
  CHECK(split.train.size() == 4);
}

TEST_CASE("splits by time refuse data without times and wrong fractions") {
  const Interactions none(1, 3, Pairs{{0, 0}, {0, 1}, {0, 2}});
  const Interactions data(1, 3, Pairs{{0, 0}, {0, 1}, {0, 2}}, Times{1, 2, 3});
  const auto refuses = [&](const auto& split) {
    CHECK_THROWS_WITH_AS(
        (void)split(none, TemporalSplitOptions{}),
        "data: has no times, so its interactions cannot be ordered; use the option "
        "time to choose the column that has them, or the file's order",
        ArgumentError);
    CHECK_THROWS_WITH_AS((void)split(Interactions{}, TemporalSplitOptions{}),
                         "data: has no interactions", ArgumentError);
    CHECK_THROWS_WITH_AS((void)split(data, TemporalSplitOptions{.validation = 1}),
                         "validation: must be a fraction in [0, 1), not 1", ArgumentError);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)split(data, TemporalSplitOptions{.test = nan}), ArgumentError);
  };
  refuses([](const auto&... arguments) { return temporal_user_split(arguments...); });
  refuses([](const auto&... arguments) { return temporal_global_split(arguments...); });
  CHECK_THROWS_WITH_AS(
      (void)temporal_global_split(data, {.validation = 0.5, .test = 0.5}),
      "validation + test: leave no interactions to train on: they take 2 and 2 of 3 interactions",
      ArgumentError);
}
