// SPDX-License-Identifier: BSD-3-Clause
// Ranking with quantised pruning equals ranking without it, bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/rows.hpp"

using namespace prism;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

using test::as_it_is;
using test::Sizes;

template <class ToUser, class ToItem>
Scorer<float> scorer_of(const Sizes& sizes, const ToUser& to_user, const ToItem& to_item) {
  return test::scorer_of<float>(sizes, to_user, to_item);
}

auto times(float factor) {
  return [=](std::size_t, std::span<float> row) {
    for (float& value : row) value *= factor;
  };
}

/// Two parts with users' seen items.
std::vector<Interactions> seen_parts(Index users, Index items, std::uint64_t a_user = 20) {
  std::vector<Interactions> parts;
  for (const std::uint32_t seed : {5U, 6U}) {
    const Random random(seed, Stream::split);
    std::vector<Interaction> pairs;
    for (std::uint64_t p = 0; p < a_user * users; ++p) {
      pairs.push_back({random.uniform_int(2 * p, users), random.uniform_int(2 * p + 1, items)});
    }
    parts.emplace_back(users, items, pairs);
  }
  return parts;
}

using BitsOfLists = std::vector<std::vector<std::pair<Index, std::uint32_t>>>;

BitsOfLists ranking_of(const Scorer<float>& scorer, std::size_t k,
                       std::span<const Interactions> seen, Similarity similarity, Pruning pruning) {
  const std::size_t users = scorer.output.users().size();
  std::vector<Index> all(users);
  for (Index u = 0; u < users; ++u) all[u] = u;
  std::vector<const Interactions*> exclude;
  for (const Interactions& part : seen) exclude.push_back(&part);
  BitsOfLists ranking(users);
  rank_items(
      scorer, all, k, exclude, similarity,
      [&](std::size_t position, std::span<const ScoredItem<float>> best) {
        for (const auto& [item, score] : best) {
          ranking[position].emplace_back(item, std::bit_cast<std::uint32_t>(score));
        }
      },
      pruning);
  return ranking;
}

void check_same(const Scorer<float>& scorer, std::span<const Interactions> seen = {},
                Similarity similarity = Similarity::dot) {
  for (const std::size_t k : std::initializer_list<std::size_t>{1, 20, 100, 5000}) {
    CAPTURE(k);
    CHECK(ranking_of(scorer, k, seen, similarity, Pruning::always) ==
          ranking_of(scorer, k, seen, similarity, Pruning::never));
  }
}

}  // namespace

TEST_CASE("ranking with pruning is the same for random rows of every dimension") {
  for (std::size_t dim = 1; dim <= 257; dim += dim < 20 ? 1 : 17) {
    CAPTURE(dim);
    const Sizes sizes{.users = 7, .items = 1100, .dim = dim};
    const Scorer<float> scorer = scorer_of(sizes, as_it_is, as_it_is);
    const auto seen = seen_parts(sizes.users, sizes.items);
    for (const std::size_t k : std::initializer_list<std::size_t>{1, 10}) {
      CHECK(ranking_of(scorer, k, seen, Similarity::dot, Pruning::always) ==
            ranking_of(scorer, k, seen, Similarity::dot, Pruning::never));
    }
  }
}

TEST_CASE("ranking with pruning is the same for catalogues of every size") {
  for (const Index items : {1U, 63U, 64U, 65U, 200U, 999U}) {
    CAPTURE(items);
    const Sizes sizes{.users = 97, .items = items, .dim = 33};
    const auto seen = seen_parts(sizes.users, sizes.items, 3);
    check_same(scorer_of(sizes, as_it_is, as_it_is), seen);
  }
}

TEST_CASE("ranking with pruning is the same with any part of the items seen, and by cosine") {
  const Sizes sizes;
  const Scorer<float> scorer = scorer_of(sizes, as_it_is, as_it_is);
  for (const std::uint64_t a_user : std::initializer_list<std::uint64_t>{0, 20, 1000}) {
    CAPTURE(a_user);
    const auto seen = seen_parts(sizes.users, sizes.items, a_user);
    check_same(scorer, seen);
    check_same(scorer, seen, Similarity::cosine);
  }
}

TEST_CASE("ranking with pruning is the same where all scores are equal or nearly equal") {
  const Sizes sizes;
  const auto seen = seen_parts(sizes.users, sizes.items);
  const auto ones = [](std::size_t, std::span<float> row) { std::ranges::fill(row, 1.0F); };
  const auto near_ones = [](std::size_t, std::span<float> row) {
    for (float& value : row) value = 1 + 1e-6F * value;
  };
  check_same(scorer_of(sizes, ones, ones), seen);
  check_same(scorer_of(sizes, as_it_is, ones), seen);
  check_same(scorer_of(sizes, as_it_is, near_ones), seen);
  // Few values, many ties.
  const auto rounded = [](std::size_t, std::span<float> row) {
    for (float& value : row) value = std::round(value);
  };
  check_same(scorer_of(sizes, rounded, rounded), seen);
}

