// SPDX-License-Identifier: BSD-3-Clause
// Saved models: what is loaded is what was saved, and a folder that is anything else is refused.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"
#include "serve/model_folders.hpp"
#include "support/error_of.hpp"

using namespace prism;
using namespace test;
namespace fs = std::filesystem;

namespace {

/// During its lifetime, root, which may read everything, runs as nobody.
class NobodysRights {
 public:
  NobodysRights() : root_(::geteuid() == 0) {
    if (root_) REQUIRE(::seteuid(nobody) == 0);
  }
  NobodysRights(const NobodysRights&) = delete;
  NobodysRights& operator=(const NobodysRights&) = delete;
  ~NobodysRights() {
    if (root_) CHECK(::seteuid(0) == 0);
  }

 private:
  static constexpr ::uid_t nobody = 65534;
  bool root_;
};

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

TEST_CASE("a backbone that keeps numbers for many rows and has no parameters is loaded") {
  const TemporaryFolder folder;
  using Model = Recommender<LightGCN<2>, BPR>;
  const Model saved(
      synthetic_interactions({.users = 6000, .items = 40, .interactions_per_user = 2}));
  save_model(saved, folder / "model");
  CHECK(all_weights(load_model<Model>(folder / "model")) == all_weights(saved));
}

TEST_CASE("ids with line breaks, tabs and backslashes, and times, are saved") {
  const TemporaryFolder folder;
  const auto ids = [](const std::vector<std::string>& texts) {
    auto all = std::make_shared<Ids>();
    for (const std::string& text : texts) all->intern(text);
    return all;
  };
  const std::vector<Interaction> pairs{{0, 0}, {0, 1}, {1, 2}};
  const std::vector<double> times{0.1, -5, 1e300};
  const Interactions train(ids({"a\nb\t", "\\n"}), ids({"\r", "", "x: y\\"}), pairs, times);
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
            .ends_with("has regularizer.choice: 3, but there are fewer policies to choose "
                       "from"));
}

TEST_CASE("an activation chosen at run time and options of any size are restored") {
  const TemporaryFolder folder;
  using Activation = OneActivation<ReLU, Identity>;
  using Model = Recommender<MLP<dynamic, 2, Activation>, SLK>;
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  const Model saved(small_data(), {.backbone = MLP<dynamic, 2, Activation>(6, Identity{}),
                                   .loss = {.refresh_epochs = never}});
  save_model(saved, folder / "model");
  const auto loaded = load_model<Model>(folder / "model");
  CHECK(loaded.name() == saved.name());
  CHECK(loaded.options().loss.refresh_epochs == never);
  CHECK(all_weights(loaded) == all_weights(saved));
}

TEST_CASE("a model of the released preset is saved and loaded") {
  const TemporaryFolder folder;
  using Model = Released<MF<4>, SSM>;
  const Model saved(small_data());
  save_model(saved, folder / "model");
  CHECK(load_model<Model>(folder / "model").name() == saved.name());
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
            .ends_with("photos: cannot be written: it is a folder with files that are not part of "
                       "a saved model, "
                       "such as one.jpg"));
  CHECK(names_in(folder / "photos") == std::vector<std::string>{"one.jpg"});
  // Nor is a folder with a foreign file beside a model's, or with another manifest.
  save_model(Recommender<MF<4>, BPR>(train), folder / "mine");
  check_model_folder(folder / "mine");
  check_model_folder(folder / "nothing");
  overwrite(folder / "mine" / "notes.txt", "do not lose this");
  overwrite(folder / "photos" / "manifest.txt", "Manifest-Version: 1.0");
  for (const char* name : {"mine", "photos"}) {
    CHECK_THROWS_AS(check_model_folder(folder / name), DataError);
    CHECK_THROWS_AS(save_model(Recommender<MF<4>, BPR>(train), folder / name), DataError);
  }
  CHECK(text_of(folder / "mine" / "notes.txt") == "do not lose this");
  CHECK(fs::exists(folder / "photos" / "one.jpg"));
  fs::remove_all(folder / "mine");
  fs::remove(folder / "photos" / "manifest.txt");
  overwrite(folder / "file", "");
  const std::string not_a_folder = "file: cannot be written: it exists and is not a folder";
  CHECK(test::error_of<DataError>([&] {
          save_model(Recommender<MF<4>, BPR>(train), folder / "file");
        }).ends_with(not_a_folder));
  CHECK(test::error_of<DataError>([&] {
          check_model_folder(folder / "file");
        }).ends_with(not_a_folder));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a", "file", "photos"});
}

