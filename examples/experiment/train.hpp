// SPDX-License-Identifier: BSD-3-Clause
// Constructs, trains and evaluates a model of the chosen policies. Backbone and loss are chosen at
// compile time, because a run-time choice would slow down training steps; the others at run time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <prism/experiment/trial.hpp>
#include <prism/prism.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "configure.hpp"
#include "interrupt.hpp"
#include "option_names.hpp"
#include "run.hpp"
#include "saved_model.hpp"
#include "settings.hpp"

namespace experiment {

/// The policy with this name in a list, as a run-time choice.
template <template <class...> class One, class... Policies>
auto one_of(prism::Types<Policies...> list, const char* argument, const std::string& name,
            const Settings& settings) {
  One<Policies...> chosen;
  prism::choose(list, argument, name, [&]<class Policy>(std::type_identity<Policy>) {
    Policy policy{};
    if (settings.released) policy = prism::as_released(policy);
    configure(policy, settings);
    chosen = policy;
  });
  return chosen;
}

template <class Backbone>
auto make_backbone(std::type_identity<Backbone>, const Settings& settings) {
  return prism::Dropout<Backbone>{.base = Backbone(settings.dim), .rate = settings.dropout};
}
inline auto make_backbone(std::type_identity<prism::SimpleX<prism::dynamic>>,
                          const Settings& settings) {
  prism::SimpleX<prism::dynamic> backbone(settings.dim);
  backbone.own_weight = settings.simplex_own_weight;
  return prism::Dropout<prism::SimpleX<prism::dynamic>>{.base = backbone, .rate = settings.dropout};
}
/// The tower's activation is a run-time choice too.
inline auto make_backbone(std::type_identity<prism::MLP<prism::dynamic>>,
                          const Settings& settings) {
  using Activation = prism::OneActivation<prism::ReLU, prism::Identity>;
  using Backbone = prism::MLP<prism::dynamic, 2, Activation>;
  const bool linear = settings.activation == prism::Identity::name;
  const Activation activation = linear ? Activation(prism::Identity{}) : Activation(prism::ReLU{});
  return prism::Dropout<Backbone>{.base = Backbone(settings.dim, activation),
                                  .rate = settings.dropout};
}

/// Calls use.template operator()<Model>(options, fit_options) for the chosen model.
template <class Backbone, class Loss, class Use>
void with_model(const Settings& settings, const ModelChoice& choice, Backbone backbone, Loss loss,
                const Use& use) {
  using namespace prism;
  const auto penalty = [&] {
    using Penalty = decltype(one_of<OnePenalty>(all::Penalties{}, "penalty", "", settings));
    return settings.penalty
               ? one_of<OnePenalty>(all::Penalties{}, "penalty", *settings.penalty, settings)
               : Penalty();
  }();
  const auto regularizer =
      one_of<OneRegularizer>(all::Regularizers{}, "regularizer", choice.regularizer, settings);
  const auto initializer =
      one_of<OneInitializer>(all::Initializers{}, "initializer", choice.initializer, settings);
  const auto optimizer =
      one_of<OneOptimizer>(all::Optimizers{}, "optimizer", settings.optimizer, settings);
  const auto sampler = one_of<OneSampler>(all::Samplers{}, "sampler", settings.sampler, settings);
  using WithPenalty = Penalized<Loss, std::remove_const_t<decltype(penalty)>>;
  using Model =
      Recommender<Backbone, WithPenalty, std::remove_const_t<decltype(regularizer)>,
                  std::remove_const_t<decltype(initializer)>,
                  std::remove_const_t<decltype(optimizer)>, std::remove_const_t<decltype(sampler)>>;
  const typename Model::Options options{.seed = settings.seed,
                                        .backbone = std::move(backbone),
                                        .loss = {.loss = std::move(loss), .penalty = penalty},
                                        .regularizer = regularizer,
                                        .initializer = initializer,
                                        .optimizer = optimizer,
                                        .sampler = sampler,
                                        .ranking = choice.ranking};
  FitOptions fit{.batch_size = settings.batch,
                 .epochs = settings.epochs,
                 .patience = settings.patience,
                 .min_steps = settings.min_steps,
                 .validate_every = settings.validate_every,
                 .shuffle = settings.released ? Shuffle::once : Shuffle::every_epoch,
                 .validate_by_cosine = settings.validate_by_cosine};
  if (settings.learning_rate > 0) fit.learning_rate = settings.learning_rate;
  if (settings.schedule == "constant") fit.schedule = ConstantSchedule{};
  if (settings.schedule == "cosine") fit.schedule = CosineSchedule{};
  if (settings.schedule == "plateau") fit.schedule = PlateauSchedule{};
  use.template operator()<Model>(options, fit);
}

/// Calls `use` with the model of this loss type and of the backbone that is chosen by name.
template <class Loss, class Use>
void with_loss(const Settings& settings, const ModelChoice& choice, const Use& use) {
  // The command line takes precedence over the preset.
  Loss loss{};
  if (settings.released) loss = prism::as_released(loss);
  configure(loss, settings);
  prism::choose(prism::all::Backbones{}, "backbone", choice.backbone, [&](auto backbone) {
    with_model(settings, choice, make_backbone(backbone, settings), loss, use);
  });
}

/// An observer that keeps the history with which training ended.
struct KeepHistory {
  prism::History& history;

