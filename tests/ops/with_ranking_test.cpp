// SPDX-License-Identifier: BSD-3-Clause
// Scorers whose items' rows have magnitudes from popularity.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"
#include "support/ranked_rows.hpp"
#include "support/rows.hpp"

using namespace prism;
using test::graph_of_degrees;
using test::numbers;
using test::refusal;
using test::rows_of_exact_magnitude;

namespace {

/// 20 users and 30 items of 11 columns, in random directions.
const Scorer<float>& random_scorer() {
  static const Scorer<float> scorer = test::scorer_of<float>({.users = 20, .items = 30, .dim = 11});
  return scorer;
}
const Interactions& train_of_30() {
  static const Interactions train = graph_of_degrees(30);
  return train;
}

/// The items of each user's list, best first.
std::vector<std::vector<Index>> items_of_lists(const Scorer<float>& scorer, Similarity similarity) {
  std::vector<std::vector<Index>> lists;
  for (Index user = 0; user < 20; ++user) {
    auto& list = lists.emplace_back();
    const RecommendOptions options{.exclude_seen = false, .similarity = similarity};
    for (const auto& best : recommend(scorer, train_of_30(), user, 30, options)) {
      list.push_back(best.item);
    }
  }
  return lists;
}

/// Checks that each row has the direction of another, and a magnitude.
void check_rows(Rows<const float> rows, Rows<const float> from,
                const std::function<double(std::size_t row, double magnitude)>& magnitude) {
  REQUIRE(rows.size() == from.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double before = static_cast<double>(norm(from[r], from.dim()));
    const double expected = magnitude(r, before);
    CHECK(static_cast<double>(norm(rows[r], rows.dim())) ==
          doctest::Approx(expected).epsilon(1e-6));
    for (std::size_t c = 0; c < rows.dim(); ++c) {
      CHECK(std::abs(static_cast<double>(rows[r][c]) / expected -
                     static_cast<double>(from[r][c]) / before) <= 5e-7);
    }
  }
}

void check_items(const Ranking& ranking,
                 const std::function<double(std::size_t row, double magnitude)>& magnitude) {
  const Scorer<float> ranked = with_ranking(random_scorer(), ranking, train_of_30());
  check_rows(ranked.output.items(), random_scorer().output.items(), magnitude);
  CHECK(ranked.output.users().data() == random_scorer().output.users().data());
}

double degree(std::size_t item) { return static_cast<double>(item % 7); }

}  // namespace

TEST_CASE("each item's row has the magnitude that popularity gives it, and keeps its direction") {
  for (const double power : {-1.0, 0.0, 0.25, 0.5, 1.5, Ranking::max_power}) {
    check_items({.power = power},
                [&](std::size_t i, double) { return std::pow(degree(i) + 1, power); });
  }
  for (const double alpha : {0.0, 0.5, 1.0, max_prism_alpha}) {
    check_items({.alpha = alpha},
                [&](std::size_t i, double) { return prism_magnitude(alpha, degree(i)); });
  }
  CHECK(prism_magnitude(0.5, 6) == doctest::Approx(0.5 * std::log(8.0) + 0.5));
  check_items({.magnitude = [](double d) { return 2 + std::sin(d); }},
              [](std::size_t i, double) { return 2 + std::sin(degree(i)); });
}

TEST_CASE("a table has the magnitude of each item") {
  std::vector<double> table(30);
  for (std::size_t i = 0; i < 30; ++i) table[i] = 1 + static_cast<double>(i * i % 11);
  check_items({.magnitudes = table}, [&](std::size_t i, double) { return table[i]; });
}

TEST_CASE("an exponent beside magnitudes gives the product with the rows' own") {
  check_items({.power = 0.5, .exponent = 1},
              [](std::size_t i, double magnitude) { return std::sqrt(degree(i) + 1) * magnitude; });
  check_items({.alpha = 2, .exponent = -0.5}, [](std::size_t i, double magnitude) {
    return prism_magnitude(2, degree(i)) / std::sqrt(magnitude);
  });
  check_items({.exponent = 0.5, .magnitudes = std::vector<double>(30, 3.0)},
              [](std::size_t, double magnitude) { return 3 * std::sqrt(magnitude); });
}

