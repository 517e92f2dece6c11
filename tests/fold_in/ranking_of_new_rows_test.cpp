// SPDX-License-Identifier: BSD-3-Clause
// A model's ranking and the rows of users and items that training did not see.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"
#include "serve/model_folders.hpp"
#include "serve/rankings.hpp"
#include "support/error_of.hpp"

using namespace prism;
using namespace test;

namespace {

/// New items 0, 1, ... with so many interactions each, in turn.
Interactions new_items(Index users, const std::vector<Index>& degrees) {
  std::vector<Interaction> pairs;
  for (Index item = 0; item < degrees.size(); ++item) {
    for (Index user = 0; user < degrees[item]; ++user) {
      pairs.push_back({(user * 7 + item) % users, item});
    }
  }
  return Interactions(users, static_cast<Index>(degrees.size()), pairs);
}
Interactions new_users(Index items, const std::vector<Index>& degrees) {
  const Interactions turned = new_items(items, degrees);
  std::vector<Interaction> pairs;
  for (std::size_t k = 0; k < turned.size(); ++k) pairs.push_back({turned[k].item, turned[k].user});
  return Interactions(static_cast<Index>(degrees.size()), items, pairs);
}

}  // namespace

TEST_CASE("a new item has the magnitude that the model's ranking gives to its popularity") {
  const std::vector<Index> degrees{1, 0, 9, 4};
  Factors model(small_data());
  const Interactions history = new_items(40, degrees);
  const Matrix<float> as_solved = fold_in_items(model, history);
  const auto magnitudes = [&](const FoldInOptions& options = {}) {
    const Matrix<float> folded_in = fold_in_items(model, history, options);
    std::vector<double> found;
    for (std::size_t r = 0; r < degrees.size(); ++r) {
      found.push_back(magnitude(rows(folded_in), r));
      for (std::size_t c = 0; c < 8; ++c) {  // the direction is that of the rows as trained
        CHECK(folded_in(r, c) / found[r] ==
              doctest::Approx(as_solved(r, c) / magnitude(rows(as_solved), r)).epsilon(1e-5));
      }
    }
    return found;
  };
  const auto check = [&](const auto& expected, const FoldInOptions& options = {}) {
    const std::vector<double> found = magnitudes(options);
    for (std::size_t r = 0; r < degrees.size(); ++r) {
      CHECK(found[r] == doctest::Approx(expected(static_cast<double>(degrees[r]))).epsilon(1e-6));
    }
  };
  const std::vector<double> solved = magnitudes();
  for (const Ranking& ranking : {Ranking{.power = 0.5}, Ranking{.alpha = 0.75, .users = true},
                                 Ranking{.magnitude = logarithm}, Ranking{.exponent = 0}}) {
    CAPTURE(ranking.label());
    model.set_ranking(ranking);
    check([&](double d) { return ranking_magnitude(ranking, d); });
    check([](double d) { return 2 * std::log(d + 2); },
          {.magnitude = PrismMagnitude{.alpha = 1, .scale = 2}});
  }
  // They depend on more than popularity, or on nothing that a new item has.
  for (const Ranking& ranking :
       {Ranking{}, Ranking{.exponent = 0.5}, Ranking{.power = 0.5, .exponent = 1},
        Ranking{.magnitudes = std::vector<double>(30, 2)}}) {
    CAPTURE(ranking.label());
    model.set_ranking(ranking);
    CHECK(magnitudes() == solved);
  }
  // Above 0 for each of the model's items, but not for a new one.
  model.set_ranking({.magnitude = [](double d) { return d == 0 ? -8.0 : 1.0; }});
  CHECK(refusal([&] { return fold_in_items(model, history); }) ==
        "magnitude: must be finite and above 0, not -8 for popularity 0");
}

