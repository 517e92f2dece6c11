// SPDX-License-Identifier: BSD-3-Clause
// Saved models: what is loaded is what was saved, and a folder that is anything else is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;

namespace {

namespace fs = std::filesystem;

Interactions small_data() {
  return synthetic_interactions({.users = 40, .items = 30, .interactions_per_user = 6});
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void overwrite(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Tables and parameters, one after the other.
template <class Model>
std::vector<float> all_weights(Model model) {
  std::vector<float> weights;
  for (const std::span<float> part : detail::weight_spans(model.weights())) {
    weights.insert(weights.end(), part.begin(), part.end());
  }
  return weights;
}

/// Replaces a line of a manifest, and its checksum so that nothing but the line is wrong.
void change_line(const fs::path& folder, const std::string& name, const std::string& value) {
  const fs::path path = folder / detail::manifest_name;
  const detail::Manifest before(path.string(), text_of(path));
  detail::Manifest after;
  for (const auto& [line, text] : before.lines()) after.add(line, line == name ? value : text);
  overwrite(path, after.to_text());
}

/// Replaces a file, and its line in the manifest.
void change_file(const fs::path& folder, const std::string& name, const std::string& content) {
  overwrite(folder / name, content);
  detail::Checksum sum;
  sum.add(content);
  detail::Manifest entry;
  entry.add_file(name, {.size = content.size(), .checksum = sum.value()});
  change_line(folder, "file " + name, *entry.find("file " + name));
}

}  // namespace

TEST_CASE("a loaded model has the saved one's weights, options, ids and interactions") {
  const TemporaryFolder folder;
  using Model = Recommender<MLP<dynamic>, Penalized<MAWU, IPL>, FullWD, PRISM<dynamic>>;
  Interactions train = small_data();
  const Model saved(train, {.seed = 9'876'543'210'987'654'321u,
                            .backbone = MLP<dynamic>(12),
                            .loss = {.loss = {.gamma1 = 0.1 + 0.2}, .penalty = {.weight = 3}},
                            .regularizer = {1e-7},
                            .initializer = {.alpha = 0.7, .scale = 2}});
  save_model(saved, folder / "model", {{"learning_rate", "0.01"}});
  const auto loaded = load_model<Model>(folder / "model");
  CHECK(loaded.name() == saved.name());
  CHECK(loaded.options().seed == saved.options().seed);
  CHECK(loaded.options().loss.loss.gamma1 == 0.1 + 0.2);
  CHECK(loaded.options().loss.penalty.weight == 3);
  CHECK(loaded.options().regularizer.lambda == 1e-7);
  CHECK(loaded.options().initializer.alpha == 0.7);
  CHECK(all_weights(loaded) == all_weights(saved));
  CHECK(*loaded.train().user_ids() == *train.user_ids());
  CHECK(*loaded.train().item_ids() == *train.item_ids());
  REQUIRE(loaded.train().size() == train.size());
  for (std::size_t k = 0; k < train.size(); ++k) CHECK(loaded.train()[k] == train[k]);

  const SavedNotes description = saved_model_description(folder / "model");
  const std::pair<std::string, std::string> note{"note learning_rate", "0.01"};
  CHECK(std::ranges::count(description, note) == 1);
}

TEST_CASE("ids with line breaks and backslashes, and times, are saved") {
  const TemporaryFolder folder;
  const auto ids = [](const std::vector<std::string>& texts) {
    auto all = std::make_shared<Ids>();
    for (const std::string& text : texts) all->intern(text);
    return all;
  };
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {1, 2}};
  const std::vector<double> times{0.1, -5, 1e300};
  const Interactions train(ids({"a\nb", "\\n"}), ids({"\r", "", "x: y\\"}), pairs, times);
  save_model(Recommender<MF<4>, BPR>(train), folder / "model");
  const SavedScorer<> loaded = load_scorer(folder / "model");
  CHECK(*loaded.train.user_ids() == *train.user_ids());
  CHECK(*loaded.train.item_ids() == *train.item_ids());
  CHECK(std::ranges::equal(loaded.train.times(), train.times()));
}

TEST_CASE("policies chosen at run time are chosen again") {
  const TemporaryFolder folder;
  using Model = Recommender<MF<dynamic>, BPR, OneRegularizer<None, BatchedWD, FullWD>,
                            OneInitializer<Xavier, PRISM<dynamic>>>;
  const Model saved(small_data(), {.backbone = MF<dynamic>(5),
                                   .regularizer = FullWD{.lambda = 0.25},
                                   .initializer = PRISM<dynamic>{.alpha = 0.5}});
  save_model(saved, folder / "model");
  const auto loaded = load_model<Model>(folder / "model");
  CHECK(loaded.name() == saved.name());
  CHECK(loaded.options().regularizer.weight_decay(true) == 0.25);
  change_line(folder / "model", "regularizer.choice", "3");
  CHECK(test::error_of<DataError>([&] { static_cast<void>(load_model<Model>(folder / "model")); })
            .ends_with("has regularizer.choice: 3, where there are fewer policies to choose "
                       "among"));
}

TEST_CASE("a ranking rule is loaded without the model's policies") {
  const TemporaryFolder folder;
  const Recommender<MF<8>, MACR> saved(small_data(), {.loss = {.c = 7.5}});
  save_model(saved, folder / "model");
  const SavedScorer<> loaded = load_scorer(folder / "model");
  CHECK(loaded.model == "MF<8> + MACR + None + Xavier");
  CHECK(loaded.scorer.user_factor == saved.scorer().user_factor);
  CHECK(loaded.scorer.item_factor == saved.scorer().item_factor);
  CHECK(loaded.scorer.offset == 7.5f);
  const auto expected = recommend(saved, 3, 10);
  const auto found = recommend(loaded.scorer, loaded.train, 3, 10);
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    CHECK(found[k].item == expected[k].item);
    CHECK(found[k].score == expected[k].score);
  }
}

