// SPDX-License-Identifier: BSD-3-Clause
// The split of users, and what is appended to a data set.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <prism/data/append.hpp>
#include <prism/data/strong_generalization.hpp>
#include <prism/data/synthetic.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

using Pairs = std::vector<Interaction>;

const Interactions& data() {
  static const Interactions made =
      synthetic_interactions({.users = 200, .items = 90, .interactions_per_user = 9});
  return made;
}

std::set<std::string_view> user_ids(const Interactions& part) {
  std::set<std::string_view> ids;
  for (Index user = 0; user < part.users(); ++user) ids.insert(part.user_id(user));
  return ids;
}

bool same(const Interactions& a, const Interactions& b) {
  if (a.size() != b.size() || a.users() != b.users() || a.items() != b.items()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k] == b[k])) return false;
  }
  return *a.user_ids() == *b.user_ids() && *a.item_ids() == *b.item_ids();
}

}  // namespace

TEST_CASE("every user is in exactly one part of a split of users") {
  const auto split =
      strong_generalization_split(data(), {.validation_users = 0.15, .test_users = 0.25});
  CHECK(split.train.users() == 120);
  CHECK(split.validation.fold_in.users() == 30);
  CHECK(split.test.fold_in.users() == 50);
  std::set<std::string_view> all = user_ids(split.train);
  all.merge(user_ids(split.validation.fold_in));
  all.merge(user_ids(split.test.fold_in));
  CHECK(all.size() == data().users());
  CHECK(split.test.target.user_ids() == split.test.fold_in.user_ids());
}

TEST_CASE("a split of users keeps every interaction with an item that a training user has") {
  const auto split = strong_generalization_split(data());
  const std::vector<const Interactions*> parts{&split.train, &split.validation.fold_in,
                                               &split.validation.target, &split.test.fold_in,
                                               &split.test.target};
  std::size_t kept = 0, wrong = 0;
  for (const Interactions* part : parts) {
    kept += part->size();
    CHECK(part->item_ids() == split.train.item_ids());
    for (std::size_t k = 0; k < part->size(); ++k) {
      const auto [user, item] = (*part)[k];
      wrong += !data().contains(data().find_user(part->user_id(user)),
                                data().find_item(part->item_id(item)));
    }
  }
  CHECK(wrong == 0);
  CHECK(kept + split.dropped == data().size());
  CHECK(std::ranges::count(split.train.item_degree(), Index{0}) == 0);
  for (const HeldOutUsers* part : {&split.validation, &split.test}) {
    std::size_t in_both = 0;
    for (std::size_t k = 0; k < part->target.size(); ++k) {
      in_both += part->fold_in.contains(part->target[k].user, part->target[k].item);
    }
    CHECK(in_both == 0);
  }
}

TEST_CASE("a fifth of a held-out user's items, rounded down, is to be predicted, from 5 items on") {
  // User u has u items. No other user has an odd user's item 100 + u, so it is dropped where that
  // user is held out.
  Pairs pairs;
  for (Index user = 0; user < 60; ++user) {
    for (Index k = 0; k < user; ++k) pairs.push_back({user, k});
    if (user % 2 == 1) pairs.push_back({user, 100 + user});
  }
  const Interactions ladder(60, 160, pairs);
  const auto split =
      strong_generalization_split(ladder, {.validation_users = 0.3, .test_users = 0.3});
  std::size_t with_target = 0, dropped = 0;
  for (const HeldOutUsers* part : {&split.validation, &split.test}) {
    for (Index user = 0; user < part->fold_in.users(); ++user) {
      const Index of_user = part->fold_in.user_degree()[user] + part->target.user_degree()[user];
      const Index in_data = ladder.find_user(part->fold_in.user_id(user));
      dropped += ladder.user_degree()[in_data] - of_user;
      CHECK(part->target.user_degree()[user] == (of_user < 5 ? 0 : of_user / 5));
      with_target += part->target.user_degree()[user] > 0;
    }
  }
  CHECK(std::ranges::count(split.train.item_degree(), Index{0}) == 0);
  CHECK(with_target > 20);
  CHECK(dropped > 0);
  CHECK(dropped == split.dropped);
}