TEST_CASE("alpha 0 and power 0 rank as by cosine, others do not") {
  const auto by_cosine = items_of_lists(random_scorer(), Similarity::cosine);
  const auto lists = [](const Ranking& ranking) {
    return items_of_lists(with_ranking(random_scorer(), ranking, train_of_30()), Similarity::dot);
  };
  CHECK(lists({.alpha = 0}) == by_cosine);
  CHECK(lists({.power = 0}) == by_cosine);
  CHECK(lists({.exponent = 0}) == by_cosine);
  CHECK(lists({.alpha = 0.5}) != by_cosine);
  CHECK(lists({.power = 0.5}) != by_cosine);
  CHECK(lists({}) != by_cosine);
}

TEST_CASE("as trained, a scorer is the same to the last bit, also while nothing is chosen yet") {
  for (const Ranking& ranking : {Ranking{}, Ranking{.exponent = 1}, Ranking{.users = true},
                                 power_by_validation(), alpha_by_validation()}) {
    // As a model in training does, before the first validation.
    const Scorer<float> same = detail::ranked_scorer(par, random_scorer(), ranking, train_of_30());
    CHECK(same.output.items().data() == random_scorer().output.items().data());
    CHECK(same.output.users().data() == random_scorer().output.users().data());
  }
}

TEST_CASE("with a choice, rows are those of the value that was chosen") {
  const auto items = [](const Ranking& ranking) {
    const Scorer<float> ranked = with_ranking(random_scorer(), ranking, train_of_30());
    return numbers(ranked.output.items());
  };
  CHECK(items(power_by_validation().with_choice(0.3)) == items({.power = 0.3}));
  CHECK(items(alpha_by_validation().with_choice(0.75)) == items({.alpha = 0.75}));
}

TEST_CASE("users' rows have magnitudes on request, which change no list without an offset") {
  const auto step = [](double d) { return d < 5 ? 0.5 : 4.0; };  // powers of two: scores are exact
  const auto ranked = [&](Scorer<float> scorer, bool users) {
    return with_ranking(scorer, {.magnitude = step, .users = users}, train_of_30());
  };
  const std::span<const Index> degrees = train_of_30().user_degree();
  CHECK(std::ranges::min(degrees) < 5);
  CHECK(std::ranges::max(degrees) >= 5);
  const Scorer<float> scorer{
      Output<float>(rows_of_exact_magnitude(20), rows_of_exact_magnitude(30))};
  const Scorer<float> with_users = ranked(scorer, true);
  check_rows(with_users.output.users(), scorer.output.users(),
             [&](std::size_t u, double) { return step(degrees[u]); });
  const Scorer<float> items_only = ranked(scorer, false);
  CHECK(numbers(with_users.output.items()) == numbers(items_only.output.items()));
  CHECK(items_of_lists(with_users, Similarity::dot) == items_of_lists(items_only, Similarity::dot));
  Scorer<float> with_offset = scorer;
  with_offset.offset = 0.3F;
  for (std::size_t i = 0; i < 30; ++i) with_offset.item_factor.push_back(i % 2 == 0 ? 0.9F : 0.4F);
  CHECK(items_of_lists(ranked(with_offset, true), Similarity::dot) !=
        items_of_lists(ranked(with_offset, false), Similarity::dot));
}

TEST_CASE("MACR's factors and offset are those of the rows as trained") {
  const Recommender<MF<8>, MACR> model(train_of_30(), {.loss = {.c = 0.7}});
  const Scorer<float> scorer = model.scorer(par, Ranking{});
  const Scorer<float> ranked = model.scorer(par, {.power = 1, .users = true});
  REQUIRE(scorer.item_factor.size() == 30);
  CHECK(ranked.user_factor == scorer.user_factor);
  CHECK(ranked.item_factor == scorer.item_factor);
  CHECK(ranked.offset == 0.7F);
  check_rows(ranked.output.items(), scorer.output.items(),
             [](std::size_t i, double) { return degree(i) + 1; });
}

