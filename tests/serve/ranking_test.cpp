// SPDX-License-Identifier: BSD-3-Clause
// A model's ranking in saved models, indices and similar items.
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
                                   Ranking{.power = 1, .powers = {1, 2}}, Ranking{}}) {
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
        ": has a ranking outside its domain: exponent: must be from -100 to 100, not inf");
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
        ": has a ranking outside its domain: magnitudes: must be finite and above 0, not 0 for "
        "item 7");
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

TEST_CASE("cosines do not depend on a ranking's magnitudes, however short or long rows become") {
  Factors model(small_data());
  const RecommendOptions by_cosine{.similarity = Similarity::cosine};
  const std::vector<Index> all = [] {
    std::vector<Index> users(40);
    for (Index user = 0; user < 40; ++user) users[user] = user;
    return users;
  }();
  const auto expected = recommend(model, all, 5, by_cosine);
  const auto similar = similar_items(model, 7, 5);
  const auto check = [](const auto& found, const auto& right) {
    REQUIRE(found.size() == right.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].item == right[k].item);
      CHECK(found[k].score == doctest::Approx(right[k].score).epsilon(1e-5));
    }
  };
  for (const double magnitude : {1e-30, 1e-20, 1e-15, 1e15, 1e20, 1e30}) {
    CAPTURE(magnitude);
    std::vector<double> magnitudes(30, magnitude);
    magnitudes[3] = 1;
    model.set_ranking({.magnitudes = magnitudes});
    const auto lists = recommend(model, all, 5, by_cosine);
    const Scorer<float> scorer = model.scorer();
    const ItemIndex index(scorer, {.similarity = Similarity::cosine});
    for (const Index user : all) {
      check(lists[user], expected[user]);
      check(recommend(model, user, 5, by_cosine), expected[user]);
      check(index.top_k(query_of(scorer, user), 5, Unseen(model.train(), user)).items,
            expected[user]);
    }
    check(similar_items(model, 7, 5), similar);
  }
}

TEST_CASE("cosines in double do not depend on a ranking's magnitudes, either") {
  InDouble model(small_data());
  const RecommendOptions by_cosine{.similarity = Similarity::cosine};
  const auto expected = recommend(model, 3, 5, by_cosine);
  for (const double magnitude : {1e-300, 1e-50, 1e-14, 1e14, 1e160, 1e300}) {
    CAPTURE(magnitude);
    model.set_ranking({.magnitudes = std::vector<double>(30, magnitude)});
    const auto found = recommend(model, 3, 5, by_cosine);
    REQUIRE(found.size() == 5);
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(found[k].item == expected[k].item);
      CHECK(found[k].score == doctest::Approx(expected[k].score).epsilon(1e-12));
    }
  }
}

TEST_CASE("values to choose from are refused where nothing chooses") {
  const TemporaryFolder folder;
  Factors model(small_data());
  save_model(model, folder / "model");
  const std::string expected = "powers: are for training to choose from: give one value instead";
  CHECK(refusal([&] {
          return with_ranking(load_scorer(folder / "model"), power_by_validation());
        }) == expected);
  CHECK(refusal([&] {
          return ranking_curve(model, model.train(), std::vector{power_by_validation()},
                               {.exclude_seen = false});
        }) == expected);
  CHECK(refusal([&] {
          return with_ranking(load_scorer(folder / "model"), alpha_by_validation());
        }) == "alphas: are for training to choose from: give one value instead");
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