TEST_CASE("a new user's magnitude is the ranking's only if that scales users too") {
  const std::vector<Index> degrees{3, 0, 8};
  Factors model(small_data());
  const Interactions history = new_users(30, degrees);
  const Matrix<float> as_solved = fold_in_users(model, history);
  model.set_ranking({.power = 0.5});
  CHECK(same(rows(fold_in_users(model, history)), rows(as_solved)));
  model.set_ranking({.power = 0.5, .users = true});
  const Matrix<float> scaled = fold_in_users(model, history);
  for (std::size_t r = 0; r < degrees.size(); ++r) {
    const double expected = std::sqrt(static_cast<double>(degrees[r]) + 1);
    CHECK(magnitude(rows(scaled), r) == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("steps of the loss end with the ranking's magnitudes, from rows as trained") {
  const std::vector<Index> degrees{5, 0, 9};
  Factors model(small_data());
  for (const std::size_t rounds : {0u, 3u}) {
    CAPTURE(rounds);
    const GradientFoldInOptions options{.epochs = rounds};
    const Interactions items = new_items(40, degrees), users = new_users(30, degrees);
    const auto check = [&](const Matrix<float>& as_trained, const Matrix<float>& ranked) {
      for (std::size_t r = 0; r < degrees.size(); ++r) {
        const double expected = std::sqrt(static_cast<double>(degrees[r]) + 1);
        CHECK(magnitude(rows(ranked), r) == doctest::Approx(expected).epsilon(1e-6));
        for (std::size_t c = 0; c < 8; ++c) {
          CHECK(ranked(r, c) / expected ==
                doctest::Approx(as_trained(r, c) / magnitude(rows(as_trained), r)).epsilon(1e-5));
        }
      }
    };
    model.set_ranking({});
    const Matrix<float> item_rows = fold_in_items_by_gradient(model, items, options);
    const Matrix<float> user_rows = fold_in_users_by_gradient(model, users, options);
    model.set_ranking({.power = 0.5});
    check(item_rows, fold_in_items_by_gradient(model, items, options));
    CHECK(same(rows(user_rows), rows(fold_in_users_by_gradient(model, users, options))));
    model.set_ranking({.power = 0.5, .users = true});
    check(user_rows, fold_in_users_by_gradient(model, users, options));
    // The option is the caller's last word.
    GradientFoldInOptions own = options;
    own.magnitude = PrismMagnitude{.alpha = 0, .scale = 3};
    const Matrix<float> with_option = fold_in_items_by_gradient(model, items, own);
    for (std::size_t r = 0; r < degrees.size(); ++r) {
      CHECK(magnitude(rows(with_option), r) == doctest::Approx(3).epsilon(1e-6));
    }
  }
}

TEST_CASE("with new rows, the model's own are ranked by its ranking and the new ones as they are") {
  for (const Ranking& ranking : rankings(30)) {
    CAPTURE(ranking.label());
    const auto check = [&](const auto& model) {
      const Scorer<float> own = model.scorer();
      const Matrix<float> added = fold_in_users(model, new_users(30, {4, 2, 7}));
      const Scorer<float> alone = scorer_of_users(model, added);
      CHECK(same(alone.output.users(), rows(added)));
      CHECK(same(alone.output.items(), own.output.items()));
      const Scorer<float> with_users = append_users(model, added);
      CHECK(same(with_users.output.users().first(40), own.output.users()));
      CHECK(same(Rows<const float>(with_users.output.users()[40], 3, 8), rows(added)));
      CHECK(same(with_users.output.items(), own.output.items()));
      const Matrix<float> items = fold_in_items(model, new_items(40, {4, 2, 7}));
      const Scorer<float> with_items = append_items(model, items);
      CHECK(same(with_items.output.users(), own.output.users()));
      CHECK(same(with_items.output.items().first(30), own.output.items()));
      CHECK(same(Rows<const float>(with_items.output.items()[30], 3, 8), rows(items)));
      if (!own.item_factor.empty()) {
        CHECK(std::equal(own.item_factor.begin(), own.item_factor.end(),
                         with_items.item_factor.begin()));
      }
    };
    check(Factors(small_data(), {.ranking = ranking}));
    check(Towers(small_data(), {.ranking = ranking}));
  }
}