TEST_CASE("a folder that another one replaces while it is read is read to its end") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  const auto saved = [&](Index users) {
    const Interactions train =
        synthetic_interactions({.users = users, .items = 30, .interactions_per_user = 6});
    save_model(Recommender<MF<4>, BPR>(train), path);
    return train;
  };
  const Interactions first = saved(40);
  const detail::ModelFolderReader reader(path);
  fs::rename(path, folder / "replaced");
  saved(20);
  CHECK(reader.replaced());
  CHECK(reader.shape("users.npy").first == 40);
  reader.check_files();
  CHECK(fingerprint(detail::read_interactions_of(reader)) == fingerprint(first));
  // Its files are no longer found once it is removed, instead of the other model's.
  fs::remove_all(folder / "replaced");
  CHECK(test::error_of<DataError>([&] {
          static_cast<void>(detail::read_interactions_of(reader));
        }).ends_with("user_ids.txt: cannot be read: there is no such file"));
  CHECK(load_scorer(path).train.users() == 20);
}

TEST_CASE("what a killed process has left is removed by the next one, not what a live one writes") {
  const TemporaryFolder folder;
  const Interactions train = small_data();
  fs::create_directories(folder / "model.partial-1-0" / "deep");
  overwrite(folder / "model.partial-1-0" / "users.npy", "cut o");
  fs::create_directories(folder / "model.partial-results");
  const detail::StagedFolder live(folder / "model");
  save_model(Recommender<MF<4>, BPR>(train), folder / "model");
  CHECK(names_in(folder.path()) == std::vector<std::string>{"model",
                                                            live.path().filename().string(),
                                                            "model.partial-results"});
}

TEST_CASE("a model that was put aside by a process that was killed is put back") {
  const TemporaryFolder folder;
  const Interactions train = small_data();
  save_model(Recommender<MF<4>, BPR>(train), folder / "model.partial-1-0-replaced");
  fs::create_directories(folder / "model.partial-1-0");
  const detail::StagedFolder next(folder / "model");
  CHECK(names_in(folder.path()) ==
        std::vector<std::string>{"model", next.path().filename().string()});
  CHECK_NOTHROW(static_cast<void>(load_scorer(folder / "model")));
}

TEST_CASE("a folder keeps its mode when it is replaced, also one that was read-only") {
  const TemporaryFolder folder;
  const Interactions train = small_data();
  save_model(Recommender<MF<4>, BPR>(train), folder / "model");
  fs::permissions(folder / "model", fs::perms::owner_read | fs::perms::owner_exec);
  save_model(Recommender<MF<4>, BPR>(train), folder / "model");
  CHECK(fs::status(folder / "model").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_exec));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"model"});
  fs::permissions(folder / "model", fs::perms::owner_all);
}

TEST_CASE("a folder that cannot be read is not replaced") {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  fs::create_directory(folder / "theirs");
  overwrite(folder / "theirs" / "notes.txt", "do not lose this");
  fs::permissions(folder / "theirs", fs::perms::none);
  const Recommender<MF<4>, BPR> model(small_data());
  std::string refused, refused_early;
  {
    const NobodysRights rights;
    refused = test::error_of<DataError>([&] { save_model(model, folder / "theirs"); });
    refused_early = test::error_of<DataError>([&] { check_model_folder(folder / "theirs"); });
  }
  fs::permissions(folder / "theirs", fs::perms::owner_all);
  for (const std::string& message : {refused, refused_early}) {
    CHECK(message.ends_with(
        "theirs: cannot be written: the existing folder cannot be read: Permission denied"));
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"theirs"});
  CHECK(text_of(folder / "theirs" / "notes.txt") == "do not lose this");
}

TEST_CASE("a model of other policies or numbers is refused by the policy's name") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  save_model(Recommender<MF<8>, SSM>(small_data(), {.loss = {.tau = 0.5}}), path);
  const auto refusal = [&]<class Model>(std::type_identity<Model>) {
    return test::error_of<ArgumentError>([&] { static_cast<void>(load_model<Model>(path)); });
  };
  CHECK(refusal(std::type_identity<Recommender<MF<8>, BPR>>{}) ==
        "loss: must be SSM, as saved in " + path.string() + ", not BPR");
  CHECK(refusal(std::type_identity<Recommender<MF<4>, SSM>>{}) ==
        "backbone: must be MF<8>, as saved in " + path.string() + ", not MF<4>");
  CHECK(refusal(std::type_identity<Recommender<MF<8>, SSM, FullWD>>{}) ==
        "regularizer: must be None, as saved in " + path.string() + ", not FullWD");
  CHECK(refusal(std::type_identity<
                Recommender<MF<8>, SSM, None, Xavier, Adam, UniformNegatives, double>>{}) ==
        "Scalar: must be float, the type of the saved model, not double");
  CHECK(test::error_of<ArgumentError>([&] { static_cast<void>(load_scorer<double>(path)); }) ==
        "T: must be float, the type of the saved model, not double");
  // A policy with the label of the one to load, but of another type.
  OneRegularizer<None, FullWD> decay;
  REQUIRE(decay.set_choice(1));
  save_model(
      Recommender<MF<8>, SSM, OneRegularizer<None, FullWD>>(small_data(), {.regularizer = decay}),
      path);
  CHECK(refusal(std::type_identity<Recommender<MF<8>, SSM, FullWD>>{}) ==
        "regularizer: must have the type with which FullWD was saved in " + path.string() +
            ", where it has no regularizer.lambda; load_scorer() reads models of any type");
}
