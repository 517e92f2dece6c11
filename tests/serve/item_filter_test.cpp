// SPDX-License-Identifier: BSD-3-Clause
// Filters leave out what they declare, and answers stay exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <prism/prism.hpp>
#include <span>
#include <vector>

#include "support/rows.hpp"

using namespace prism;

namespace {

constexpr test::Sizes filter_sizes{.users = 40, .items = 3000, .dim = 40};

const Scorer<float>& scorer() {
  static const Scorer<float> made = test::scorer_of<float>(filter_sizes);
  return made;
}

/// The k best items that are allowed, by a ranking of all.
template <class Allowed>
std::vector<ScoredItem<float>> expected(Index user, std::size_t k, const Allowed& allowed) {
  std::vector<ScoredItem<float>> list;
  const Index users[] = {user};
  rank_items(
      scorer(), users, filter_sizes.items, {}, Similarity::dot,
      [&](std::size_t, std::span<const ScoredItem<float>> best) {
        for (const auto& scored : best) {
          if (list.size() < k && allowed(scored.item)) list.push_back(scored);
        }
      },
      Pruning::never);
  return list;
}

/// Every `stride`-th item from `first` on.
std::vector<Index> every(Index stride, Index first = 0) {
  std::vector<Index> items;
  for (Index item = first; item < filter_sizes.items; item += stride) items.push_back(item);
  return items;
}

Interactions seen_part() {
  const Random random(5, Stream::split);
  std::vector<Interaction> pairs;
  for (std::uint64_t p = 0; p < 8000; ++p) {
    pairs.push_back({random.uniform_int(2 * p, filter_sizes.users),
                     random.uniform_int(2 * p + 1, filter_sizes.items)});
  }
  return {filter_sizes.users, filter_sizes.items, pairs};
}

/// Checks a filter that needs no user against what it should allow.
template <class Filter, class Allowed>
void check_filter(const Filter& filter, const Allowed& allowed) {
  for (const Pruning pruning : {Pruning::always, Pruning::never}) {
    const ItemIndex index(scorer(), {.pruning = pruning});
    for (const std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{4000}}) {
      std::size_t wrong = 0;
      for (Index user = 0; user < 5; ++user) {
        const auto result = index.top_k(query_of(scorer(), user), k, filter);
        wrong += result.items == expected(user, k, allowed) ? 0 : 1;
        wrong += result.bound == -detail::unbounded<float> ||
                         (result.items.size() == k && result.bound <= result.items.back().score)
                     ? 0
                     : 1;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("a predicate, an allow list, a deny list and bitmaps allow what they say") {
  check_filter(AllItems{}, [](Index) { return true; });
  check_filter([](Index item) { return item % 3 == 1; }, [](Index item) { return item % 3 == 1; });
  check_filter([](Index) { return false; }, [](Index) { return false; });
  for (const Index stride : {1U, 2U, 9U, 300U, 2999U}) {
    CAPTURE(stride);
    const std::vector<Index> items = every(stride);
    const auto in = [&](Index item) { return item % stride == 0; };
    const auto out = [&](Index item) { return item % stride != 0; };
    check_filter(AllowList(items), in);
    check_filter(AllowList(ItemBitmap(filter_sizes.items, items)), in);
    check_filter(DenyList(items), out);
    check_filter(DenyList(ItemBitmap(filter_sizes.items, items)), out);
  }
  check_filter(AllowList(std::vector<Index>{}), [](Index) { return false; });
  check_filter(DenyList(std::vector<Index>{}), [](Index) { return true; });
}

TEST_CASE("filters compose") {
  const auto even = [](Index item) { return item % 2 == 0; };
  check_filter(AllOf(AllowList(every(30)), even), [](Index item) { return item % 30 == 0; });
  check_filter(AllOf(AllowList(every(30)), AllowList(every(7)), DenyList(every(1000))),
               [](Index item) { return item % 210 == 0 && item % 1000 != 0; });
  check_filter(AllOf(AllowList(ItemBitmap(filter_sizes.items, every(2))), DenyList(every(10))),
               [](Index item) { return item % 2 == 0 && item % 10 != 0; });
  check_filter(AllOf(even, AllOf(DenyList(every(4)))), [](Index item) { return item % 4 == 2; });
  check_filter(AllOf(), [](Index) { return true; });
}

TEST_CASE("a short allow list is scored and nothing else") {
  const ItemIndex index(scorer());
  const auto query = query_of(scorer(), 0);
  CHECK(index.top_k(query, 5, AllowList(every(100))).scored == 30);
  CHECK(index.top_k(query, 5, AllOf(AllowList(every(100)), DenyList(every(200)))).scored == 15);
  // Items that the index does not have.
  const auto beyond = index.top_k(query, 5, AllowList(std::vector<Index>{7, 3000, 5000}));
  REQUIRE(beyond.items.size() == 1);
  CHECK(beyond.items[0].item == 7);
}

TEST_CASE("a batch has one filter for all queries, or one for each") {
  const Interactions seen = seen_part();
  const std::vector<Index> users{3, 1, 39, 1, 0};
  const auto queries = queries_of(scorer(), std::span(users));
  for (const Pruning pruning : {Pruning::always, Pruning::never}) {
    const ItemIndex index(scorer(), {.pruning = pruning});
    const auto shared = index.top_k(queries, 10, DenyList(every(2)));
    const auto own = index.top_k(
        queries, 10, [&](std::size_t position) { return Unseen(seen, users[position]); });
    // Some queries' lists are short, others' are not.
    const auto mixed = index.top_k(queries, 10, [&](std::size_t position) {
      return AllowList(every(position % 2 == 0 ? 50 : 2));
    });
    for (std::size_t p = 0; p < users.size(); ++p) {
      CHECK(shared[p].items == expected(users[p], 10, [](Index item) { return item % 2 != 0; }));
      CHECK(own[p].items ==
            expected(users[p], 10, [&](Index item) { return !seen.contains(users[p], item); }));
      CHECK(mixed[p].items ==
            expected(users[p], 10, [&](Index item) { return item % (p % 2 == 0 ? 50 : 2) == 0; }));
      CHECK(mixed[p].scored == (p % 2 == 0 ? 60 : mixed[p].scored));
    }
  }
}

TEST_CASE("a function that returns a captureless lambda or a pointer returns a query's filter") {
  using Pointer = bool (*)(Index);
  const auto lambda = [](std::size_t) { return [](Index item) { return item % 2 != 0; }; };
  const auto pointer = [](std::size_t position) -> Pointer {
    if (position == 0) return [](Index item) { return item % 3 == 0; };
    return [](Index item) { return item % 5 == 0; };
  };
  static_assert(FilterOfQuery<decltype(lambda)> && !ItemFilter<decltype(lambda)>);
  static_assert(FilterOfQuery<decltype(pointer)> && !ItemFilter<decltype(pointer)>);
  // What converts to bool and cannot be called is still an answer.
  std::vector<bool> in_stock(filter_sizes.items, true);  // whose operator[] returns a proxy
  const auto reference = [&](Index item) { return in_stock[item]; };
  const auto number = [](Index item) { return item % 2; };
  static_assert(ItemFilter<decltype(reference)> && ItemFilter<decltype(number)>);
  static_assert(ItemFilter<Pointer>);

  const std::vector<Index> users{4, 7};
  const auto queries = queries_of(scorer(), std::span(users));
  const ItemIndex index(scorer());
  const auto odd = index.top_k(queries, 10, lambda);
  const auto multiples = index.top_k(queries, 10, pointer);
  for (std::size_t p = 0; p < users.size(); ++p) {
    CHECK(odd[p].items == expected(users[p], 10, [](Index item) { return item % 2 != 0; }));
    CHECK(multiples[p].items ==
          expected(users[p], 10, [&](Index item) { return item % (p == 0 ? 3 : 5) == 0; }));
  }
}

TEST_CASE("unseen items are those that recommend returns") {
  const Interactions seen = seen_part();
  const ItemIndex index(scorer());
  for (Index user = 0; user < filter_sizes.users; ++user) {
    CHECK(index.top_k(query_of(scorer(), user), 15, Unseen(seen, user)).items ==
          recommend(scorer(), seen, user, 15));
  }
}

TEST_CASE("a recommendable item passes each part that is given") {
  const Interactions seen = seen_part();
  const Index own = seen.items_of(0).front();
  std::vector<Index> popularity(filter_sizes.items, 1);
  popularity[7] = 0;
  const AllowList among(std::vector<Index>{3, 7, 9});
  const DenyList without(std::vector<Index>{9});
  CHECK(Recommendable{}(own));
  CHECK_FALSE(Recommendable{.unseen = Unseen(seen, 0)}(own));
  const Recommendable all{.among = &among, .without = &without, .popularity = popularity};
  CHECK(all(3));
  CHECK_FALSE(all(4));
  CHECK_FALSE(all(7));
  CHECK_FALSE(all(9));
  CHECK(all.listed()->size() == 3);
  CHECK_FALSE(Recommendable{}.listed().has_value());
}

TEST_CASE("filters refuse lists that are not ascending, and users and items out of range") {
  const Interactions seen = seen_part();
  CHECK_THROWS_WITH_AS(Unseen(seen, 40),
                       "user: must be below 40, the number of users in `seen`, "
                       "not 40",
                       ArgumentError);
  CHECK_THROWS_WITH_AS(AllowList(std::vector<Index>{1, 5, 5}),
                       "items: must be in ascending order without duplicates, but item 5 follows 5",
                       ArgumentError);
  CHECK_THROWS_AS(DenyList(std::vector<Index>{2, 1}), ArgumentError);
  const std::vector<Index> out{10};
  CHECK_THROWS_AS(ItemBitmap(10, out), ArgumentError);
  CHECK_FALSE(ItemBitmap(10).contains(10));
}
