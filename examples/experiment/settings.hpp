// SPDX-License-Identifier: BSD-3-Clause
// The options of the command line of `experiment`.
#pragma once

#include <cstdint>
#include <optional>
#include <prism/data/format.hpp>
#include <prism/training/fit.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace experiment {

/// One model to train.
struct ModelChoice {
  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::string regularizer = "None";
  std::string initializer = "PRISM";
};

struct Settings {
  std::string data;  // empty: synthetic
  std::string test;  // empty: a random part of data
  std::string format = "automatic";
  std::string delimiter;
  std::string user_column, item_column, rating_column;  // empty: detected
  bool header = false;
  bool drop_repeated = false;
  std::optional<double> min_rating;

  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::optional<std::string> regularizer;
  std::optional<std::string> initializer;
  std::string activation = "ReLU";
  std::optional<std::string> penalty;
  std::string optimizer = "Adam";
  std::string sampler = "UniformNegatives";
  bool released = false;

  double alpha = 1;
  double prism_scale = 1;
  double lambda = 1e-6;
  double gamma = 1;
  double gamma1 = 1;
  double gamma2 = 1;
  double tau = 0.2;
  double macr_alpha = 1e-3;
  double macr_beta = 1e-3;
  double macr_c = 1;
  std::optional<double> penalty_weight;
  double ipl_gamma = 1.285;
  double power = 0.75;
  std::optional<std::size_t> negatives;
  std::size_t dim = 64;

  double learning_rate = 1e-3;
  std::size_t batch = 4096;
  std::size_t epochs = 1000;
  std::size_t patience = 10;
  std::size_t min_steps = prism::FitOptions{}.min_steps;
  std::uint64_t seed = 123;
  std::optional<std::size_t> threads;

  std::string json;
  std::string save;
  bool quiet = false;

  /// The models to train: one; or the paper's comparison, if neither regularizer nor initializer is
  /// set.
  [[nodiscard]] std::vector<ModelChoice> models() const {
    if (regularizer || initializer) {
      return {{backbone, loss, regularizer.value_or("None"), initializer.value_or("Xavier")}};
    }
    return {{backbone, loss, "None", "Xavier"},
            {backbone, loss, "FullWD", "Xavier"},
            {backbone, loss, "None", "PRISM"}};
  }
};

/// Declares the options; parsing writes their values to `settings`.
void declare_options(CLI::App& app, Settings& settings);

/// The options for reading --data and --test.
prism::ReadOptions read_options(const Settings& settings);

}  // namespace experiment
