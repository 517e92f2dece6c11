// SPDX-License-Identifier: BSD-3-Clause
// A model's ranking in what serves it: saved models, new rows, indices, similar items.
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
#include "support/error_of.hpp"

using namespace prism;
using namespace test;

namespace {

using Factors = Recommender<MF<8>, BPR>;
using Towers = Recommender<MLP<8>, MACR>;
using Graph = Recommender<LightGCN<8, 2>, BPR>;
using InDouble = Recommender<MF<4>, BPR, None, PRISM<1.0>, Adam, UniformNegatives, double>;

double logarithm(double popularity) { return std::log(popularity + 3); }

std::vector<Ranking> rankings(std::size_t items) {
  std::vector<double> magnitudes(items);
  for (std::size_t i = 0; i < items; ++i) magnitudes[i] = 0.1 + static_cast<double>(i % 7) / 3;
  return {{.power = 0.1 + 0.2},
          {.alpha = 0.75, .users = true},
          {.exponent = 0.5},
          {.exponent = 0},
          {.power = -0.5, .exponent = 1, .users = true},
          {.magnitude = logarithm},
          {.exponent = 0.25, .magnitude = logarithm},
          {.magnitudes = magnitudes},
          {.power = 0.4, .powers = {0, 0.4, 0.7}},
          {.alphas = {0.1, 1.5}}};
}

template <class T>
bool same(Rows<const T> a, Rows<const T> b) {
  return a.size() == b.size() && a.dim() == b.dim() &&
         std::equal(a.data(), a.data() + a.num_elements(), b.data());
}
template <class T>
bool same(const Scorer<T>& a, const Scorer<T>& b) {
  return same(a.output.users(), b.output.users()) && same(a.output.items(), b.output.items()) &&
         a.user_factor == b.user_factor && a.item_factor == b.item_factor && a.offset == b.offset;
}
/// Apart from a function.
bool same(const Ranking& a, const Ranking& b) {
  return a.alpha == b.alpha && a.power == b.power && a.exponent == b.exponent &&
         a.magnitudes == b.magnitudes && a.alphas == b.alphas && a.powers == b.powers &&
         a.users == b.users;
}

template <class T>
double magnitude(Rows<const T> rows, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < rows.dim(); ++c) {
    sum += static_cast<double>(rows[row][c]) * static_cast<double>(rows[row][c]);
  }
  return std::sqrt(sum);
}

template <class Model>
void check_saved() {
  using T = typename Model::scalar_type;
  const TemporaryFolder folder;
  Model model(small_data());
  const Scorer<T> trained = model.scorer(par, Ranking{});
  for (const Ranking& ranking : rankings(30)) {
    CAPTURE(ranking.label());
    model.set_ranking(ranking);
    save_model(model, folder / "model");
    const Scorer<T> expected = model.scorer();

    const auto loaded = load_model<Model>(folder / "model", {.ranking = {.power = 3}});
    Ranking restored = ranking;
    if (ranking.magnitude) {
      restored.magnitude = nullptr;
      for (const Index d : model.train().item_degree()) {
        restored.magnitudes.push_back(logarithm(d));
      }
    } else {
      CHECK(loaded.name() == model.name());
    }
    CHECK_FALSE(loaded.ranking().magnitude);
    CHECK(same(loaded.ranking(), restored));
    CHECK(same(rows(loaded.users()), rows(model.users())));
    CHECK(same(rows(loaded.items()), rows(model.items())));
    CHECK(same(loaded.scorer(), expected));

    const SavedScorer<T> saved = load_scorer<T>(folder / "model");
    CHECK(same(saved.ranking, restored));
    CHECK(saved.model == loaded.name());
    CHECK(same(saved.scorer, expected));
    CHECK(same(saved.trained, trained));
  }
}

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

TEST_CASE("a saved model has its ranking, whatever the ranking is") {
  SUBCASE("embeddings that are output rows") { check_saved<Factors>(); }
  SUBCASE("towers, and a ranking rule") { check_saved<Towers>(); }
  SUBCASE("propagated rows") { check_saved<Graph>(); }
  SUBCASE("in double") { check_saved<InDouble>(); }
}

