// SPDX-License-Identifier: BSD-3-Clause
// Interactions looked up from either side.
#include "prism/data/interactions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/random.hpp"

using namespace prism;

namespace {

std::vector<Index> list(std::span<const Index> values) { return {values.begin(), values.end()}; }

using Pairs = std::vector<Interaction>;
using ItemList = std::vector<Index>;

}  // namespace

TEST_CASE("interactions are sorted by user and item") {
  const Interactions data(3, 4, Pairs{{2, 1}, {0, 3}, {2, 0}, {0, 0}});
  CHECK(data.users() == 3);
  CHECK(data.items() == 4);
  REQUIRE(data.size() == 4);
  CHECK(data[0] == Interaction{0, 0});
  CHECK(data[1] == Interaction{0, 3});
  CHECK(data[2] == Interaction{2, 0});
  CHECK(data[3] == Interaction{2, 1});
}

TEST_CASE("interactions are indexed by user and by item") {
  const Interactions data(3, 4, Pairs{{2, 1}, {0, 3}, {2, 0}, {0, 0}});
  CHECK(list(data.items_of(0)) == ItemList{0, 3});
  CHECK(list(data.items_of(1)).empty());
  CHECK(list(data.items_of(2)) == ItemList{0, 1});
  CHECK(list(data.users_of(0)) == ItemList{0, 2});
  CHECK(list(data.users_of(2)).empty());
  CHECK(list(data.users_of(3)) == ItemList{0});
  CHECK(list(data.user_degree()) == ItemList{2, 0, 2});
  CHECK(list(data.item_degree()) == ItemList{2, 1, 0, 1});
  CHECK(data.contains(2, 1));
  CHECK_FALSE(data.contains(1, 2));
  CHECK_FALSE(data.contains(1, 1));
}

TEST_CASE("a repeated pair counts once, at its earliest time") {
  const std::vector<double> times{5, 9, 3, 4};
  const Interactions data(2, 2, Pairs{{1, 1}, {0, 0}, {1, 1}, {1, 1}}, times);
  REQUIRE(data.size() == 2);
  CHECK(data[1] == Interaction{1, 1});
  CHECK(data.times()[0] == 9);
  CHECK(data.times()[1] == 3);
  CHECK(list(data.item_degree()) == ItemList{1, 1});
  CHECK(list(data.users_of(1)) == ItemList{1});
}

TEST_CASE("interactions agree with a set of pairs, drawn at random") {
  constexpr Index users = 37, items = 23;
  const Random random(1, Stream::synthetic);
  Pairs pairs;
  std::vector<double> times;
  for (std::uint64_t k = 0; k < 600; ++k) {
    pairs.push_back({random.uniform_int(2 * k, users), random.uniform_int(2 * k + 1, items)});
    times.push_back(static_cast<double>(600 - k));
  }
  const Interactions data(users, items, pairs, times);
  std::set<std::pair<Index, Index>> expected;
  for (const Interaction& pair : pairs) expected.emplace(pair.user, pair.item);
  REQUIRE(data.size() == expected.size());
  std::size_t k = 0;
  for (const auto& [user, item] : expected) {
    CHECK(data[k] == Interaction{user, item});
    double earliest = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (pairs[p] == data[k]) earliest = std::min(earliest, times[p]);
    }
    CHECK(data.times()[k++] == earliest);
  }
  for (Index user = 0; user < users; ++user) {
    CHECK(std::ranges::is_sorted(data.items_of(user)));
    for (Index item = 0; item < items; ++item) {
      const bool there = expected.contains({user, item});
      CHECK(data.contains(user, item) == there);
      CHECK(std::ranges::binary_search(data.users_of(item), user) == there);
    }
  }
}

TEST_CASE("no interactions, one item, and a user with all items") {
  const Interactions none;
  CHECK(none.empty());
  CHECK(none.users() == 0);

  const Interactions lonely(3, 1, Pairs{{1, 0}});
  CHECK(list(lonely.users_of(0)) == ItemList{1});
  CHECK(list(lonely.user_degree()) == ItemList{0, 1, 0});

  const Interactions everything(1, 3, Pairs{{0, 2}, {0, 1}, {0, 0}});
  CHECK(list(everything.items_of(0)) == ItemList{0, 1, 2});
  CHECK(everything.times().empty());
}

TEST_CASE("rows without ids have their numbers as ids") {
  const Interactions data(2, 3, Pairs{{1, 2}});
  CHECK(data.user_id(1) == "1");
  CHECK(data.item_id(2) == "2");
  CHECK(data.find_item("2") == 2);
  CHECK(data.find_user("2") == absent);
}

TEST_CASE("a subset keeps users, items, ids and times") {
  const auto users = std::make_shared<Ids>();
  const auto items = std::make_shared<Ids>();
  users->intern("Ann");
  users->intern("Bob");
  items->intern("The Wall");
  items->intern("Help!");
  const std::vector<double> times{1, 2, 3};
  const Interactions data(users, items, Pairs{{0, 0}, {0, 1}, {1, 1}}, times);
  const Interactions part = data.subset(std::vector<std::size_t>{2, 0});
  REQUIRE(part.size() == 2);
  CHECK(part.users() == 2);
  CHECK(part.items() == 2);
  CHECK(part[0] == Interaction{0, 0});
  CHECK(part[1] == Interaction{1, 1});
  CHECK(part.times()[1] == 3);
  CHECK(part.user_ids() == data.user_ids());
  CHECK(part.item_id(1) == "Help!");
  CHECK(part.find_user("Bob") == 1);
  CHECK_THROWS_WITH_AS((void)data.subset(std::vector<std::size_t>{3}),
                       "positions: must be below 3, not 3", ArgumentError);
}

TEST_CASE("invalid arguments are errors that say what would be valid") {
  CHECK_THROWS_WITH_AS(Interactions(2, 3, Pairs{{2, 0}}),
                       "pairs: user 2, item 0 is out of range: there are 2 users and 3 items",
                       ArgumentError);
  CHECK_THROWS_AS(Interactions(2, 3, Pairs{{0, 3}}), ArgumentError);
  CHECK_THROWS_AS(Interactions(2, 3, Pairs{{absent, 0}}), ArgumentError);
  const std::vector<double> two{1, 2};
  CHECK_THROWS_WITH_AS(Interactions(2, 3, Pairs{{0, 0}}, two),
                       "times: must have one time for each of the 1 pairs, not 2", ArgumentError);
  const std::vector<double> nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(Interactions(2, 3, Pairs{{0, 0}}, nan), ArgumentError);
  CHECK_THROWS_AS(Interactions(nullptr, nullptr, Pairs{}), ArgumentError);
}
