// SPDX-License-Identifier: BSD-3-Clause
// Members of the templates of training_loop.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/training/best_weights.hpp"
#include "prism/training/checkpoint.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/run_settings.hpp"
#include "prism/training/stop_rules.hpp"
#include "prism/training/stopwatch.hpp"
#include "prism/training/training_loop.hpp"
#include "prism/training/validation_reports.hpp"

namespace prism::inline PRISM_ISA {

template <class T>
void TrainingLoop<T>::allow_epochs(std::size_t epochs) {
  require(epochs > history().epochs.size(), "epochs",
          "must be above " + std::to_string(history().epochs.size()) +
              ", the number of epochs already done");
  require(history().stop_reason != StopReason::diverged, "epochs",
          "cannot be increased for a training run that has diverged");
  options_.epochs = epochs;
  progress_.patience_from = history().epochs.size();
  past().stop_reason = StopReason::none;
}

template <class T>
void TrainingLoop<T>::write_checkpoint(const std::filesystem::path& path) {
  detail::check_checkpoint_path(options_, path);
  if (steps() == 0) validate_first_weights();  // the model that resumes may not be trained
  detail::write_run(
      path, settings(), progress_, [&](BinaryWriter& out) { save_optimizer(out); }, weights(),
      best_);
}

template <class T>
void TrainingLoop<T>::read_checkpoint(const std::filesystem::path& path) {
  detail::check_checkpoint_path(options_, path);
  const std::size_t steps_per_epoch = history().steps_per_epoch;
  detail::WeightsCopy<T> read(weights(), memory_);
  progress_ = detail::read_run(
      path, settings(), [&](BinaryReader& in) { load_optimizer(in); }, read.spans(), best_);
  detail::check_position(path, progress_, steps(),
                         {split_.train.size(), options_.batch_size, steps_per_epoch});
  detail::copy_weights(read.spans(), weights());
  // Whether the saved model had been trained, not the one that it is read into; without a
  // validation set the file does not tell, so assume that it had.
  trained_ = history().initial_validation.has_value() || !has_validation();
  past().stop_reason = detail::resumed_stop_reason(options_, max_epochs(), progress_);
  rank_with(progress_.has_best ? history().best_chosen : last_chosen());
}

template <class T>
StepRecord TrainingLoop<T>::step(detail::ObserverRefs observers) {
  require(!finished(), "step", "must not be called when training is over");
  if (!begun_) begin(observers);
  const detail::Stopwatch time;
  restore_last_weights();
  StepRecord record{.step = steps(), .epoch = epoch()};
  try {
    if (progress_.pairs_done < split_.train.size()) train_batch(record, observers);
    if (progress_.pairs_done == split_.train.size()) {
      end_epoch(observers);
      record.epoch_ended = true;
    }
    apply_stop_request();
    past().seconds += time.seconds();
    if (detail::checkpoint_due(options_.checkpoint, record, finished())) {
      write_checkpoint(options_.checkpoint.path);
    }
  } catch (...) {
    apply_stop_request();
    flush_quietly();
    throw;
  }
  return record;
}

template <class T>
const History& TrainingLoop<T>::run(detail::ObserverRefs observers) {
  if (!finished()) restore_last_weights();
  begin(observers);
  while (!finished()) step(observers);
  take_best();
  past().warnings = detail::warnings(progress_.start_warnings, history(), steps(), best_.keeps());
  for (const detail::ObserverRef& observer : observers) {
    if (observer.end != nullptr) observer.end(observer, history());
  }
  return history();
}

template <class T>
void TrainingLoop<T>::begin(detail::ObserverRefs observers) {
  if (steps() == 0) {
    progress_.start_warnings = start_warnings();
    validate_first_weights();
  }
  past().warnings = progress_.start_warnings;
  const FitInfo info{.model = model_name(),
                     .pairs = split_.train.size(),
                     .epochs = max_epochs(),
                     .k = options_.k,
                     .has_validation = has_validation(),
                     .learning_rate = *options_.learning_rate,
                     .batch_size = options_.batch_size,
                     .metric = options_.metric.label(),
                     .constant_rate = detail::is_constant(*options_.schedule),
                     .warnings = progress_.start_warnings,
                     .epochs_done = history().epochs.size()};
  if (std::ranges::any_of(observers, &detail::ObserverRef::begin_takes_model)) publish();
  for (const detail::ObserverRef& observer : observers) {
    if (observer.begin != nullptr) observer.begin(observer, info);
  }
  begun_ = true;
}

template <class T>
void TrainingLoop<T>::validate_first_weights() {
  if (!trained_ || !has_validation() || history().initial_validation) return;
  const detail::Stopwatch time;
  const detail::ValidationReports reports = validate(false, detail::ChoiceSearch::all);
  past().initial_validation = past().best_validation = options_.metric(reports.by_dot);
  past().best_validation_ndcg = reports.by_dot.ndcg;
  past().best_chosen = reports.chosen;
  past().seconds += time.seconds();
}

template <class T>
void TrainingLoop<T>::train_batch(StepRecord& record, detail::ObserverRefs observers) {
  const detail::Stopwatch training;
  const std::size_t pairs = split_.train.size(), first = progress_.pairs_done;
  const std::size_t steps_per_epoch = history().steps_per_epoch;
  record.pairs = std::min(options_.batch_size, pairs - first);
  record.learning_rate =
      *options_.learning_rate *
      options_.schedule->factor({.step = steps() + 1,
                                 .epoch = epoch(),
                                 .steps_per_epoch = steps_per_epoch,
                                 .steps = detail::all_steps(max_epochs(), steps_per_epoch)},
                                history());
  record.loss = train(first, record.pairs, record.learning_rate);
  record.step = steps();
  progress_.loss_sum += record.loss * static_cast<double>(record.pairs);
  progress_.pairs_done += record.pairs;
  progress_.epoch_seconds += training.seconds();
  if (!detail::is_finite(record.loss)) diverge("the loss is");
  const EpochProgress progress{epoch(), progress_.pairs_done, pairs, progress_.epoch_seconds};
  for (const detail::ObserverRef& observer : observers) {
    if (observer.batch != nullptr && observer.batch(observer, progress)) stop_requested_ = true;
  }
}

template <class T>
void TrainingLoop<T>::end_epoch(detail::ObserverRefs observers) {
  const detail::Stopwatch training;
  apply_deferred();
  EpochRecord record{.epoch = epoch(),
                     .loss = progress_.loss_sum / static_cast<double>(split_.train.size())};
  record.train_seconds = progress_.epoch_seconds + training.seconds();
  if (!detail::is_finite(record.loss)) diverge("the loss is");
  if (!finite()) diverge("the weights, or their squares, are");
  record.validated = false;
  if (!has_validation()) {
    keep_as_best(record);
  } else if (record.epoch % options_.validate_every == 0 || record.epoch == max_epochs()) {
    validate_epoch(record);
  }
  past().epochs.push_back(record);
  progress_.pairs_done = 0;
  progress_.loss_sum = 0;
  progress_.epoch_seconds = 0;
  past().stop_reason =
      detail::stop_reason(options_, max_epochs(), history(), progress_.patience_from);
  if (!finished() && options_.stop && options_.stop(history())) {
    past().stop_reason = StopReason::rule;
  }
  if (std::ranges::any_of(observers, &detail::ObserverRef::epoch_takes_model)) publish();
  for (const detail::ObserverRef& observer : observers) {
    if (observer.epoch != nullptr && observer.epoch(observer, record)) stop_requested_ = true;
  }
}

template <class T>
void TrainingLoop<T>::validate_epoch(EpochRecord& record) {
  const detail::Stopwatch time;
  const detail::ValidationReports reports =
      validate(options_.validate_by_cosine, detail::ChoiceSearch::nearby);
  if (reports.by_cosine) record.validation_by_cosine = options_.metric(*reports.by_cosine);
  detail::set_validation(record, reports, options_.metric);
  record.validate_seconds = time.seconds();
  record.validated = true;
  const bool has_best = history().best_epoch > 0 || history().initial_validation;
  if (!has_best || record.validation > history().best_validation) keep_as_best(record);
}

template <class T>
void TrainingLoop<T>::keep_as_best(EpochRecord& record) {
  record.best = true;
  best_.keep(weights());
  detail::set_best(past(), record);
}

template <class T>
void TrainingLoop<T>::flush_quietly() noexcept {
  try {
    flush();
  } catch (...) {
  }
}

template <class T>
void TrainingLoop<T>::diverge(const char* what) {
  const std::size_t diverged_in = epoch();
  past().stop_reason = StopReason::diverged;
  apply_deferred();  // so that no deferred step is applied to the best weights
  best_.restore(weights());
  rank_with(history().best_chosen ? history().best_chosen : progress_.first_choice);
  if (best_.keeps() && history().best_epoch == 0 && !trained_) mark_untrained();
  publish();
  throw DivergenceError(std::string(what) + " no longer finite in epoch " +
                        std::to_string(diverged_in) + "; try a learning_rate below " +
                        format_number(*options_.learning_rate) +
                        ", or less extreme options of the loss");
}

template <class T>
void TrainingLoop<T>::take_best() {
  if (history().stop_reason == StopReason::diverged) return;
  flush();
  if (!has_validation() || history().epochs.empty()) return;
  if (progress_.has_best) return;
  EpochRecord& last = past().epochs.back();
  if (progress_.pairs_done == 0 && !last.validated) {
    validate_epoch(last);
    past().seconds += last.validate_seconds;
  }
  const bool has_best = history().initial_validation.has_value() ||
                        std::ranges::any_of(history().epochs, &EpochRecord::validated);
  const bool last_is_best = progress_.at_best() && whole();
  if (has_best && best_.keeps() && !last_is_best) {
    best_.exchange(weights());
    publish();
    progress_.has_best = true;
    rank_with(history().best_chosen);
  }
  if (has_best && (progress_.has_best || last_is_best)) search_all_choices();
}

template <class T>
void TrainingLoop<T>::search_all_choices() {
  if (!history().best_chosen || history().best_epoch == 0 || searched_ == history().best_epoch) {
    return;
  }
  const detail::Stopwatch time;
  const detail::ValidationReports reports = validate(false, detail::ChoiceSearch::all);
  EpochRecord& record = past().epochs[history().best_epoch - 1];
  if (reports.chosen && options_.metric(reports.by_dot) > record.validation) {
    detail::set_validation(record, reports, options_.metric);
    detail::set_best(past(), record);
  }
  rank_with(record.chosen);
  searched_ = record.epoch;
  record.validate_seconds += time.seconds();
  past().seconds += time.seconds();
}

template <class T>
void TrainingLoop<T>::restore_last_weights() {
  if (!progress_.has_best) return;
  best_.exchange(weights());
  progress_.has_best = false;
  rank_with(last_chosen());
}

}  // namespace prism::inline PRISM_ISA
