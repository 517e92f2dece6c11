// SPDX-License-Identifier: BSD-3-Clause
// Constructs, trains and evaluates a model of the chosen policies. Backbone and loss are chosen at
// compile time, because a run-time choice would slow down training steps; the others at run time.
#pragma once

#include <cstdio>
#include <filesystem>
#include <prism/experiment/trial.hpp>
#include <prism/prism.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "interrupt.hpp"
#include "run.hpp"
#include "saved_model.hpp"
#include "settings.hpp"

namespace experiment {

// Sets the policy's options to those of the command line; most policies have none.
template <class Policy>
void configure(Policy&, const Settings&) {}
inline void configure(prism::BPR& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
}
inline void configure(prism::SSM& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau = settings.tau_or(loss.tau);
  loss.log_q = settings.log_q;
}
inline void configure(prism::BSL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau1 = loss.tau2 = settings.tau_or(loss.tau1);
  loss.power = settings.bsl_power;
  loss.average_positives = !settings.bsl_each_pair;
}
inline void configure(prism::PSL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau = settings.tau_or(loss.tau);
  loss.surrogate = surrogates.at(settings.psl_surrogate);
}
inline void configure(prism::SLK& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.k = settings.slk_k;
  loss.tau_d = settings.tau_or(loss.tau_d);
  loss.tau_w = settings.slk_tau_w;
  loss.constant_weight = settings.slk_constant_weight;
  loss.quantile_negatives = settings.slk_quantile_negatives;
  loss.refresh_epochs = settings.slk_refresh_epochs;
}
inline void configure(prism::CCL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.margin = settings.ccl_margin;
  loss.weight = settings.ccl_weight;
}
inline void configure(prism::DirectAU& loss, const Settings& settings) {
  loss.gamma = settings.gamma;
}
inline void configure(prism::MAWU& loss, const Settings& settings) {
  loss.gamma1 = settings.gamma1;
  loss.gamma2 = settings.gamma2;
}
inline void configure(prism::MACR& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.alpha = settings.macr_alpha;
  loss.beta = settings.macr_beta;
  loss.c = settings.macr_c;
}
inline void configure(prism::IPL& penalty, const Settings& settings) {
  if (settings.penalty_weight >= 0) penalty.weight = settings.penalty_weight;
  penalty.gamma = settings.ipl_gamma;
}
inline void configure(prism::ReSN& penalty, const Settings& settings) {
  if (settings.penalty_weight >= 0) penalty.weight = settings.penalty_weight;
}
inline void configure(prism::BatchedWD& regularizer, const Settings& settings) {
  regularizer.lambda = settings.lambda;
}
inline void configure(prism::FullWD& regularizer, const Settings& settings) {
  regularizer.lambda = settings.lambda;
}
inline void configure(prism::PRISM<prism::dynamic>& initializer, const Settings& settings) {
  initializer = {.alpha = settings.alpha, .scale = settings.prism_scale};
}
inline void configure(prism::PopularityNegatives& sampler, const Settings& settings) {
  sampler.power = settings.power;
}
template <class Base>
void configure(prism::SharedNegatives<Base>& sampler, const Settings& settings) {
  configure(sampler.base, settings);
  sampler.mask = masks.at(settings.mask);
}
inline void configure(prism::AllInBatchNegatives& sampler, const Settings& settings) {
  sampler.mask = masks.at(settings.mask);
}

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
                                        .sampler = sampler};
  FitOptions fit{.batch_size = settings.batch,
                 .epochs = settings.epochs,
                 .patience = settings.patience,
                 .min_steps = settings.min_steps,
                 .shuffle = settings.released ? Shuffle::once : Shuffle::every_epoch};
  if (settings.learning_rate > 0) fit.learning_rate = settings.learning_rate;
  if (settings.schedule == "constant") fit.schedule = ConstantSchedule{};
  if (settings.schedule == "cosine") fit.schedule = CosineSchedule{};
  if (settings.schedule == "plateau") fit.schedule = PlateauSchedule{};
  use.template operator()<Model>(options, fit);
}

