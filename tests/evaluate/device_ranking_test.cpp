// SPDX-License-Identifier: BSD-3-Clause
// A device ranks as the host does: where the scores are exact, the lists are the same entry by
// entry.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <prism/execution/serial_grid.hpp>

#include "policies.hpp"
#include "support/counting_memory.hpp"
#include "support/error_of.hpp"

namespace {

test::CountingMemory& grid_memory() {
  static test::CountingMemory memory;
  return memory;
}

/// A device that cannot read the host's memory.
struct GridWithMemory {
  using isa = prism::isa::emulated_warp;
};

/// The same lists: items and the bits of scores.
template <class T>
using Lists = std::vector<std::vector<prism::ScoredItem<T>>>;

}  // namespace

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_device<GridWithMemory> = true;
template <>
struct Backend<GridWithMemory> : Backend<SerialGrid> {
  [[nodiscard]] static std::pmr::memory_resource* memory(const auto& /*exec*/) noexcept {
    return &grid_memory();
  }
  [[nodiscard]] static bool can_read(const auto& /*exec*/, const void* address) {
    return grid_memory().holds(address);
  }
};

}  // namespace prism::inline PRISM_ISA

using namespace prism;

namespace {

/// Rows whose dot products and cosines are exact, in whatever order they are added up: 1, 4 or 16
/// of their 16 numbers are 1 or -1, times a power of two. Many scores are equal.
Matrix<float> exact_rows(std::size_t size, std::uint32_t seed) {
  Matrix<float> table = zeros<float>(size, 16);
  std::uint32_t state = seed;
  const auto next = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 16) % below;
  };
  for (std::size_t r = 0; r < size; ++r) {
    const std::size_t stride = std::size_t{1} << 2 * next(3), first = next(16);
    const float magnitude = next(4) == 0 ? 2.0F : 1.0F;
    for (std::size_t c = 0; c < 16; c += stride) {
      table(r, (first + c) % 16) = next(2) == 0 ? magnitude : -magnitude;
    }
  }
  return table;
}

Scorer<float> exact_scorer(std::size_t users, std::size_t items, bool with_rule) {
  Scorer<float> scorer{Output<float>(exact_rows(users, 1), exact_rows(items, 2))};
  if (!with_rule) return scorer;
  for (std::size_t u = 0; u < users; ++u) scorer.user_factor.push_back(u % 3 == 0 ? 0.5F : 2.0F);
  for (std::size_t i = 0; i < items; ++i) scorer.item_factor.push_back(i % 5 == 0 ? 0.25F : 1.0F);
  scorer.offset = 0.5F;
  return scorer;
}

/// Every user has the items whose number is a multiple of `stride`, from the user's own on.
Interactions multiples(Index users, Index items, Index stride,
                       std::pmr::memory_resource* memory = nullptr) {
  std::vector<Interaction> pairs;
  for (Index u = 0; u < users; ++u) {
    for (Index i = u % stride; i < items; i += stride) pairs.push_back({u, i});
  }
  return {Interactions(users, items, pairs), memory};
}

template <Execution X, class T>
Lists<T> lists_of(const X& exec, const Scorer<T>& scorer, const std::vector<Index>& users,
                  std::size_t k, const std::vector<const Interactions*>& exclude,
                  Similarity similarity) {
  Lists<T> lists(users.size());
  std::vector<int> visits(users.size());
  rank_items(exec, scorer, std::span(users), k, std::span(exclude), similarity,
             [&](std::size_t position, std::span<const ScoredItem<T>> best) {
               lists[position].assign(best.begin(), best.end());
               ++visits[position];
             });
  CHECK(std::ranges::count(visits, 1) == std::ssize(visits));
  return lists;
}

std::vector<Index> odd_users(Index users) {
  std::vector<Index> list;
  for (Index u = 0; u < 2 * users; ++u) list.push_back(u * 7 % users);
  return list;
}

bool equal_reports(const Report& a, const Report& b) {
  return std::tie(a.users, a.ndcg, a.ndcg_by_stratum, a.recall, a.precision, a.mrr, a.hit_rate,
                  a.coverage, a.average_popularity,
                  a.gini) == std::tie(b.users, b.ndcg, b.ndcg_by_stratum, b.recall, b.precision,
                                      b.mrr, b.hit_rate, b.coverage, b.average_popularity, b.gini);
}

