// SPDX-License-Identifier: BSD-3-Clause
// From settings to data, and from a choice of policies to a trained and measured model.
#pragma once

#include <prism/prism.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "settings.hpp"

namespace experiment {

/// What one model came to.
struct Run {
  ModelChoice choice;
  std::string name;
  prism::History history{};
  prism::Report dot{};
  prism::Report cosine{};
  double magnitude_popularity_correlation = 0;  // of items
};

inline prism::Split load(const Settings& settings) {
  using namespace prism;
  const ReadOptions options{.format = parse_format(settings.format),
                            .min_rating = settings.min_rating};
  if (!settings.test.empty()) {
    const auto [train, test] = read_train_test(settings.data, settings.test, options);
    return given_split(train, test, {.validation = 0.1, .seed = settings.seed});
  }
  const Interactions data = settings.data.empty() ? synthetic_interactions({.seed = settings.seed})
                                                  : read_interactions(settings.data, options);
  return random_split(data, {.validation = 0.1, .test = 0.1, .seed = settings.seed});
}

template <class Policy>
Policy configured(const Settings& settings) {
  using namespace prism;
  if constexpr (std::is_same_v<Policy, MF<dynamic>>) {
    return MF<dynamic>(settings.dim);
  } else if constexpr (std::is_same_v<Policy, PRISM<dynamic>>) {
    return PRISM<dynamic>(settings.alpha);
  } else if constexpr (requires { Policy{.gamma = settings.gamma}; }) {
    return Policy{.gamma = settings.gamma};
  } else if constexpr (requires { Policy{.lambda = settings.lambda}; }) {
    return Policy{.lambda = settings.lambda};
  } else {
    return Policy{};
  }
}

/// "MF-DirectAU-None-PRISM", the model's folder below --save.
inline std::string folder(const ModelChoice& choice) {
  return choice.backbone + "-" + choice.loss + "-" + choice.regularizer + "-" + choice.initializer;
}

template <class Model>
Run train(const Settings& settings, const ModelChoice& choice, const prism::Split& split,
          typename Model::Options options) {
  using namespace prism;
  Model model(split.train, std::move(options));
  const FitOptions fitting{.learning_rate = settings.learning_rate,
                           .batch_size = settings.batch,
                           .epochs = settings.epochs,
                           .patience = settings.patience};
  Run run{.choice = choice, .name = model.name()};
  run.history = settings.quiet ? fit(model, split, fitting, Silent()) : fit(model, split, fitting);
  EvaluateOptions measure{.exclude = {&split.train, &split.validation}};
  run.dot = evaluate(model, split.test, measure);
  measure.similarity = Similarity::cosine;
  run.cosine = evaluate(model, split.test, measure);
  const auto output = model.output();
  run.magnitude_popularity_correlation =
      magnitude_popularity_correlation(output.items(), split.train.item_degree());
  if (!settings.save.empty()) {
    save_embeddings(model, std::filesystem::path(settings.save) / folder(choice));
  }
  return run;
}

inline Run run(const Settings& settings, const ModelChoice& choice, const prism::Split& split) {
  using namespace prism;
  Run result;
  choose(Backbones{}, "backbone", choice.backbone, [&]<class B>(std::type_identity<B>) {
    choose(Losses{}, "loss", choice.loss, [&]<class L>(std::type_identity<L>) {
      choose(
          Regularizers{}, "regularizer", choice.regularizer, [&]<class R>(std::type_identity<R>) {
            choose(Initializers{}, "initializer", choice.initializer,
                   [&]<class I>(std::type_identity<I>) {
                     result =
                         train<Recommender<B, L, R, I>>(settings, choice, split,
                                                        {.seed = settings.seed,
                                                         .backbone = configured<B>(settings),
                                                         .loss = configured<L>(settings),
                                                         .regularizer = configured<R>(settings),
                                                         .initializer = configured<I>(settings)});
                   });
          });
    });
  });
  return result;
}

}  // namespace experiment