TEST_CASE("a saved model is replaced as one, and nothing else is left or replaced") {
  const TemporaryFolder folder;
  const Interactions train = small_data();
  save_model(Recommender<MF<4>, BPR>(train), folder / "a" / "model");
  save_model(Recommender<MLP<4>, BPR>(train), folder / "a" / "model" / "");
  CHECK(names_in(folder / "a") == std::vector<std::string>{"model"});
  CHECK_NOTHROW(static_cast<void>(load_model<Recommender<MLP<4>, BPR>>(folder / "a" / "model")));
  save_model(Recommender<MF<4>, BPR>(train), folder / "a" / "model");
  CHECK_FALSE(fs::exists(folder / "a" / "model" / "backbone_1.npy"));

  fs::create_directory(folder / "photos");
  overwrite(folder / "photos" / "one.jpg", "");
  CHECK(test::error_of<DataError>(
            [&] { save_model(Recommender<MF<4>, BPR>(train), folder / "photos"); })
            .ends_with("photos: cannot be written: it is a folder with other files than a saved "
                       "model's"));
  CHECK(names_in(folder / "photos") == std::vector<std::string>{"one.jpg"});
  overwrite(folder / "file", "");
  CHECK(test::error_of<DataError>([&] {
          save_model(Recommender<MF<4>, BPR>(train), folder / "file");
        }).ends_with("file: cannot be written: it exists and is not a folder"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a", "file", "photos"});
}

TEST_CASE("what a killed process has left is removed by the next one, not what a live one writes") {
  const TemporaryFolder folder;
  const Interactions train = small_data();
  fs::create_directories(folder / "model.partial-1-0" / "deep");
  overwrite(folder / "model.partial-1-0" / "users.npy", "cut o");
  const StagedFolder live(folder / "model");
  save_model(Recommender<MF<4>, BPR>(train), folder / "model");
  CHECK(names_in(folder.path()) ==
        std::vector<std::string>{"model", live.path().filename().string()});
}

TEST_CASE("a model of other policies or numbers is refused by the policy's name") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  save_model(Recommender<MF<8>, SSM>(small_data(), {.loss = {.tau = 0.5}}), path);
  const auto refusal = [&]<class Model>(std::type_identity<Model>) {
    return test::error_of<ArgumentError>([&] { static_cast<void>(load_model<Model>(path)); });
  };
  CHECK(refusal(std::type_identity<Recommender<MF<8>, BPR>>{}) ==
        "loss: must be what " + path.string() + " was saved with, SSM, not BPR");
  CHECK(refusal(std::type_identity<Recommender<MF<4>, SSM>>{}) ==
        "backbone: must be what " + path.string() + " was saved with, MF<8>, not MF<4>");
  CHECK(refusal(std::type_identity<Recommender<MF<8>, SSM, FullWD>>{}) ==
        "regularizer: must be what " + path.string() + " was saved with, None, not FullWD");
  CHECK(refusal(std::type_identity<
                Recommender<MF<8>, SSM, None, Xavier, Adam, UniformNegatives, double>>{}) ==
        "Scalar: must be float, as the saved model's, not double");
  CHECK(test::error_of<ArgumentError>([&] { static_cast<void>(load_scorer<double>(path)); }) ==
        "T: must be float, as the saved model's, not double");
}

TEST_CASE("each byte of a saved model counts") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MF<4>, BPR>;
  save_model(Model(small_data()), path);
  for (const std::string& name : names_in(path)) {
    CAPTURE(name);
    const std::string whole = text_of(path / name);
    for (std::size_t k = 0; k < whole.size(); k += 1 + whole.size() / 97) {
      CAPTURE(k);
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ 1);
      overwrite(path / name, damaged);
      CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
      overwrite(path / name, whole.substr(0, k));
      CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    }
    overwrite(path / name, whole + "x");
    CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    fs::remove(path / name);
    CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    overwrite(path / name, whole);
  }
  CHECK_NOTHROW(static_cast<void>(load_model<Model>(path)));
}

