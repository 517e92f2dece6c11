// SPDX-License-Identifier: BSD-3-Clause
// saved_models save|load FOLDER: saves a model of every backbone and loss, or loads what another
// process has saved. Prints for each a hash of its ranking: items and the bits of their scores.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <prism/prism.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "policies.hpp"
#include "state_hash/state_hash.hpp"

namespace {

using namespace prism;

Interactions data() {
  return synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 8});
}

template <class T>
std::uint64_t ranking_hash(const Scorer<T>& scorer, const Interactions& seen) {
  state_hash::Hash hash;
  for (Index user = 0; user < seen.users(); ++user) {
    for (const ScoredItem<T>& item : recommend(scorer, seen, user, 20)) {
      hash.add(item.item);
      hash.add(item.score);
    }
  }
  return hash.value();
}

template <class Backbone, class Loss, class Scalar>
void one(bool save, const std::filesystem::path& folder) {
  using Model = Recommender<Backbone, Loss, None, PRISM<1.0>, Adam, UniformNegatives, Scalar>;
  const std::string name = std::string(Backbone::name) + "-" + std::string(Loss::name) + "-" +
                           std::to_string(sizeof(Scalar));
  if (save) {
    const Model model(data(), {.backbone = Backbone(8)});
    save_model(model, folder / name);
    std::printf("%s %016" PRIx64 "\n", name.c_str(), ranking_hash(model.scorer(), model.train()));
    return;
  }
  const auto model = load_model<Model>(folder / name);
  const std::uint64_t hash = ranking_hash(model.scorer(), model.train());
  const auto saved = load_scorer<Scalar>(folder / name);
  const bool same = ranking_hash(saved.scorer, saved.train) == hash;
  std::printf("%s %016" PRIx64 "%s\n", name.c_str(), hash, same ? "" : ", another by load_scorer");
}

int every_model(bool save, const std::filesystem::path& folder) {
  test::for_each_policy(all::Backbones{}, [&]<class Backbone>(std::type_identity<Backbone>) {
    test::for_each_policy(all::Losses{}, [&]<class Loss>(std::type_identity<Loss>) {
      one<Backbone, Loss, float>(save, folder);
    });
    one<Backbone, MACR, double>(save, folder);
  });
  return 0;
}

/// Saves two models in turn, until the process is killed.
int alternate(const std::filesystem::path& folder) {
  const Interactions train = data();
  const Recommender<MF<32>, BPR> first(train, {.seed = 1});
  const Recommender<MLP<32>, BPR> second(train, {.seed = 2});
  for (;;) {
    save_model(first, folder);
    save_model(second, folder);
  }
}

/// What alternate() has left: one of the two models, complete.
int check(const std::filesystem::path& folder) {
  const SavedScorer<> saved = load_scorer(folder);
  const bool is_first = saved.model == "MF<32> + BPR + None + Xavier";
  const Interactions train = data();
  const auto hash = [&](const auto& model) { return ranking_hash(model.scorer(), train); };
  const std::uint64_t expected = is_first ? hash(Recommender<MF<32>, BPR>(train, {.seed = 1}))
                                          : hash(Recommender<MLP<32>, BPR>(train, {.seed = 2}));
  if (ranking_hash(saved.scorer, saved.train) == expected) return 0;
  std::fprintf(stderr, "the saved %s is mixed\n", saved.model.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  try {
    if (what == "save" || what == "load") return every_model(what == "save", argv[2]);
    if (what == "alternate") return alternate(argv[2]);
    if (what == "check") return check(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fputs("usage: saved_models save|load|alternate|check FOLDER\n", stderr);
  return 2;
}