/// Ranks 70 users of 333 items in all ways, on a device and on the host.
template <DeviceExecution X>
void check_lists(const X& exec) {
  constexpr Index users = 70, items = 333;
  std::pmr::memory_resource* const shared = memory_of(exec);
  const Interactions thirds = multiples(users, items, 3), fifths = multiples(users, items, 5),
                     sevenths = multiples(users, items, 7, shared);
  const std::vector<std::vector<const Interactions*>> excludes{
      {}, {&thirds}, {&sevenths}, {&thirds, &sevenths, &fifths}};
  for (const bool with_rule : {false, true}) {
    const Scorer<float> scorer = exact_scorer(users, items, with_rule);
    for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
      for (const auto& exclude : excludes) {
        for (const std::size_t k : {1U, 20U, 32U, 33U, 150U, 300U, 1000U}) {
          CAPTURE(with_rule);
          CAPTURE(exclude.size());
          CAPTURE(k);
          const auto on_host = lists_of(serial, scorer, odd_users(users), k, exclude, similarity);
          CHECK(lists_of(exec, scorer, odd_users(users), k, exclude, similarity) == on_host);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("a device ranks as the host does: ties, factors, offset, several parts left out, any k") {
  check_lists(serial_grid);
}

TEST_CASE("a device that cannot read the host's memory ranks the same") {
  check_lists(GridWithMemory{});
}

TEST_CASE("a ranking in pieces of a few users is the same") {
  constexpr Index users = 70, items = 333;
  const Scorer<float> scorer = exact_scorer(users, items, true);
  const Interactions fifths = multiples(users, items, 5);
  const std::vector<const Interactions*> exclude{&fifths};
  const std::vector<Index> all = odd_users(users);
  const auto whole = lists_of(serial, scorer, all, 20, exclude, Similarity::dot);
  for (const std::size_t at_a_time : {1U, 17U, 69U, 140U, 1000U}) {
    Lists<float> lists(all.size());
    detail::rank_on_device(
        GridWithMemory{}, scorer, std::span(all), 20, std::span(exclude), Similarity::dot,
        [&](std::size_t position, std::span<const ScoredItem<float>> best) {
          lists[position].assign(best.begin(), best.end());
        },
        at_a_time * items + 1);
    CHECK(lists == whole);
  }
}

TEST_CASE("scores that are infinite or no numbers rank on a device as on the host") {
  constexpr float inf = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t items : {5U, 31U, 64U, 200U, 333U}) {
    // User 0 has the items' first numbers as scores, user 1 their negatives.
    Matrix<float> user_rows = zeros<float>(2, 1), item_rows = zeros<float>(items, 1);
    user_rows(0, 0) = 1;
    user_rows(1, 0) = -1;
    for (std::size_t i = 0; i < items; ++i) {
      const float numbers[] = {1, nan, -inf, 2, inf, nan, 0, 3, -1, nan, inf};
      item_rows(i, 0) = numbers[i * i % 11] * static_cast<float>(i % 4 + 1);
    }
    const Scorer<float> scorer{Output<float>(std::move(user_rows), std::move(item_rows))};
    const Interactions thirds = multiples(2, static_cast<Index>(items), 3);
    for (const std::size_t k : {1U, 2U, 20U, 400U}) {
      for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
        CAPTURE(items);
        CAPTURE(k);
        const auto on_host = lists_of(serial, scorer, {0, 1}, k, {&thirds}, similarity);
        CHECK(lists_of(serial_grid, scorer, {0, 1}, k, {&thirds}, similarity) == on_host);
        CHECK(lists_of(GridWithMemory{}, scorer, {0, 1}, k, {&thirds}, similarity) == on_host);
      }
    }
  }
}

TEST_CASE("one user, one item, no user, all items left out") {
  const Scorer<float> single = exact_scorer(1, 1, true);
  const Interactions all = multiples(1, 1, 1);
  const Similarity dot = Similarity::dot;
  CHECK(lists_of(serial_grid, single, {0}, 5, {}, dot) ==
        lists_of(serial, single, {0}, 5, {}, dot));
  CHECK(lists_of(serial_grid, single, {0}, 5, {&all}, dot) == Lists<float>(1));
  CHECK(lists_of(serial_grid, single, {}, 5, {}, dot).empty());
  const Scorer<float> one_user = exact_scorer(1, 100, false), one_item = exact_scorer(40, 1, false);
  CHECK(lists_of(serial_grid, one_user, {0, 0}, 7, {}, dot) ==
        lists_of(serial, one_user, {0, 0}, 7, {}, dot));
  CHECK(lists_of(serial_grid, one_item, odd_users(40), 7, {}, dot) ==
        lists_of(serial, one_item, odd_users(40), 7, {}, dot));
}

TEST_CASE("a part of more items than the scorer has leaves out those that it has") {
  const Scorer<float> scorer = exact_scorer(3, 20, false);
  const Interactions wider = multiples(3, 500, 2);
  CHECK(lists_of(serial_grid, scorer, {0, 1, 2}, 20, {&wider}, Similarity::dot) ==
        lists_of(serial, scorer, {0, 1, 2}, 20, {&wider}, Similarity::dot));
}

TEST_CASE("a device refuses what the host refuses") {
  const Scorer<float> scorer = exact_scorer(3, 20, false);
  const Interactions fewer = multiples(2, 20, 2);
  const auto rank = [&](Index user, std::size_t k) {
    return test::refusal(
        [&] { return lists_of(serial_grid, scorer, {user}, k, {&fewer}, Similarity::dot); });
  };
  CHECK(rank(0, 0) == "k: must be at least 1, not 0");
  CHECK(rank(2, 5) == "users: must be below 2, not 2");
}

TEST_CASE("a row's best are those of TopK, for ascending, descending and equal scores") {
  for (const std::size_t n : {1U, 31U, 32U, 33U, 128U, 500U}) {
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<double> scores(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double at = static_cast<double>(i);
        scores[i] = kind == 0 ? at : kind == 1 ? -at : kind == 2 ? 1.0 : static_cast<double>(i % 7);
      }
      for (const std::size_t k : {1U, 2U, 31U, 32U, 33U, 64U, 65U, 500U}) {
        TopK<double> expected(k);
        for (std::size_t i = 0; i < n; ++i) expected.push(static_cast<Index>(i), scores[i]);
        const auto check = [&]<class Isa>(Isa) {
          std::vector<double> best(k);
          std::vector<Index> items(k);
          const std::size_t size =
              detail::best_of_row<Isa>(scores.data(), n, k, best.data(), items.data());
          REQUIRE(size == expected.best().size());
          bool same = true;
          for (std::size_t j = 0; j < size; ++j) {
            same = same && expected.best()[j] == ScoredItem<double>{items[j], best[j]};
          }
          CHECK(same);
        };
        check(isa::emulated_warp{});
        check(isa::scalar{});
      }
    }
  }
}

TEST_CASE("evaluate and recommend on a device give the host's report and lists") {
  constexpr Index users = 70, items = 333;
  const Interactions train = multiples(users, items, 3), relevant = multiples(users, items, 31);
  const auto check = [&](const auto& exec) {
    for (const bool with_rule : {false, true}) {
      const Scorer<float> scorer = exact_scorer(users, items, with_rule);
      const EvaluateOptions options{.k = 10, .exclude = {&train}};
      const Report on_host = evaluate(serial, scorer, relevant, options);
      REQUIRE(on_host.ndcg > 0);
      CHECK(equal_reports(evaluate(exec, scorer, relevant, options), on_host));
      for (const bool exclude_seen : {true, false}) {
        const RecommendOptions seen{.exclude_seen = exclude_seen};
        const std::vector<Index> some{5, 0, 5, 69};
        CHECK(recommend(exec, scorer, train, std::span<const Index>(some), 12, seen) ==
              recommend(serial, scorer, train, std::span<const Index>(some), 12, seen));
        CHECK(recommend(exec, scorer, train, Index{7}, 12, seen) ==
              recommend(serial, scorer, train, Index{7}, 12, seen));
      }
    }
  };
  check(serial_grid);
  check(GridWithMemory{});
}

TEST_CASE("a model is evaluated on a device, in the host's memory or in the device's") {
  const Split split = random_split(synthetic_interactions({.users = 120, .items = 90}));
  const auto check = [&]<class Model>(std::type_identity<Model>) {
    const Model model(split.train, {.seed = 5});
    const GridWithMemory grid;
    const Model in_device(model, memory_of(grid));
    const Report on_host = evaluate(serial, model, split.test);
    for (const Report& report :
         {evaluate(serial_grid, model, split.test), evaluate(grid, model, split.test),
          evaluate(grid, in_device, split.test)}) {
      CHECK(report.ndcg == doctest::Approx(on_host.ndcg));
      CHECK(report.recall == doctest::Approx(on_host.recall));
      CHECK(report.average_popularity == doctest::Approx(on_host.average_popularity));
    }
    const auto expected = recommend(serial, model, Index{3}, 5);
    const auto lists = {recommend(grid, model, Index{3}, 5),
                        recommend(grid, in_device, Index{3}, 5)};
    for (const auto& list : lists) {
      REQUIRE(list.size() == expected.size());
      for (std::size_t j = 0; j < list.size(); ++j) CHECK(list[j].item == expected[j].item);
    }
  };
  check(std::type_identity<Recommender<MF<16>, BPR, None, PRISM<1.0>>>{});
  check(std::type_identity<Recommender<LightGCN<16, 2>, DirectAU, None, PRISM<1.0>>>{});
  check(std::type_identity<Recommender<MF<16>, MACR>>{});
}

TEST_CASE("rows and parts in a device's memory are not copied") {
  constexpr Index users = 4, items = 2000;
  const GridWithMemory grid;
  std::pmr::memory_resource* const memory = memory_of(grid);
  Matrix<float> user_rows = make_table<float>(users, 16, memory),
                item_rows = make_table<float>(items, 16, memory);
  std::ranges::copy(exact_rows(users, 1), user_rows.begin());
  std::ranges::copy(exact_rows(items, 2), item_rows.begin());
  const Scorer<float> scorer{Output<float>(std::move(user_rows), std::move(item_rows))};
  const Interactions halves = multiples(users, items, 2, memory);
  const std::vector<Index> all{0, 1, 2, 3};
  const std::size_t before = grid_memory().allocated();
  const auto lists = lists_of(grid, scorer, all, 10, {&halves}, Similarity::dot);
  const std::size_t allocated = grid_memory().allocated() - before;
  CHECK(lists == lists_of(serial, scorer, all, 10, {&halves}, Similarity::dot));
  // The scores, and less beside them than the rows or the part would take.
  const std::size_t of_scores = users * items * sizeof(float);
  CHECK(allocated >= of_scores);
  CHECK(allocated < of_scores + halves.size() * sizeof(Index));
}