TEST_CASE("equal seeds split users alike, others differently, and times stay with their pairs") {
  std::vector<double> times;
  Pairs pairs;
  for (std::size_t k = 0; k < data().size(); ++k) {
    pairs.push_back(data()[k]);
    times.push_back(1000 * data()[k].user + data()[k].item);
  }
  const Interactions timed(data().user_ids(), data().item_ids(), pairs, times);
  const auto one = strong_generalization_split(timed, {.seed = 5});
  const auto again = strong_generalization_split(timed, {.seed = 5});
  const auto other = strong_generalization_split(timed, {.seed = 6});
  CHECK(same(one.test.target, again.test.target));
  CHECK(same(one.train, again.train));
  CHECK_FALSE(same(one.test.target, other.test.target));
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < one.test.target.size(); ++k) {
    const auto [user, item] = one.test.target[k];
    wrong += one.test.target.times()[k] != 1000.0 * timed.find_user(one.test.target.user_id(user)) +
                                               timed.find_item(one.test.target.item_id(item));
  }
  CHECK(one.test.target.times().size() == one.test.target.size());
  CHECK(wrong == 0);
}

TEST_CASE("a split of users refuses fractions that leave nobody to train on") {
  const auto split = [](StrongGeneralizationOptions options) {
    return [options] { return strong_generalization_split(data(), options); };
  };
  CHECK(refusal(split({.validation_users = 0.5, .test_users = 0.5})) ==
        "validation_users + test_users: leave no users to train on: they take 100 and 100 of 200 "
        "users");
  CHECK(refusal(split({.test_users = -0.1})).starts_with("test_users: must be a fraction"));
  CHECK(refusal(split({.target = 1})) == "target: must be a fraction in [0, 1), not 1");
  CHECK(refusal(split({.target = std::nan("")})).starts_with("target: must be a fraction"));
}

TEST_CASE("appended users and items keep the rows, ids and times that were there") {
  const auto split = strong_generalization_split(data());
  const Interactions all = append_users(split.train, split.test.fold_in);
  CHECK(all.users() == split.train.users() + split.test.fold_in.users());
  CHECK(all.items() == split.train.items());
  CHECK(all.size() == split.train.size() + split.test.fold_in.size());
  CHECK(all.user_id(3) == split.train.user_id(3));
  CHECK(all.user_id(split.train.users() + 2) == split.test.fold_in.user_id(2));
  CHECK(std::ranges::equal(all.items_of(split.train.users() + 2), split.test.fold_in.items_of(2)));

  const auto ids = [](std::initializer_list<std::string_view> names) {
    Ids all_ids;
    for (const std::string_view name : names) all_ids.intern(name);
    return std::make_shared<const Ids>(all_ids);
  };
  const std::vector<double> times{7, 8};
  const Interactions small(ids({"anna", "bert"}), ids({"x", "y"}), Pairs{{0, 0}, {1, 1}}, times);
  const Interactions grown = append_items(
      small, {ids({"anna", "bert"}), ids({"z"}), Pairs{{1, 0}}, std::vector<double>{9}});
  CHECK(grown.items() == 3);
  CHECK(grown.contains(1, 2));
  CHECK(grown.item_id(2) == "z");
  CHECK(std::ranges::equal(grown.times(), std::vector<double>{7, 8, 9}));
  // Row numbers stand for any ids; times that only one side has are dropped.
  const Interactions by_number =
      append_users(small, {ids({"carl"}), ids({"0", "1"}), Pairs{{0, 1}}});
  CHECK(by_number.contains(2, 1));
  CHECK(by_number.item_id(1) == "y");
  CHECK(by_number.times().empty());
}

TEST_CASE("what is appended has to have the other side's rows and ids of its own") {
  const Interactions small(2, 3, Pairs{{0, 0}, {1, 2}});
  CHECK(
      refusal([&] { return append_users(small, {1, 4, Pairs{{0, 3}}}); }) ==
      "history: must have the same 3 items in the same rows as the training set; construct it with "
      "the training set's ids, Interactions(user_ids, item_ids, pairs), or with row "
      "numbers, Interactions(users, items, pairs)");
  CHECK(refusal([&] { return append_users(small, {1, 3, Pairs{{0, 2}}}); }) ==
        "history: must have only new users, but '0' is already in the data, in row 0");
  CHECK(refusal([&] { return append_items(small, {2, 1, Pairs{{0, 0}}}); }) ==
        "history: must have only new items, but '0' is already in the data, in row 0");
  Ids others;
  for (const char* id : {"0", "2", "1"}) others.intern(id);
  const Interactions permuted(std::make_shared<const Ids>(Ids::numbered(1)),
                              std::make_shared<const Ids>(others), Pairs{{0, 0}});
  CHECK(refusal([&] { return append_users(small, permuted); }).starts_with("history: must have"));
}
