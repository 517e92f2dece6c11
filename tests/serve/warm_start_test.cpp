// SPDX-License-Identifier: BSD-3-Clause
// Training that goes on from an earlier model after users, items and interactions were added.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "serve/model_folders.hpp"
#include "support/error_of.hpp"

using namespace prism;
using namespace test;

namespace {

Interactions data_of(const std::string& text) {
  return read_interactions(TemporaryFile(text).path());
}

/// Other users and items first, some more, and two that are gone.
const std::string earlier_text = "ada\tdune\nada\temma\nben\tulysses\nben\tdune\neve\temma\n";
const std::string later_text =
    "dan\tilias\nben\tdune\nben\tilias\nada\temma\ndan\tdune\nfay\tnana\nfay\tilias\n";

std::vector<float> row(const Matrix<float>& table, Index row) {
  return {rows(table)[row], rows(table)[row] + table.shape(1)};
}

/// Trained for some epochs.
template <class Model>
Model trained(const Interactions& data, const typename Model::Options& options = {}) {
  const Split split = random_split(data, {.validation = 0, .test = 0});
  Model model(split.train, options);
  fit(model, split, {.learning_rate = 0.1, .epochs = 5}, Silent());
  return model;
}

}  // namespace

TEST_CASE("a warm start copies the rows of users and items with the same ids") {
  using Model = Recommender<MF<4>, BPR>;
  const Interactions later = data_of(later_text);
  const auto earlier = trained<Model>(data_of(earlier_text));
  const Model fresh(later);
  Model model(later);
  CHECK_FALSE(model.trained());
  const KnownRows known = warm_start(model, earlier);
  CHECK(model.trained());
  CHECK(known.users == 2);
  CHECK(known.items == 2);
  const auto user = [](const Model& of, const char* id) {
    return row(of.users(), of.train().find_user(id));
  };
  const auto item = [](const Model& of, const char* id) {
    return row(of.items(), of.train().find_item(id));
  };
  CHECK(user(model, "ada") == user(earlier, "ada"));
  CHECK(user(model, "ben") == user(earlier, "ben"));
  CHECK(user(model, "dan") == user(fresh, "dan"));
  CHECK(item(model, "dune") == item(earlier, "dune"));
  CHECK(item(model, "emma") == item(earlier, "emma"));
  CHECK(item(model, "ilias") == item(fresh, "ilias"));
}

TEST_CASE("a warm start from a folder is one from the model that was saved there") {
  const auto check = []<class Model>(const typename Model::Options& options) {
    const TemporaryFolder folder;
    const auto earlier = trained<Model>(data_of(earlier_text), options);
    save_model(earlier, folder / "model");
    Model one(data_of(later_text), options), other(data_of(later_text), options);
    warm_start(one, earlier);
    const KnownRows known = warm_start(other, folder / "model");
    CHECK(known.users == 2);
    CHECK(other.trained());
    CHECK(all_weights(one) == all_weights(other));
    CHECK(all_weights(one) != all_weights(Model(data_of(later_text), options)));
  };
  check.operator()<Recommender<MF<4>, MAWU, FullWD>>({});
  check.operator()<Recommender<MLP<4>, BPR>>({.ranking = {.power = 0.5}});
  check.operator()<Recommender<LightGCN<4, 2>, SLK>>({});
}

TEST_CASE("a warm start copies parameters, those of users and items by their ids") {
  using Model = Recommender<MLP<4>, MAWU>;
  const Interactions later = data_of(later_text);
  auto earlier = trained<Model>(data_of(earlier_text));
  Model model(later);
  warm_start(model, earlier);
  std::vector<ParameterView<float>> from, to;
  earlier.weights().loss.for_each_parameter([&](const auto& view) { from.push_back(view); });
  model.weights().loss.for_each_parameter([&](const auto& view) { to.push_back(view); });
  Model fresh(later);
  CHECK(all_weights(model) != all_weights(fresh));
  CHECK(*to[0].rows[later.find_user("ben")] == *from[0].rows[earlier.train().find_user("ben")]);
  CHECK(*to[1].rows[later.find_item("emma")] == *from[1].rows[earlier.train().find_item("emma")]);
  from.clear();
  to.clear();
  earlier.weights().backbone.for_each_parameter([&](const auto& view) { from.push_back(view); });
  model.weights().backbone.for_each_parameter([&](const auto& view) { to.push_back(view); });
  REQUIRE(from.size() == to.size());
  std::vector<ParameterView<float>> initial;
  fresh.weights().backbone.for_each_parameter([&](const auto& view) { initial.push_back(view); });
  CHECK_FALSE(std::equal(initial[0].rows.data(),
                         initial[0].rows.data() + initial[0].rows.num_elements(),
                         to[0].rows.data()));
  for (std::size_t k = 0; k < from.size(); ++k) {
    CHECK(std::equal(from[k].rows.data(), from[k].rows.data() + from[k].rows.num_elements(),
                     to[k].rows.data()));
  }
}

TEST_CASE("a warm start that does not fit is refused, and changes nothing") {
  using Model = Recommender<MF<dynamic>, BPR>;
  const TemporaryFolder folder;
  const Model earlier(data_of(earlier_text), {.backbone = MF<dynamic>(8)});
  save_model(earlier, folder / "model");
  Model model(data_of(later_text), {.backbone = MF<dynamic>(4)});
  const std::vector<float> before = all_weights(model);
  CHECK(refusal([&] { warm_start(model, earlier); }) ==
        "model: must have the backbone MF<8>, as the earlier model has, not MF<4>");
  CHECK(refusal([&] {
          warm_start(model, folder / "model");
        }).starts_with("model: must have the backbone MF<8>, as MF<8> + BPR + None + Xavier in "));
  CHECK_THROWS_AS(warm_start(model, folder / "nothing"), DataError);
  Model strangers(data_of("1\t2\n3\t4\n"), {.backbone = MF<dynamic>(8)});
  CHECK(
      refusal([&] { warm_start(strangers, earlier); }).ends_with("none of their ids are the same"));
  Recommender<MF<8>, MAWU> other(data_of(later_text));
  CHECK(refusal([&] {
          warm_start(other, folder / "model");
        }).starts_with("model: must have the loss BPR, as "));
  Recommender<MF<8>, BPR, None, Xavier, Adam, UniformNegatives, double> doubles(
      data_of(later_text));
  CHECK_THROWS_AS(warm_start(doubles, folder / "model"), ArgumentError);
  CHECK(all_weights(model) == before);
  CHECK_FALSE(model.trained());
}

TEST_CASE("a model with a warm start begins with the earlier model's loss") {
  using Model = Recommender<MF<16>, SSM>;
  const Interactions all =
      synthetic_interactions({.users = 300, .items = 200, .interactions_per_user = 20});
  const Split split = random_split(all, {.validation = 0.1, .test = 0.1});
  const FitOptions options{.learning_rate = 0.01, .epochs = 10};
  const Split before = random_split(split.train, {.validation = 0.1, .test = 0.2});
  Model earlier(before.train);
  fit(earlier, before, options, Silent());
  Model fresh(split.train), warm(split.train);
  warm_start(warm, earlier);
  const double first = fit(fresh, split, options, Silent()).epochs.front().loss;
  const History goes_on = fit(warm, split, options, Silent());
  CHECK(goes_on.epochs.front().loss < 0.9 * first);
  CHECK(evaluate(warm, split.test).ndcg >= evaluate(earlier, split.test).ndcg * 0.95);
}
