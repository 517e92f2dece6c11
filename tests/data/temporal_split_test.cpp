// SPDX-License-Identifier: BSD-3-Clause
// Splits by time: what is later than the training set, of each user or of all.
#include "prism/data/temporal_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "prism/core/random.hpp"
#include "prism/data/k_core.hpp"
#include "prism/data/read.hpp"
#include "prism/data/split.hpp"
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

TEST_CASE("interactions at the same time are in an order of their ids, whatever their rows") {
  constexpr Index users = 300, items = 4;
  Pairs pairs, reversed;
  for (Index user = 0; user < users; ++user) {
    for (Index item = 0; item < items; ++item) {
      pairs.push_back({user, item});
      reversed.push_back({users - 1 - user, items - 1 - item});
    }
  }
  // The same interactions, with rows numbered from the other end.
  const auto ids = [](Index size, bool from_the_end) {
    const auto result = std::make_shared<Ids>();
    for (Index row = 0; row < size; ++row) {
      result->intern(std::to_string(from_the_end ? size - 1 - row : row));
    }
    return result;
  };
  Times times;  // one for each user
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    times.push_back(static_cast<double>(pairs[k].user));
  }
  const Interactions data(ids(users, false), ids(items, false), pairs, times);
  const Interactions other(ids(users, true), ids(items, true), reversed, times);
  const Interactions test = leave_last_out(data).test, of_other = leave_last_out(other).test;
  REQUIRE(test.size() == users);
  std::vector<int> counts(items);
  for (Index user = 0; user < users; ++user) {
    const Index item = test.items_of(user)[0];
    CHECK(of_other.items_of(users - 1 - user)[0] == items - 1 - item);
    ++counts[item];
  }
  for (const int count : counts) {  // 75 expected, with a standard deviation of 7.5
    CHECK(count > 45);
    CHECK(count < 105);
  }
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
  CHECK(split.validation.size() <= wanted(0.2));
  CHECK(split.validation.size() + at(last(split.train)) > wanted(0.2));
}

TEST_CASE("a global split keeps interactions at the same time together") {
  const Interactions data(1, 5, Pairs{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}},
                          Times{1, 2, 2, 2, 3});
  const Split split = temporal_global_split(data, {.validation = 0.2, .test = 0.4});
  CHECK(pairs_by_user(split.test) == Pairs{{0, 4}});
  CHECK(split.validation.empty());
  CHECK(split.train.size() == 4);
}

TEST_CASE(
    "what ties keep out of the test set of a global split does not enlarge the validation set") {
  Pairs pairs;
  for (Index item = 0; item < 10; ++item) pairs.push_back({0, item});
  const Interactions data(1, 10, pairs, Times{0, 1, 2, 3, 4, 5, 6, 6, 6, 9});
  const Split split = temporal_global_split(data, {.validation = 0.1, .test = 0.3});
  CHECK(split.test.size() == 1);
  CHECK(split.validation.empty());  // not the three at time 6
  CHECK(split.train.size() == 9);
  CHECK(temporal_global_split(data, {.validation = 0.3, .test = 0.3}).validation.size() == 3);
}

TEST_CASE("splits by time refuse data without times and wrong fractions") {
  const Interactions none(1, 3, Pairs{{0, 0}, {0, 1}, {0, 2}});
  const Interactions data(1, 3, Pairs{{0, 0}, {0, 1}, {0, 2}}, Times{1, 2, 3});
  const auto refuses = [&](const auto& split) {
    CHECK_THROWS_WITH_AS((void)split(none, TemporalSplitOptions{}),
                         "data: has no times, so its interactions cannot be ordered; choose the "
                         "column of times with "
                         "the option time, or use file_order",
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
      (void)temporal_user_split(data, {.validation = 0.5, .test = 0.5}),
      "validation + test: must be below 1, not 1, so that interactions are left to train on",
      ArgumentError);
  CHECK_THROWS_WITH_AS(
      (void)temporal_global_split(data, {.validation = 0.5, .test = 0.5}),
      "validation + test: leave no interactions to train on: they take 2 and 2 of 3 interactions",
      ArgumentError);
}

TEST_CASE("positions in lists are no times of different users, whatever was left out or added") {
  std::string lists;
  for (int user = 1; user <= 20; ++user) lists += std::to_string(user) + " 1 2 3\n";
  const TemporaryFile file(lists);
  const Interactions data =
      read_interactions(file.path(), {.format = Format::adjacency, .time = Column(file_order)});
  std::vector<std::size_t> all(data.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Split parts = temporal_user_split(data, {.validation = 0.4, .test = 0});
  for (const Interactions& same :
       {data, k_core(data, 2, 2), data.subset(all), merge_validation(parts).train}) {
    CHECK(same.times_are_positions());
    CHECK_THROWS_WITH_AS((void)temporal_global_split(same),
                         doctest::Contains("lists the interactions of one user after another"),
                         ArgumentError);
  }
}

TEST_CASE("equal times give no split by time") {
  const Interactions data(3, 2, Pairs{{0, 0}, {0, 1}, {1, 0}, {2, 1}}, Times{5, 5, 5, 5});
  const char* const message =
      "data: has the same time in all interactions, so they cannot be ordered; choose another "
      "column with the option time, or split at random";
  CHECK_THROWS_WITH_AS((void)leave_last_out(data), message, ArgumentError);
  CHECK_THROWS_WITH_AS((void)temporal_user_split(data), message, ArgumentError);
  CHECK_THROWS_WITH_AS((void)temporal_global_split(data), message, ArgumentError);
  const Interactions first_apart(3, 2, Pairs{{0, 0}, {0, 1}, {1, 0}, {2, 1}}, Times{5, 6, 5, 5});
  CHECK(temporal_global_split(first_apart, {.validation = 0, .test = 0.25}).test.size() == 1);
}