  void end(const prism::History& ended) { history = ended; }
};

/// Shows progress unless `quiet`; warnings name options as the command line does.
struct ShowProgress {
  bool quiet;
  prism::Progress progress{};

  void begin(prism::FitInfo info) {
    for (std::string& warning : info.warnings) warning = examples::in_options(warning);
    if (!quiet) progress.begin(info);
  }
  void batch(const prism::EpochProgress& done) {
    if (!quiet) progress.batch(done);
  }
  void epoch(const prism::EpochRecord& record) {
    if (!quiet) progress.epoch(record);
  }
  void end(prism::History history) {
    for (std::string& warning : history.warnings) warning = examples::in_options(warning);
    if (!quiet) progress.end(history);
  }
};

/// @throws prism::ArgumentError  if more epochs are done already than --epochs allows
template <class Session>
void check_epochs(const Settings& settings, const Session& session,
                  const std::filesystem::path& checkpoint) {
  const std::size_t done = session.history().epochs.size();
  const bool within = session.steps() > done * session.history().steps_per_epoch;
  prism::require(settings.epochs >= done + (within ? 1 : 0), "epochs",
                 "must be at least " + std::to_string(done + (within ? 1 : 0)) + ": " +
                     std::to_string(done) + (within ? " and part of the next" : "") +
                     " are complete in " + checkpoint.string());
}

/// Trains a model from its checkpoint, if there is one and --resume is set, or else from the
/// beginning. If a checkpoint cannot be written, training ends and the run records why; if training
/// had already finished, the run stays complete.
template <class X, class Model>
void train(const Settings& settings, Model& model, const prism::Split& split,
           prism::FitOptions fitting, Run& run) {
  using Session = prism::TrainingSession<Model, X>;
  if (!settings.checkpoint.empty()) fitting.checkpoint.path = checkpoint_file(settings, run.choice);
  const auto& path = fitting.checkpoint.path;
  const bool resumed = settings.resume && std::filesystem::exists(path);
  Session session =
      resumed ? Session::resume(path, model, split, fitting) : Session(model, split, fitting);
  if (resumed) check_epochs(settings, session, path);
  if (settings.resume && !settings.quiet) {
    const std::string found =
        resumed ? ": continues after epoch " + std::to_string(session.history().epochs.size())
                : " does not exist: begins anew";
    std::fprintf(stderr, "checkpoint %s%s\n", path.string().c_str(), found.c_str());
  }
  try {
    session.run(ShowProgress{settings.quiet}, StopOnSignal());
  } catch (const prism::DataError& error) {
    (session.finished() ? run.checkpoint_error : run.training_error) = error.what();
    session.stop();
    session.run();
  }
  run.history = session.history();
}

/// Saves a model; keeps any error, to be printed after the table.
template <class Model>
void save(const Settings& settings, const Model& model, Run& run) {
  try {
    run.save_error = why_not_saved(settings, run);
    if (run.save_error) return;
    prism::save_model(model, model_folder(settings, run.choice), saved_notes(settings, run));
  } catch (const std::exception& error) {
    run.save_error = error.what();
  }
}

/// Retrains a model on training and validation set, for --retrain. If that fails, or a signal ends
/// it, keeps the model of the first training.
template <class X, class Model>
void retrain_model(const Settings& settings, Model& model, const prism::Split& split,
                   const prism::FitOptions& fitting, Run& run) {
  if (!run.complete()) return;
  prism::History& retraining = run.retraining.emplace();
  if (caught_signal() != 0) {  // caught after the last step of the first training
    retraining.stop_reason = prism::StopReason::observer;
    return;
  }
  KeepHistory kept{retraining};
  try {
    Model again = prism::retrain(X{}, model, split, run.history, fitting,
                                 ShowProgress{settings.quiet}, StopOnSignal(), kept);
    if (run.retrained()) model = std::move(again);
    // The warnings of the retraining would repeat those of the first training, or advise against
    // the number of epochs, which validation has chosen.
    retraining.warnings.clear();
  } catch (const std::exception& error) {
    run.retraining.reset();
    run.retraining_error = error.what();
  }
}

/// Ranks the test set.
template <class X, class T>
void test(const Settings& settings, const X& exec, const prism::Scorer<T>& scorer,
          const prism::Interactions& train, const prism::Split& split, Run& run) {
  prism::EvaluateOptions measure{.exclude = {&split.train, &split.validation}};
  const std::size_t length = measure.k;
  for (const std::size_t k : settings.at) measure.k = std::max(measure.k, k);
  run.lists = ranked_lists(exec, scorer, split.test, measure);
  run.dot = run.lists->report(length);
  measure.k = length;
  measure.similarity = prism::Similarity::cosine;
  run.cosine = evaluate(exec, scorer, split.test, measure);
  run.magnitude_popularity_correlation =
      prism::magnitude_popularity_correlation(scorer.output.items(), train.item_degree());
}

template <class Loss, class X>
Run run_with(const Settings& settings, const ModelChoice& choice, const prism::Split& split) {
  using namespace prism;
  Run run{.choice = choice, .name = {}};
  with_loss<Loss>(
      settings, choice, [&]<class Model>(const auto& options, const FitOptions& fitting) {
        run.name = name_of(options);
        options.for_each_policy(
            [&](const auto& policy) { run.policies.push_back(describe(policy)); });
        Model model(split.train, options);
        try {
          train<X>(settings, model, split, fitting, run);
          if (settings.aggregate && run.complete() && caught_signal() == 0) {
            run.aggregation = best_aggregation(
                aggregation_points(X{}, model, split.validation, aggregation_grid));
          }
          if (settings.retrain) retrain_model<X>(settings, model, split, fitting, run);
        } catch (const DivergenceError& error) {
          run.error = error.what();
          return;
        }
        if (!settings.save.empty()) save(settings, model, run);
        if (!run.has_results()) return;
        auto scorer = model.scorer(X{});
        if (run.aggregation) {
          run.as_trained =
              evaluate(X{}, scorer, split.test, {.exclude = {&split.train, &split.validation}});
          scorer = with_aggregation(X{}, scorer, model.train(), run.aggregation->aggregation);
        }
        test(settings, X{}, scorer, model.train(), split, run);
        if (choice.ranking.is_default()) return;
        // The rows as trained: with magnitudes from popularity the correlation would be 1.
        const auto trained = model.scorer(X{}, Ranking{});
        run.magnitude_popularity_correlation =
            magnitude_popularity_correlation(trained.output.items(), model.train().item_degree());
      });
  return run;
}

template <class Loss, class X>
prism::TrialSpec trial_with(const Settings& settings, const ModelChoice& choice,
                            const prism::Configuration& configuration, const Data& data) {
  prism::TrialSpec spec;
  with_loss<Loss>(
      settings, choice, [&]<class Model>(const auto& options, const prism::FitOptions& fit) {
        spec = prism::trial_of<Model, X>(data.split, data.description, options, fit, configuration);
      });
  return spec;
}

}  // namespace experiment