TEST_CASE("rows have the same bits for any number of threads") {
  const Scorer<float> scorer = test::scorer_of<float>({.users = 20, .items = 3000});
  const Interactions train = graph_of_degrees(3000);
  for (const Ranking& ranking : {Ranking{.power = 0.3, .users = true}, Ranking{.exponent = 0.7}}) {
    const auto made = [&] { return with_ranking(scorer, ranking, train); };
    const Scorer<float> on_all = made();
    const ThreadLimit limit(1);
    const Scorer<float> on_one = made();
    CHECK(numbers(on_all.output.items()) == numbers(on_one.output.items()));
    CHECK(numbers(on_all.output.users()) == numbers(on_one.output.users()));
  }
}

TEST_CASE("rows beyond the training set's users and items keep their magnitudes") {
  const Interactions fewer(5, 13, std::vector<Interaction>{{4, 12}, {0, 1}, {1, 1}});
  const Scorer<float> ranked = with_ranking(random_scorer(), {.power = 1, .users = true}, fewer);
  const auto check = [](Rows<const float> rows, Rows<const float> from,
                        std::span<const Index> degrees) {
    check_rows(rows, from, [&](std::size_t r, double magnitude) {
      return r < degrees.size() ? degrees[r] + 1.0 : magnitude;
    });
    for (std::size_t r = degrees.size(); r < rows.size(); ++r) {
      CHECK(std::equal(rows[r], rows[r] + rows.dim(), from[r]));
    }
  };
  check(ranked.output.items(), random_scorer().output.items(), fewer.item_degree());
  check(ranked.output.users(), random_scorer().output.users(), fewer.user_degree());
  // A scorer of the first items: the magnitudes of the others are not needed.
  const Scorer<float> few = test::scorer_of<float>({.users = 20, .items = 3, .dim = 11});
  const Scorer<float> few_ranked = with_ranking(few, {.power = 1}, train_of_30());
  check_rows(few_ranked.output.items(), few.output.items(),
             [](std::size_t i, double) { return degree(i) + 1; });
}

TEST_CASE("rows of zeros have no direction, and stay") {
  Matrix<float> items = rows_of_exact_magnitude(30);
  std::fill_n(rows(items)[6], 16, 0.0F);
  const Scorer<float> scorer{Output<float>(rows_of_exact_magnitude(20), items)};
  for (const Ranking& ranking :
       {Ranking{.power = 1}, Ranking{.alpha = 0}, Ranking{.exponent = -1}}) {
    const Scorer<float> ranked = with_ranking(scorer, ranking, train_of_30());
    const float* const row = ranked.output.items()[6];
    CHECK(std::count(row, row + 16, 0.0F) == 16);
    CHECK(norm(ranked.output.items()[5], 16) > 0);
  }
}

TEST_CASE("a ranked scorer keeps the rows that it shares with the one that it was made of") {
  std::weak_ptr<const void> shared;
  const Scorer<float> ranked = [&] {
    const Scorer<float> scorer{
        Output<float>(rows_of_exact_magnitude(20), rows_of_exact_magnitude(30))};
    shared = scorer.output.owner();
    return with_ranking(scorer, {.power = 1}, train_of_30());
  }();
  REQUIRE_FALSE(shared.expired());
  const Matrix<float> users = rows_of_exact_magnitude(20);
  CHECK(numbers(ranked.output.users()) == numbers(rows(users)));
}

