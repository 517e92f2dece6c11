// SPDX-License-Identifier: BSD-3-Clause
// What the command line of `experiment` can set.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <prism/prism.hpp>
#include <string>
#include <vector>

namespace experiment {

// The policies that can be chosen by name.
using Backbones = prism::Types<prism::MF<prism::dynamic>>;
using Losses = prism::Types<prism::BPR, prism::DirectAU>;
using Regularizers = prism::Types<prism::None, prism::BatchedWD, prism::FullWD>;
using Initializers = prism::Types<prism::Xavier, prism::PRISM<prism::dynamic>>;

/// One model to train.
struct ModelChoice {
  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::string regularizer = "None";
  std::string initializer = "PRISM";
};

struct Settings {
  std::string data;  // empty: synthetic
  std::string test;  // empty: drawn at random
  std::string format = "automatic";
  std::optional<double> min_rating;

  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::optional<std::string> regularizer;
  std::optional<std::string> initializer;
  double alpha = 1;
  double lambda = 1e-6;
  double gamma = 1;
  std::size_t dim = 64;

  double learning_rate = 1e-3;
  std::size_t batch = 4096;
  std::size_t epochs = 1000;
  std::size_t patience = 10;
  std::uint64_t seed = 123;
  std::optional<std::size_t> threads;

  std::string json;
  std::string save;
  bool quiet = false;

  /// The models to train: the one that was named; or, where neither regularizer nor initializer
  /// was, the paper's comparison.
  [[nodiscard]] std::vector<ModelChoice> models() const {
    if (regularizer || initializer) {
      return {{backbone, loss, regularizer.value_or("None"), initializer.value_or("Xavier")}};
    }
    return {{backbone, loss, "None", "Xavier"},
            {backbone, loss, "FullWD", "Xavier"},
            {backbone, loss, "None", "PRISM"}};
  }
};

/// Declares the options; their values go to `settings`.
inline void declare_options(CLI::App& app, Settings& settings) {
  const auto one_of = [](auto types) { return CLI::IsMember(prism::names(types)); };
  std::vector<std::string> formats;
  for (const auto& [format, name] : prism::format_names) formats.emplace_back(name);
  const CLI::Range at_least_1(std::size_t{1}, std::size_t{1} << 40);

  app.add_option("--data", settings.data, "file of interactions; synthetic data if left out")
      ->check(CLI::ExistingFile)
      ->group("Data");
  app.add_option("--test", settings.test, "file of the test part; else 10% is drawn at random")
      ->check(CLI::ExistingFile)
      ->needs("--data")
      ->group("Data");
  app.add_option("--format", settings.format, "how the files are laid out")
      ->check(CLI::IsMember(formats))
      ->capture_default_str()
      ->group("Data");
  app.add_option("--min-rating", settings.min_rating, "leave out lower ratings")->group("Data");

  app.add_option("--backbone", settings.backbone)
      ->check(one_of(Backbones{}))
      ->capture_default_str()
      ->group("Model");
  app.add_option("--loss", settings.loss)
      ->check(one_of(Losses{}))
      ->capture_default_str()
      ->group("Model");
  app.add_option("--regularizer", settings.regularizer, "with --initializer left out: Xavier")
      ->check(one_of(Regularizers{}))
      ->group("Model");
  app.add_option("--initializer", settings.initializer, "with --regularizer left out: None")
      ->check(one_of(Initializers{}))
      ->group("Model");
  app.add_option("--alpha", settings.alpha, "PRISM: 0 ignores popularity, more favours it")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->group("Model");
  app.add_option("--lambda", settings.lambda, "FullWD, BatchedWD: the decay")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->group("Model");
  app.add_option("--gamma", settings.gamma, "DirectAU: weight of the uniformity")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->group("Model");
  app.add_option("--dim", settings.dim, "columns of the embedding tables")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->capture_default_str()
      ->group("Model");

  app.add_option("--lr", settings.learning_rate, "learning rate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group("Training");
  app.add_option("--batch", settings.batch, "pairs a step")
      ->check(at_least_1)
      ->capture_default_str()
      ->group("Training");
  app.add_option("--epochs", settings.epochs, "at most")
      ->check(at_least_1)
      ->capture_default_str()
      ->group("Training");
  app.add_option("--patience", settings.patience, "epochs without a better validation NDCG@20")
      ->check(at_least_1)
      ->capture_default_str()
      ->group("Training");
  app.add_option("--seed", settings.seed)->capture_default_str()->group("Training");
  app.add_option("--threads", settings.threads, "at most; all cores if left out")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->group("Training");

  app.add_option("--json", settings.json, "write settings, history and results to this file")
      ->group("Output");
  app.add_option("--save", settings.save, "write each model's embeddings to a folder in this one")
      ->group("Output");
  app.add_flag("--quiet", settings.quiet, "show no progress")->group("Output");
}

}  // namespace experiment
