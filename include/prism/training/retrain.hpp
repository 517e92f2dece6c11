// SPDX-License-Identifier: BSD-3-Clause
// Retraining on all data but the test set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/training/default_rate.hpp"
#include "prism/training/fit.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/schedule.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The history that a run from initial weights had when an epoch began, without warnings.
/// @param epoch  from 1
[[nodiscard]] inline History history_before(std::size_t epoch, const History& all) {
  History then{.steps_per_epoch = all.steps_per_epoch};
  const auto end =
      all.epochs.begin() + static_cast<std::ptrdiff_t>(std::min(epoch - 1, all.epochs.size()));
  then.epochs.assign(all.epochs.begin(), end);
  for (const EpochRecord& record : then.epochs) {
    then.seconds += record.train_seconds + record.validate_seconds;
    if (!record.best) continue;
    then.best_epoch = record.epoch;
    then.best_validation = record.validation;
    then.best_validation_ndcg = record.validation_ndcg;
  }
  return then;
}

/// A schedule as it was in an earlier training run: with that run's number of epochs and its
/// validation history.
[[nodiscard]] inline Schedule replayed(Schedule schedule, const History& history,
                                       std::size_t epochs) {
  return Schedule([schedule = std::move(schedule), all = history, epochs](const StepPosition& at) {
    StepPosition as_then = at;
    as_then.steps = all_steps(epochs, at.steps_per_epoch);
    return schedule.factor(as_then, history_before(at.epoch, all));
  });
}

/// Sets the learning rate and the schedule that an earlier run had by default. They depend on
/// whether popularity gave the magnitudes of the ranking, which may have been set otherwise since.
/// @param model  the model's options
template <class Model, Execution X>
void set_earlier_rate(FitOptions& options, const X& exec, const Interactions& train,
                      typename Model::Options model, const History& history) {
  const FitOptions given = options;
  constexpr double rounding = 1e-4;  // on another instruction set
  const Ranking now = model.ranking, as_trained{};
  Ranking by_popularity;
  by_popularity.power = 0;
  for (const Ranking* const ranking : {&now, &as_trained, &std::as_const(by_popularity)}) {
    model.ranking = *ranking;
    options = given;
    set_default_rate(options, exec, Model(exec, train, model), true);
    const double rate = *options.learning_rate;
    if (std::abs(history.learning_rate - rate) <= rounding * rate) return;
    if (history.learning_rate == 0) return;  // unknown: of a record of trials
  }
  throw ArgumentError("history",
                      "must be of a run with these options and this training set, whose "
                      "default learning rate is " +
                          format_number(*options.learning_rate) + ", not " +
                          format_number(history.learning_rate));
}

/// The options of retraining a model for as many epochs as an earlier run found best.
/// @param train    the training set of the earlier run, from which its default learning rate
///     followed
/// @param model    the model's options
/// @param history  of the earlier run
/// @param options  of the earlier run
template <class Model, Execution X>
[[nodiscard]] FitOptions retraining_options(const X& exec, const Interactions& train,
                                            const typename Model::Options& model,
                                            const History& history, FitOptions options) {
  require(history.best_epoch > 0, "history",
          "has no best epoch: no epoch ranked better than the initial weights");
  require(!history.initial_validation, "history",
          "must be of a training run that started from initial weights, not of one that "
          "continued a trained model");
  if (!options.learning_rate) set_earlier_rate<Model>(options, exec, train, model, history);
  if (!options.schedule) options.schedule = ConstantSchedule{};
  if (!is_constant(*options.schedule)) {
    options.schedule =
        replayed(*options.schedule, history, options.epochs.value_or(FitOptions::default_epochs));
  }
  options.epochs = history.best_epoch;
  options.stop = {};
  options.checkpoint = {};
  options.best_weights = BestWeights::last;
  return options;
}

}  // namespace detail

/// Returns a model with the same options, retrained on training and validation set together, for
/// as many epochs as validation found best: the protocol of test results that use all data but the
/// test set.
/// @param model      trained by fit()
/// @param split      the one that it was trained on, with a validation set
/// @param history    what fit() returned
/// @param options    those of fit(). The learning rate is that of the earlier run, also where it
///     follows from the training set, and so is its schedule, with that run's number of epochs and
///     validation history. stop, checkpoint and best_weights are ignored.
/// @param observers  as those of fit()
/// @throws ArgumentError  if there is no best epoch, or no validation set; if the model had been
///     trained before; if its ranking has values to choose from, and the run chose none; if the
///     run's default learning rate is not that of these options and this split; otherwise as fit()
template <Execution X, class Model, class... Observers>
[[nodiscard]] Model retrain(const X& exec, const Model& model, const Split& split,
                            const History& history, const FitOptions& options,
                            Observers&&... observers) {
  require(!split.validation.empty(), "split", "has no validation set to add to the training set");
  const Split merged = merge_validation(split);
  auto model_options = model.options();
  if (model.ranking().chooses()) {
    require(
        history.best_chosen.has_value(), "model",
        "has a ranking with values to choose from, but the run of `history` chose none: set one "
        "alpha or power");
    model_options.ranking = model.ranking().with_choice(history.best_chosen).as_chosen();
  }
  Model again(exec, merged.train, std::move(model_options));
  fit(exec, again, merged,
      detail::retraining_options<Model>(exec, split.train, model.options(), history, options),
      std::forward<Observers>(observers)...);
  return again;
}
/// Trains on the host's threads: retrain(par, model, split, history, options, observers...).
template <class Model, class... Observers>
  requires(!Execution<Model>)
[[nodiscard]] Model retrain(const Model& model, const Split& split, const History& history,
                            const FitOptions& options, Observers&&... observers) {
  return retrain(par, model, split, history, options, std::forward<Observers>(observers)...);
}

}  // namespace prism::inline PRISM_ISA