TEST_CASE("rankings are refused with members outside their domains, or that exclude each other") {
  const auto message = [](const Ranking& ranking) {
    const std::string of_check = refusal([&] { ranking.check(); });
    CHECK(refusal([&] { return with_ranking(random_scorer(), ranking, train_of_30()); }) ==
          of_check);
    return of_check;
  };
  const std::string one =
      "ranking: must have only one of alpha (or alphas), power (or powers), magnitude and "
      "magnitudes";
  const auto constant = [](double) { return 1.0; };
  CHECK(message({.alpha = 1, .power = 1}) == one);
  CHECK(message({.alpha = 1, .powers = {0, 1}}) == one);
  CHECK(message({.power = 1, .magnitude = constant}) == one);
  CHECK(message({.magnitude = constant, .magnitudes = {1}}) == one);
  CHECK(message({.magnitudes = {1}, .alphas = {0, 1}}) == one);
  CHECK(message({.alphas = {0, 1}, .powers = {0, 1}}) == one);
  CHECK(message({.alpha = 1, .alphas = {0, 1}}) == "nothing is refused");
  const std::string alpha_range = "; above that, the magnitude for popularity 0 would be negative";
  CHECK(message({.alpha = -0.1}) == "alpha: must be from 0 to 3.25, not -0.1");
  CHECK(message({.alpha = 3.26}) == "alpha: must be from 0 to 3.25, not 3.26" + alpha_range);
  CHECK(message({.alphas = {0, 4}}) == "alpha: must be from 0 to 3.25, not 4" + alpha_range);
  CHECK(message({.alpha = std::nan("")}).starts_with("alpha: must be from 0 to 3.25, not nan"));
  CHECK(message({.power = 4.5}) == "power: must be from -4 to 4, not 4.5");
  CHECK(message({.power = -std::numeric_limits<double>::infinity()}) ==
        "power: must be from -4 to 4, not -inf");
  CHECK(message({.powers = {0, 5}}) == "power: must be from -4 to 4, not 5");
  CHECK(message({.exponent = std::numeric_limits<double>::infinity()}) ==
        "exponent: must be from -100 to 100, not inf");
  const std::string order = ": must be ascending, each different from the others";
  CHECK(message({.alphas = {1, 0.5}}) == "alphas" + order);
  CHECK(message({.powers = {0, 0.5, 0.5}}) == "powers" + order);
  for (const double wrong : {0.0, -1.0}) {
    CHECK(message({.magnitudes = {1, wrong}}) ==
          "magnitudes: must be finite and above 0, not " + format_number(wrong) + " for item 1");
  }
  CHECK(message({.magnitudes = std::vector<double>(30, 1.0), .users = true}) ==
        "users: cannot be set with `magnitudes`, which are those of items; give a function of "
        "popularity instead");
}

TEST_CASE("magnitudes are refused that are no numbers, none at all, or not one for each item") {
  const auto message = [](const Ranking& ranking) {
    return refusal([&] { return with_ranking(random_scorer(), ranking, train_of_30()); });
  };
  CHECK(message({.magnitude = [](double d) { return d; }}) ==
        "magnitude: must be finite and above 0, not 0 for popularity 0");
  CHECK(message({.magnitude = [](double d) { return d == 5 ? std::nan("") : 1; }}) ==
        "magnitude: must be finite and above 0, not nan for popularity 5");
  CHECK(message({.magnitude = [](double d) { return d == 4 ? 1e60 : 1; }}) ==
        "magnitude: must be finite and above 0 in the rows' type, not 1e+60 for popularity 4");
  CHECK(message({.magnitudes = {1, 2, 3}}) ==
        "magnitudes: must have one number for each of the 30 items, not 3");
  // Each of two factors may be right, and their product too large.
  CHECK(refusal([] {
          const auto large = [](double) { return 1e38; };
          return with_ranking(test::scorer_of<float>({.users = 20, .items = 30, .dim = 500}),
                              {.exponent = 1, .magnitude = large}, train_of_30());
        }).ends_with(" to that power, times its m(d), is too large or too small"));
  CHECK(message({.magnitudes = std::vector<double>(30, 1e-42)}) ==
        "magnitudes: must be neither so small nor so large that a row's numbers, times it, are "
        "beyond "
        "the range of the rows' type");
  // A function's errors are the caller's own.
  CHECK_THROWS_AS(
      static_cast<void>(with_ranking(
          random_scorer(), {.magnitude = [](double) -> double { throw 1; }}, train_of_30())),
      int);
}

TEST_CASE("a model ranks by its ranking at once, and refuses a wrong one") {
  Recommender<MF<8>, DirectAU> model(train_of_30());
  model.set_ranking({.power = 1});
  CHECK(model.ranking().power == 1.0);
  const Scorer<float> scorer = model.scorer();
  const Output<float> output = model.output();
  check_rows(scorer.output.items(), output.items(),
             [](std::size_t i, double) { return degree(i) + 1; });
  CHECK(refusal([&] { model.set_ranking({.power = 9}); }) == "power: must be from -4 to 4, not 9");
  CHECK(model.ranking().power == 1.0);
  CHECK(refusal([] {
          return Recommender<MF<8>, DirectAU>(train_of_30(), {.ranking = {.power = 9}});
        }) == "power: must be from -4 to 4, not 9");
}