/// The same, for the backbone's name and a loss.
template <class Loss, class Use>
void with_loss(const Settings& settings, const ModelChoice& choice, const Use& use) {
  // What the command line says goes before the preset.
  Loss loss{};
  if (settings.released) loss = prism::as_released(loss);
  configure(loss, settings);
  prism::choose(prism::all::Backbones{}, "backbone", choice.backbone, [&](auto backbone) {
    with_model(settings, choice, make_backbone(backbone, settings), loss, use);
  });
}

/// An observer that keeps what training ended with.
struct KeepHistory {
  prism::History& history;

  void end(const prism::History& ended) { history = ended; }
};

/// Shows progress unless it is to be quiet.
struct ShowProgress {
  bool quiet;
  prism::Progress progress{};

  void begin(const prism::FitInfo& info) {
    if (!quiet) progress.begin(info);
  }
  void batch(const prism::EpochProgress& done) {
    if (!quiet) progress.batch(done);
  }
  template <class Model>
  void epoch(const prism::EpochRecord& record, const Model& model) {
    if (!quiet) progress.epoch(record, model);
  }
  void end(const prism::History& history) {
    if (!quiet) progress.end(history);
  }
};

/// @throws prism::ArgumentError  where a training has more epochs behind it than --epochs allows
template <class Session>
void check_epochs(const Settings& settings, const Session& session,
                  const std::filesystem::path& checkpoint) {
  const std::size_t done = session.history().epochs.size();
  const bool within = session.steps() > done * session.history().steps_per_epoch;
  prism::require(settings.epochs >= done + (within ? 1 : 0), "epochs",
                 "must be at least " + std::to_string(done + (within ? 1 : 0)) + ": " +
                     std::to_string(done) + (within ? " and a part of the next" : "") +
                     " are done in " + checkpoint.string());
}

/// Trains a model from its checkpoint, if there is one and --resume says so, or from the beginning.
/// Where a checkpoint cannot be written, training ends, and the run says why.
template <class Model>
void train(const Settings& settings, Model& model, const prism::Split& split,
           prism::FitOptions fitting, Run& run) {
  using Session = prism::TrainingSession<Model>;
  if (!settings.checkpoint.empty()) fitting.checkpoint.path = checkpoint_file(settings, run.choice);
  const auto& path = fitting.checkpoint.path;
  const bool resumed = settings.resume && std::filesystem::exists(path);
  Session session =
      resumed ? Session::resume(path, model, split, fitting) : Session(model, split, fitting);
  if (resumed) check_epochs(settings, session, path);
  try {
    session.run(ShowProgress{settings.quiet}, StopOnSignal());
  } catch (const prism::DataError& error) {
    run.training_error = error.what();
    session.stop();
    session.run();
  }
  run.history = session.history();
}

/// Saves a model; what keeps it from that is kept for after the table.
template <class Model>
void save(const Settings& settings, const Model& model, Run& run) {
  try {
    run.save_error = why_not_saved(settings, run);
    if (run.save_error) return;
    prism::save_model(model, model_folder(settings, run.choice), saved_notes(settings, run));
  } catch (const prism::Error& error) {
    run.save_error = error.what();
  }
}

template <class Loss>
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
          train(settings, model, split, fitting, run);
          if (settings.retrain && caught_signal() == 0 && !run.training_error) {
            KeepHistory kept{run.retraining.emplace()};
            model = retrain(model, split, run.history, fitting, ShowProgress{settings.quiet},
                            StopOnSignal(), kept);
          }
        } catch (const DivergenceError& error) {
          run.error = error.what();
          return;
        }
        const auto scorer = model.scorer();
        EvaluateOptions measure{.exclude = {&split.train, &split.validation}};
        run.dot = evaluate(scorer, split.test, measure);
        measure.similarity = Similarity::cosine;
        run.cosine = evaluate(scorer, split.test, measure);
        run.magnitude_popularity_correlation =
            magnitude_popularity_correlation(scorer.output.items(), model.train().item_degree());
        if (!settings.save.empty()) save(settings, model, run);
      });
  return run;
}

template <class Loss>
prism::TrialSpec trial_with(const Settings& settings, const ModelChoice& choice,
                            const prism::Configuration& configuration, const Data& data) {
  prism::TrialSpec spec;
  with_loss<Loss>(
      settings, choice, [&]<class Model>(const auto& options, const prism::FitOptions& fit) {
        spec = prism::trial_of<Model>(data.split, data.description, options, fit, configuration);
      });
  return spec;
}

}  // namespace experiment