TEST_CASE("a model that ranks as trained is saved without a ranking") {
  const TemporaryFolder folder;
  Towers model(small_data());
  save_model(model, folder / "plain");
  model.set_ranking({.exponent = 1, .users = true});
  save_model(model, folder / "same");
  model.set_ranking({.power = 0.5});
  save_model(model, folder / "power");
  const std::vector<std::string> names = names_in(folder / "plain");
  CHECK(names == names_in(folder / "same"));
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(text_of(folder / "plain" / name) == text_of(folder / "same" / name));
    CHECK_FALSE(name.starts_with("trained_"));
  }
  for (const auto& [name, value] : saved_model_description(folder / "plain")) {
    CHECK_FALSE(name.starts_with("ranking"));
  }
  const SavedNotes description = saved_model_description(folder / "power");
  CHECK(std::ranges::count(description,
                           std::pair<std::string, std::string>{"ranking.power", "0.5"}) == 1);
  CHECK(load_model<Towers>(folder / "plain", {.ranking = {.power = 1}}).ranking().as_trained());
}

TEST_CASE("a saved model ranks otherwise without its type, as the model does") {
  const auto check = [](auto model) {
    using Model = decltype(model);
    const TemporaryFolder folder;
    for (const Ranking& before : rankings(30)) {
      CAPTURE(before.label());
      model.set_ranking(before);
      save_model(model, folder / "model");
      SavedScorer<> saved = load_scorer(folder / "model");
      for (const Ranking& after : {Ranking{.power = 0.3}, Ranking{.exponent = 0.75},
                                   Ranking{.alpha = 1, .exponent = 0.5, .users = true},
                                   Ranking{.powers = {1, 2}}, Ranking{}}) {
        CAPTURE(after.label());
        saved = with_ranking(std::move(saved), after);
        Model other = model;
        other.set_ranking(after);
        CHECK(same(saved.scorer, other.scorer()));
        CHECK(same(saved.ranking, after));
        CHECK(saved.model == other.name());
      }
      CHECK(saved.scorer.output.items().data() == saved.trained.output.items().data());
    }
  };
  check(Factors(small_data()));
  check(Graph(small_data()));
  const TemporaryFolder folder;
  save_model(Factors(small_data()), folder / "model");
  CHECK(refusal([&] { return with_ranking(load_scorer(folder / "model"), {.power = 5}); }) ==
        "power: must be from -4 to 4, not 5");
  CHECK(refusal([&] {
          return with_ranking(load_scorer(folder / "model"), {.magnitudes = {1, 2}});
        }) == "magnitudes: must have one number for each of the 30 items, not 2");
}