TEST_CASE("a queued item ranks before equal ones of a panel that is scored as a whole") {
  const Sizes sizes;
  const auto ones = [](std::size_t, std::span<float> row) { std::ranges::fill(row, 1.0F); };
  const auto late = [](std::size_t i, std::span<float> row) {
    const bool best = i == 700 || i / 64 == 12;
    std::ranges::fill(row, best ? 5.0F : i < 64 ? 1.0F : 0.0F);
  };
  check_same(scorer_of(sizes, ones, late));
}

TEST_CASE("ranking with pruning is the same with magnitudes of every kind") {
  const Sizes sizes;
  const auto seen = seen_parts(sizes.users, sizes.items);
  for (const float user : {1e-42F, 1e-30F, 1e-10F, 1e-6F, 1.0F, 1e6F, 1e10F, 1e30F}) {
    for (const float item : {1e-42F, 1e-30F, 1e-10F, 1e-6F, 1e6F, 1e10F, 1e30F}) {
      CAPTURE(user);
      CAPTURE(item);
      check_same(scorer_of(sizes, times(user), times(item)), seen);
    }
  }
  const auto zero = [](std::size_t, std::span<float> row) { std::ranges::fill(row, 0.0F); };
  check_same(scorer_of(sizes, zero, as_it_is), seen);
  check_same(scorer_of(sizes, as_it_is, zero), seen);
  // As PRISM initialises them: magnitudes grow with popularity.
  const auto popular = [](std::size_t i, std::span<float> row) {
    const float length = std::sqrt(static_cast<float>(row.size()));
    for (float& value : row) value *= (1 + 11 / std::sqrt(1 + static_cast<float>(i))) / length;
  };
  check_same(scorer_of(sizes, popular, popular), seen);
  // All of them side by side.
  const auto mixed = [](std::size_t i, std::span<float> row) {
    const float factors[] = {1, 1e-42F, 0, 12, 1e-20F, 3, 1e3F, 1, 1e-7F};
    if (i % 40 < std::size(factors)) times(factors[i % 40])(i, row);
  };
  check_same(scorer_of(sizes, as_it_is, mixed), seen);
  check_same(scorer_of(sizes, mixed, mixed), seen);
  // And a few rows whose panels have no bound.
  const auto beyond = [&](std::size_t i, std::span<float> row) {
    mixed(i, row);
    if (i % 300 == 7) times(1e20F)(i, row);
  };
  check_same(scorer_of(sizes, as_it_is, beyond), seen);
  check_same(scorer_of(sizes, beyond, beyond), seen);
}

TEST_CASE("ranking with pruning is the same where rows contain NaN or infinity") {
  const Sizes sizes;
  const auto seen = seen_parts(sizes.users, sizes.items);
  const auto spoiled = [](std::size_t every) {
    return [=](std::size_t i, std::span<float> row) {
      const float values[] = {not_a_number, infinity, -infinity};
      if (i % every == 3) row[i % row.size()] = values[i / every % 3];
    };
  };
  check_same(scorer_of(sizes, as_it_is, spoiled(100)), seen);
  check_same(scorer_of(sizes, as_it_is, spoiled(5)), seen);
  check_same(scorer_of(sizes, spoiled(50), as_it_is), seen);
  check_same(scorer_of(sizes, spoiled(10), spoiled(100)), seen);
}

TEST_CASE("ranking with pruning is the same with an offset and factors of either sign") {
  const Sizes sizes{.users = 50, .items = 1500, .dim = 47};
  const auto seen = seen_parts(sizes.users, sizes.items);
  for (const float offset : {0.7F, -40.0F}) {
    Scorer<float> scorer = scorer_of(sizes, as_it_is, as_it_is);
    scorer.offset = offset;
    const Random random(9, Stream::synthetic);
    for (Index u = 0; u < sizes.users; ++u) {
      scorer.user_factor.push_back(static_cast<float>(standard_normal(random, u)));
    }
    for (Index i = 0; i < sizes.items; ++i) {
      scorer.item_factor.push_back(static_cast<float>(standard_normal(random, 1000 + i)));
    }
    check_same(scorer, seen);
    check_same(scorer, seen, Similarity::cosine);
  }
}

TEST_CASE("ranking with pruning is the same on any number of threads") {
  const Sizes sizes{.users = 400};
  const auto seen = seen_parts(sizes.users, sizes.items);
  const Scorer<float> scorer = scorer_of(sizes, as_it_is, as_it_is);
  const BitsOfLists once = [&] {
    const ThreadLimit one(1);
    return ranking_of(scorer, 20, seen, Similarity::dot, Pruning::always);
  }();
  const ThreadLimit three(3);
  CHECK(ranking_of(scorer, 20, seen, Similarity::dot, Pruning::always) == once);
}