TEST_CASE("a manifest whose checksum is right is not believed for that") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MLP<dynamic>, SSM, None, Xavier, Adam, SharedNegatives<>>;
  const Interactions train = small_data();
  const Model model(train, {.backbone = MLP<dynamic>(4)});
  const auto refusal = [&](const std::string& name, const std::string& value) {
    save_model(model, path);
    change_line(path, name, value);
    try {
      static_cast<void>(load_model<Model>(path));
    } catch (const Error& error) {
      std::string text = error.what();
      if (text.starts_with(path.string())) text.erase(0, path.string().size());
      return text;
    }
    return std::string("loaded");
  };
  CHECK(refusal("loss.tau", "0.2") == "loaded");
  CHECK(refusal("loss.tau", "nan") == "tau: must be from 1e-6 to 1e6, not nan");
  CHECK(refusal("loss.tau", "cold") ==
        "/manifest.txt: has loss.tau: cold, which is not a number that belongs there");
  CHECK(refusal("loss.negatives", "-1") ==
        "/manifest.txt: has loss.negatives: -1, which is not a value that belongs there");
  CHECK(refusal("loss.log_q", "2") ==
        "/manifest.txt: has loss.log_q: 2, which is not a value that belongs there");
  CHECK(refusal("sampler.mask", "3") == "mask: must be one of its type's enumerators");
  CHECK(refusal("seed", "-1") ==
        "/manifest.txt: has seed: -1, which is not a number that belongs there");
  CHECK(refusal("file train.npy", "1") == "/manifest.txt: has no size and checksum of train.npy");
}

TEST_CASE("tables of other shapes are refused before memory is taken for them") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MLP<dynamic>, SSM>;
  const Interactions train = small_data();
  const auto refusal = [&](const std::string& name, const std::string& content) {
    save_model(Model(train, {.backbone = MLP<dynamic>(4)}), path);
    change_file(path, name, content);
    return test::error_of<DataError>([&] { static_cast<void>(load_model<Model>(path)); })
        .substr(path.string().size());
  };
  const auto table = [](std::size_t size, std::size_t dim) {
    const Matrix<float> zeros = prism::zeros<float>(size, dim);
    return detail::npy(rows(zeros));
  };
  CHECK(refusal("item_table.npy", table(30, 5)) ==
        ": has a item_table.npy of 30 x 5 numbers where 30 x 4 belong");
  CHECK(refusal("backbone_1.npy", table(4, 5)) ==
        ": has a backbone_1.npy of 4 x 5 numbers where 4 x 4 belong");
  // Towers of such a dimension would have more than 4 TiB.
  save_model(Model(train, {.backbone = MLP<dynamic>(4)}), path);
  change_file(path, "user_table.npy", table(40, std::size_t{1} << 20));
  change_file(path, "item_table.npy", table(30, std::size_t{1} << 20));
  change_line(path, "backbone", "MLP<1048576, 2, ReLU>");
  CHECK(test::error_of<DataError>([&] {
          static_cast<void>(load_model<Model>(path));
        }).ends_with("has fewer parameters than its policies need"));
  CHECK(refusal("user_table.npy", "nothing") == "/user_table.npy: is no .npy file");
  CHECK(refusal("user_ids.txt", "0\n1\n1\n") ==
        "/user_ids.txt:3: has an id that a line before has too: 1");
  CHECK(refusal("user_ids.txt", "0\n1\n") ==
        ": has a train.npy with a user or an item that has no id");
  CHECK(refusal("train.npy", table(40, 2)) ==
        "/train.npy: holds numbers of float32 where uint32 belongs");
}
