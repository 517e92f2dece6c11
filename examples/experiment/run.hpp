// SPDX-License-Identifier: BSD-3-Clause
// What an experiment does, seen from outside: data in, a trained and measured model out. The models
// themselves are compiled elsewhere, a loss a file (train.hpp).
#pragma once

#include <optional>
#include <prism/data/data.hpp>
#include <prism/evaluate/evaluate.hpp>
#include <prism/session/history.hpp>
#include <string>

#include "settings.hpp"

namespace experiment {

/// What one model came to.
struct Run {
  ModelChoice choice;
  std::string name;
  std::optional<std::string> error{};  // why it has no results
  prism::History history{};
  prism::Report dot{};
  prism::Report cosine{};
  double magnitude_popularity_correlation = 0;  // of items
};

inline prism::Split load(const Settings& settings) {
  using namespace prism;
  const ReadOptions options = read_options(settings);
  if (!settings.test.empty()) {
    const auto [train, test] = read_train_test(settings.data, settings.test, options);
    return given_split(
        train, test,
        {.validation = 0.1, .seed = settings.seed, .drop_repeated = settings.drop_repeated});
  }
  const Interactions data = settings.data.empty() ? synthetic_interactions({.seed = settings.seed})
                                                  : read_interactions(settings.data, options);
  return random_split(data, {.validation = 0.1, .test = 0.1, .seed = settings.seed});
}

/// "MF-DirectAU-None-PRISM", the model's folder below --save.
inline std::string folder(const ModelChoice& choice) {
  return choice.backbone + "-" + choice.loss + "-" + choice.regularizer + "-" + choice.initializer;
}

/// Trains and measures a model with this loss. Where training fails, the run says why.
template <class Loss>
Run run_with(const Settings& settings, const ModelChoice& choice, const prism::Split& split);

}  // namespace experiment