TEST_CASE("a ranking that a folder cannot hold is not saved without it") {
  const TemporaryFolder folder;
  const Factors model(small_data(), {.ranking = {.magnitude = logarithm, .users = true}});
  CHECK(
      refusal([&] { save_model(model, folder / "model"); }) ==
      "ranking: cannot be saved: its own function also scales users' rows; use alpha or power, or "
      "set users to false");
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a damaged ranking is refused") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "model";
  const auto error = [&](const auto& damage) {
    damage();
    const auto message = error_of<DataError>([&] { return load_model<Factors>(path); });
    CHECK(message == error_of<DataError>([&] { return load_scorer(path); }));
    REQUIRE(message.starts_with(path.string()));
    return message.substr(path.string().size());
  };
  const auto line = [&](const std::string& name, const std::string& value) {
    return error([&] {
      const bool chooses = name == "ranking.powers";
      save_model(
          Factors(small_data(),
                  {.ranking = chooses ? Ranking{.powers = {0, 1}}
                                      : Ranking{.alpha = 0.5, .exponent = 1, .users = true}}),
          path);
      change_line(path, name, value);
    });
  };
  CHECK(line("ranking.alpha", "4") ==
        ": has a ranking outside its domain: alpha: must be from 0 to 3.25, not 4; above that, the "
        "magnitude for popularity 0 would be negative");
  CHECK(line("ranking.alpha", "much") ==
        "/manifest.txt: has ranking.alpha: much, which is not a valid number for this line");
  CHECK(line("ranking.exponent", "inf") ==
        ": has a ranking outside its domain: exponent: must be a finite number");
  CHECK(line("ranking.users", "2") ==
        "/manifest.txt: has ranking.users: 2, which is neither 0 nor 1");
  CHECK(line("ranking.powers", "1 0") ==
        ": has a ranking outside its domain: powers: must be ascending, each different from the "
        "others");
  for (const std::string text : {"", " ", "0 ", " 1", "0  1", "0,1", "0 1x"}) {
    CHECK(line("ranking.powers", text) ==
          "/manifest.txt: has ranking.powers: " + text + ", which is not numbers between spaces");
  }
  const auto table = [&](const std::vector<double>& values) {
    return error([&] {
      save_model(Factors(small_data(), {.ranking = {.magnitude = logarithm}}), path);
      change_file(path, "item_magnitudes.npy",
                  detail::npy(Rows<const double>(values.data(), values.size(), 1)));
    });
  };
  CHECK(table(std::vector<double>(29, 1)) ==
        ": has an item_magnitudes.npy whose shape is not (n, 1) for the n items");
  std::vector<double> values(30, 1);
  values[7] = 0;
  CHECK(table(values) ==
        ": has a ranking outside its domain: magnitudes: must be finite and above 0, not 0");
}

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
  for (const std::size_t epochs : {0u, 3u}) {
    CAPTURE(epochs);
    const GradientFoldInOptions options{.epochs = epochs};
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

TEST_CASE("with magnitudes from popularity, all that ranks gives the same lists to the last bit") {
  const auto check = [](auto model, Similarity similarity) {
    model.set_ranking({.power = 0.3});
    const auto scorer = model.scorer();
    const ItemIndex index(model, {.similarity = similarity});
    std::vector<Index> users(model.train().users());
    for (Index u = 0; u < users.size(); ++u) users[u] = u;
    rank_items(par, scorer, users, 10, {}, similarity, [&](std::size_t u, const auto& best) {
      const auto user = static_cast<Index>(u);
      const auto list =
          recommend(model, user, 10, {.exclude_seen = false, .similarity = similarity});
      const auto top = index.top_k(query_of(scorer, user), 10);
      const auto equal = [](const auto& a, const auto& b) {
        return a.item == b.item && a.score == b.score;
      };
      CHECK(std::ranges::equal(best, list, equal));
      CHECK(std::ranges::equal(best, top.items, equal));
    });
  };
  const Interactions train =
      synthetic_interactions({.users = 30, .items = 400, .interactions_per_user = 20});
  check(Recommender<MF<16>, BPR>(train), Similarity::dot);
  check(Recommender<LightGCN<16, 2>, BPR>(train), Similarity::dot);
  check(Recommender<MLP<8>, MACR>(train), Similarity::dot);
  check(Recommender<MF<16>, BPR>(train), Similarity::cosine);
}

TEST_CASE("similar items, by cosine, are the same whatever the ranking is") {
  Factors model(small_data());
  const auto expected = similar_items(model, 3, 10);
  for (const Ranking& ranking : rankings(30)) {
    CAPTURE(ranking.label());
    model.set_ranking(ranking);
    const auto found = similar_items(model, 3, 10);
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].item == expected[k].item);
      CHECK(found[k].score == doctest::Approx(expected[k].score).epsilon(1e-5));
    }
  }
}

TEST_CASE("embeddings for other programs have the magnitudes that the model ranks with") {
  const TemporaryFolder folder;
  const Factors model(small_data(), {.ranking = {.power = 0.5, .users = true}});
  save_embeddings(model, folder / "rows");
  const Scorer<float> scorer = model.scorer();
  CHECK(text_of(folder / "rows" / "users.npy") == detail::npy(scorer.output.users()));
  CHECK(text_of(folder / "rows" / "items.npy") == detail::npy(scorer.output.items()));
  CHECK_FALSE(same(scorer.output.items(), rows(model.items())));
}
