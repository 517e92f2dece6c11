// SPDX-License-Identifier: BSD-3-Clause
// An index answers as a ranking of all items does, to the last bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/rows.hpp"
#include "support/sanitizers.hpp"

using namespace prism;

namespace {

template <class T>
using Lists = std::vector<std::vector<ScoredItem<T>>>;

template <class T>
bool same_bits(const std::vector<ScoredItem<T>>& a, const std::vector<ScoredItem<T>>& b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::ranges::equal(a, b, [](const ScoredItem<T>& x, const ScoredItem<T>& y) {
    return x.item == y.item && std::bit_cast<Bits>(x.score) == std::bit_cast<Bits>(y.score);
  });
}

std::vector<Index> all_users(std::size_t count) {
  std::vector<Index> users(count);
  for (Index u = 0; u < count; ++u) users[u] = u;
  return users;
}

/// The k best items of every user, in a ranking of all items where these are not too many: keeping
/// them in order takes time that grows with the square.
template <class X, class T>
Lists<T> ranked(const X& exec, const Scorer<T>& scorer, std::size_t k, Similarity similarity) {
  const std::size_t users = scorer.output.users().size();
  Lists<T> lists(users);
  const std::vector<Index> all = all_users(users);
  const std::size_t items = scorer.output.items().size();
  rank_items(
      exec, scorer, all, items < 5000 ? items : k, {}, similarity,
      [&](std::size_t u, std::span<const ScoredItem<T>> best) {
        const auto first = best.first(std::min(k, best.size()));
        lists[u].assign(first.begin(), first.end());
      },
      Pruning::never);
  return lists;
}

/// Whether a result is the list, and its bound proves it: no item that was not scored can enter.
template <class T>
bool is_answer(const TopKResult<T>& result, const std::vector<ScoredItem<T>>& list, std::size_t k,
               std::size_t items) {
  if (!same_bits(result.items, list) || result.scored > items) return false;
  if (result.bound == -detail::unbounded<T>) return true;
  return result.items.size() == k && result.bound <= result.items.back().score;
}

/// Compares all users' answers, one by one and as a batch.
template <class X, class T>
void check_same(const X& exec, const Scorer<T>& scorer, Similarity similarity = Similarity::dot,
                std::initializer_list<std::size_t> lengths = {1, 20, 5000}) {
  const std::size_t users = scorer.output.users().size(), items = scorer.output.items().size();
  const std::vector<Index> all = all_users(users);
  for (const Pruning pruning : {Pruning::always, Pruning::never, Pruning::automatic}) {
    const ItemIndex<T, X> index(exec, scorer, {.similarity = similarity, .pruning = pruning});
    for (const std::size_t k : lengths) {
      CAPTURE(k);
      CAPTURE(static_cast<int>(pruning));
      const Lists<T> expected = ranked(exec, scorer, k, similarity);
      const auto batch = index.top_k(queries_of(scorer, std::span(all)), k);
      std::size_t wrong = 0;
      for (Index u = 0; u < users; ++u) {
        wrong += is_answer(index.top_k(query_of(scorer, u), k), expected[u], k, items) ? 0 : 1;
        wrong += is_answer(batch[u], expected[u], k, items) ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("an index answers as rank_items for every dimension", T, float, double) {
  for (std::size_t dim = 1; dim <= 130; dim += dim < 9 ? 1 : 11) {
    CAPTURE(dim);
    const Scorer<T> scorer = test::scorer_of<T>({.users = 5, .items = 700, .dim = dim});
    check_same(par, scorer, Similarity::dot, {1, 10});
    check_same(par, scorer, Similarity::cosine, {1, 10});
  }
}

TEST_CASE("an index of rows without columns answers by row") {
  const Scorer<float> scorer{Output<float>(zeros<float>(3, 0), zeros<float>(200, 0))};
  const ItemIndex<float> index(scorer);
  const auto found = index.top_k(query_of(scorer, 0), 5);
  REQUIRE(found.items.size() == 5);
  for (Index place = 0; place < 5; ++place) CHECK(found.items[place].item == place);
}

TEST_CASE("an index answers as rank_items on one thread in plain C++") {
  check_same(serial, test::scorer_of<float>({.users = 5, .items = 700, .dim = 37}));
  check_same(serial, test::scorer_of<double>({.users = 5, .items = 700, .dim = 37}));
}

TEST_CASE("an index answers as rank_items for catalogues of every size") {
  for (const Index items : {1U, 63U, 64U, 65U, 200U, 999U}) {
    CAPTURE(items);
    check_same(par, test::scorer_of<float>({.users = 97, .items = items, .dim = 33}));
  }
}

TEST_CASE("an index answers as rank_items where it is searched in segments") {
  // At least two segments after the first, for one query and for many.
  const test::Sizes sizes{.users = test::sanitized ? 2U : 8U, .items = 30'000, .dim = 64};
  check_same(par, test::scorer_of<float>(sizes), Similarity::dot, {10, 300});
  check_same(par, test::scorer_of<float>(sizes), Similarity::cosine, {10});
  check_same(par, test::scorer_of<double>(sizes), Similarity::dot, {10});
  // Row lengths for which the last segments are skipped.
  const auto popular = [](std::size_t i, auto row) {
    for (auto& value : row) value *= 1 + 11 / std::sqrt(1 + static_cast<float>(i % 1000));
  };
  check_same(par, test::scorer_of<float>(sizes, test::as_it_is, popular), Similarity::dot, {10});
}

TEST_CASE("an index answers as rank_items with magnitudes of every kind") {
  const test::Sizes sizes{.users = 30};
  const auto times = [](float factor) {
    return [=](std::size_t, std::span<float> row) {
      for (float& value : row) value *= factor;
    };
  };
  for (const float user : {1e-42F, 1e-30F, 1e-10F, 1.0F, 1e10F, 1e30F}) {
    for (const float item : {1e-42F, 1e-30F, 1e-10F, 1e10F, 1e30F}) {
      CAPTURE(user);
      CAPTURE(item);
      check_same(par, test::scorer_of<float>(sizes, times(user), times(item)));
    }
  }
  // As PRISM initialises them, and all kinds side by side.
  const auto popular = [](std::size_t i, std::span<float> row) {
    for (float& value : row) value *= (1 + 11 / std::sqrt(1 + static_cast<float>(i))) / 8;
  };
  const auto mixed = [&](std::size_t i, std::span<float> row) {
    const float factors[] = {1, 1e-42F, 0, 12, 1e-20F, 3, 1e3F, 1, 1e-7F, 1e20F};
    if (i % 40 < std::size(factors)) times(factors[i % 40])(i, row);
  };
  check_same(par, test::scorer_of<float>(sizes, popular, popular));
  check_same(par, test::scorer_of<float>(sizes, test::as_it_is, mixed));
  check_same(par, test::scorer_of<float>(sizes, mixed, mixed), Similarity::cosine);
  check_same(par, test::scorer_of<float>(sizes, mixed, test::as_it_is));
}

TEST_CASE_TEMPLATE("an index answers as rank_items with ties, ordered by id", T, float, double) {
  const test::Sizes sizes{.users = 30};
  const auto ones = [](std::size_t, std::span<T> row) { std::ranges::fill(row, T{1}); };
  const auto zeros = [](std::size_t, std::span<T> row) { std::ranges::fill(row, T{0}); };
  const auto rounded = [](std::size_t, std::span<T> row) {
    for (T& value : row) value = std::round(value / 2);
  };
  // Long rows whose scores equal short rows' scores: the lower id is at the later position.
  const auto across = [](std::size_t i, std::span<T> row) {
    std::ranges::fill(row, T{0});
    row[0] = 1;
    if (i % 2 == 1) row[1] = static_cast<T>(i % 7);
  };
  const auto first_column = [](std::size_t, std::span<T> row) {
    std::ranges::fill(row, T{0});
    row[0] = 1;
  };
  check_same(par, test::scorer_of<T>(sizes, ones, ones));
  check_same(par, test::scorer_of<T>(sizes, test::as_it_is, ones));
  check_same(par, test::scorer_of<T>(sizes, test::as_it_is, zeros));
  check_same(par, test::scorer_of<T>(sizes, zeros, test::as_it_is));
  check_same(par, test::scorer_of<T>(sizes, rounded, rounded));
  check_same(par, test::scorer_of<T>(sizes, first_column, across));
}

TEST_CASE_TEMPLATE("an index answers as rank_items where rows are not finite", T, float, double) {
  const test::Sizes sizes{.users = 30};
  const auto spoiled = [](std::size_t every) {
    return [=](std::size_t i, std::span<T> row) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      const T values[] = {std::numeric_limits<T>::quiet_NaN(), infinity, -infinity};
      if (i % every == 3) row[i % row.size()] = values[i / every % 3];
    };
  };
  check_same(par, test::scorer_of<T>(sizes, test::as_it_is, spoiled(100)));
  check_same(par, test::scorer_of<T>(sizes, test::as_it_is, spoiled(5)));
  check_same(par, test::scorer_of<T>(sizes, spoiled(10), spoiled(100)), Similarity::cosine);
}

TEST_CASE("an index has the ranking rule of the loss") {
  const Interactions train = synthetic_interactions({.users = 120, .items = 300});
  const Recommender<MF<37>, MACR> model(train, {.loss = {.c = 0.4}});
  const Scorer<float> scorer = model.scorer();
  REQUIRE_FALSE(scorer.user_factor.empty());
  check_same(par, scorer);
  check_same(par, scorer, Similarity::cosine);
  const ItemIndex index(model);
  for (Index user = 0; user < 120; ++user) {
    CHECK(same_bits(index.top_k(query_of(scorer, user), 10, Unseen(train, user)).items,
                    recommend(model, user, 10)));
  }
}

TEST_CASE("an index outlives its model, and its copies answer alike") {
  auto model = std::make_unique<Recommender<LightGCN<16, 2>, BPR>>(
      synthetic_interactions({.users = 60, .items = 400}));
  const std::vector<float> row(16, 0.5F);
  const ItemIndex first(*model);
  const ItemIndex copy = first;
  const auto before = first.top_k(row, 7);
  REQUIRE(before.items.size() == 7);
  model.reset();
  CHECK(copy.top_k(row, 7).items == before.items);
  CHECK(copy.top_k(std::vector<float>(16, 0.5F), 7).items == before.items);  // a temporary row
  CHECK(copy.size() == 400);
  CHECK(copy.dim() == 16);
}

TEST_CASE("an index refuses queries of another dimension, and lists of 0 items") {
  const Scorer<float> scorer = test::scorer_of<float>({.users = 3, .items = 10, .dim = 4});
  const ItemIndex index(scorer);
  const std::vector<float> three(3), four(4);
  CHECK_THROWS_WITH_AS(static_cast<void>(index.top_k(three, 5)),
                       "query: must have a row of 4 numbers, as users' output rows have, not 3",
                       ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(index.top_k(four, 0)), ArgumentError);
  const std::vector<Query<float>> queries{four, three};
  CHECK_THROWS_AS(static_cast<void>(index.top_k(queries, 5)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(query_of(scorer, 3)), ArgumentError);
  CHECK(index.top_k(std::span(queries).first(0), 5).empty());
}

TEST_CASE("an index of no items answers with empty lists") {
  const ItemIndex index(Scorer<float>{Output<float>(zeros<float>(1, 4), zeros<float>(0, 4))});
  const std::vector<float> row(4, 1.0F);
  CHECK(index.top_k(row, 3).items.empty());
  CHECK(index.top_k(row, 3, AllowList(std::vector<Index>{0, 1})).items.empty());
}

TEST_CASE("threads that share an index get the same bits as one alone") {
  const test::Sizes sizes{.users = 40, .items = 20'000, .dim = 48};
  const Scorer<float> scorer = test::scorer_of<float>(sizes);
  const ItemIndex index(scorer);
  const std::vector<Index> all = all_users(sizes.users);
  const auto queries = queries_of(scorer, std::span(all));
  const auto once = [&] {
    const ThreadLimit one(1);
    return index.top_k(queries, 20);
  }();
  const auto alone = [&] {
    const ThreadLimit one(1);
    return index.top_k(queries[0], 20);
  }();
  std::vector<int> same(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&, t] {
      bool all_same = true;
      for (int round = 0; round < 5; ++round) {
        const auto results = index.top_k(queries, 20);
        for (std::size_t q = 0; q < results.size(); ++q) {
          all_same = all_same && same_bits(results[q].items, once[q].items) &&
                     results[q].scored == once[q].scored && results[q].bound == once[q].bound;
        }
        const auto single = index.top_k(queries[0], 20);
        all_same = all_same && same_bits(single.items, alone.items) &&
                   single.scored == alone.scored && single.bound == alone.bound;
      }
      same[t] = all_same ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == std::vector<int>(4, 1));
}

TEST_CASE("pruning scores few of many items") {
  const Scorer<float> scorer = test::scorer_of<float>({.users = 1, .items = 60'000, .dim = 64});
  const auto scored = [&](Pruning pruning) {
    const ItemIndex index(scorer, {.pruning = pruning});
    return index.top_k(query_of(scorer, 0), 10).scored;
  };
  CHECK(scored(Pruning::always) < 6000);
  CHECK(scored(Pruning::never) == 60'000);
}
