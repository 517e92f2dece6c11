// SPDX-License-Identifier: BSD-3-Clause
// kill_train MODEL CHECKPOINT: trains a small model, from the checkpoint if there is one, and
// writes that checkpoint at every step. Prints the step from which it resumes, and at the end a
// hash of the run's results: tables, history and report.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <prism/prism.hpp>
#include <string>

#include "state_hash/state_hash.hpp"

namespace {

using namespace prism;

template <class Model>
int train(const std::string& checkpoint, const typename Model::Options& model_options = {}) {
  const Split split = random_split(
      synthetic_interactions({.users = 300, .items = 200, .interactions_per_user = 12}));
  const FitOptions options{.learning_rate = 0.02,
                           .batch_size = 256,
                           .epochs = 6,
                           .schedule = CosineSchedule{.warm_up = 10},
                           .checkpoint = {.path = checkpoint, .every_steps = 1}};
  Model model(split.train, model_options);
  using Session = TrainingSession<Model>;
  Session session = std::filesystem::exists(checkpoint)
                        ? Session::resume(checkpoint, model, split, options)
                        : Session(model, split, options);
  std::printf("from %" PRIu64 "\n", session.steps());
  std::fflush(stdout);
  const History& history = session.run();

  state_hash::Hash hash;
  hash.add_weights(model.weights());
  for (const EpochRecord& record : history.epochs) {
    hash.add(record.epoch);
    hash.add(record.loss);
    hash.add(record.validation_ndcg);
    hash.add(static_cast<std::uint8_t>(record.best));
  }
  hash.add(history.best_epoch);
  const Report report = evaluate(model, split.test, {.exclude = {&split.train, &split.validation}});
  for (const double measure :
       {report.ndcg, report.recall, report.precision, report.mrr, report.hit_rate, report.coverage,
        report.average_popularity, report.gini}) {
    hash.add(measure);
  }
  std::printf("hash %016" PRIx64 "\n", hash.value());
  return 0;
}

int train(const std::string& model, const std::string& checkpoint) {
  if (model == "adam") return train<Recommender<MF<16>, BPR>>(checkpoint);
  if (model == "adam_decay") {
    return train<Recommender<MF<16>, BPR, FullWD>>(checkpoint, {.regularizer = {1e-3}});
  }
  if (model == "dense") return train<Recommender<MF<16>, BPR, None, Xavier, DenseAdam>>(checkpoint);
  if (model == "mlp") return train<Recommender<MLP<16>, BPR>>(checkpoint);
  if (model == "lightgcn") return train<Recommender<LightGCN<16, 2>, BPR>>(checkpoint);
  if (model == "mawu") return train<Recommender<MF<16>, MAWU>>(checkpoint);
  if (model == "macr") return train<Recommender<MF<16>, MACR>>(checkpoint);
  std::fprintf(stderr, "there is no model %s\n", model.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: kill_train MODEL CHECKPOINT\n", stderr);
    return 2;
  }
  try {
    return train(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
