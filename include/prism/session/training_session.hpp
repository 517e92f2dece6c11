// SPDX-License-Identifier: BSD-3-Clause
// A training that can be taken in steps, saved at any moment and gone on with, to the last bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/session/best_weights.hpp"
#include "prism/session/checkpoint.hpp"
#include "prism/session/epoch_pairs.hpp"
#include "prism/session/fit_options.hpp"
#include "prism/session/history.hpp"
#include "prism/session/observer.hpp"
#include "prism/session/run_settings.hpp"
#include "prism/session/stop_rules.hpp"
#include "prism/session/stopwatch.hpp"
#include "prism/session/trainer.hpp"

namespace prism::inline PRISM_ISA {

/// Trains a model; fit() is a session that runs once. After each epoch the validation part is
/// ranked, by dot product, without the training items. Model and split have to outlive the session.
/// The numbers depend on the model's seed and the options, never on the number of threads.
///
/// Until run() ends, the model has the weights of the last step, except for rows whose steps the
/// optimizer has deferred; flush() applies these. If an observer throws, they are applied, and
/// training can go on.
template <class Model, Execution X = Host<>>
class TrainingSession {
  using Scalar = typename Model::scalar_type;
  static constexpr bool can_be_saved =
      SavedState<typename Model::optimizer_type::template State<Scalar>>;

 public:
  /// @param exec   where training runs; the host's threads if left out
  /// @param split  parts of the users and items that the model was made with
  /// @throws ArgumentError  for an option outside its domain, or a split of another shape
  /// @throws DataError      where BestWeights::on_disk cannot be written
  TrainingSession(const X& exec, Model& model, const Split& split, FitOptions options = {})
      : TrainingSession(NotBegun{}, exec, model, split, std::move(options)) {
    best_.keep(model_.weights());  // what a divergence in the first epoch falls back on
  }
  TrainingSession(Model& model, const Split& split, FitOptions options = {})
      : TrainingSession(X{}, model, split, std::move(options)) {}
  TrainingSession(const X&, Model&, const Split&&, FitOptions = {}) = delete;
  TrainingSession(Model&, const Split&&, FitOptions = {}) = delete;
  TrainingSession(const TrainingSession&) = delete;
  TrainingSession& operator=(const TrainingSession&) = delete;

  /// Goes on where save() was called: what follows is to the last bit what would have followed
  /// then, wall-clock times aside, on the same execution and a machine whose processor and library
  /// compute alike. Takes
  /// room for one more copy of the weights while it reads.
  /// @param model    made as the one that was saved; its weights are replaced
  /// @param options  those that the run had, but that epochs, patience, min_steps, stop, checkpoint
  ///     and best_weights (not from `last` to another) may be others. Functions are taken for the
  ///     same. A run that an observer or the number of epochs had ended goes on, if these let it.
  /// @throws DataError      where the file cannot be read, is no checkpoint, of another version, or
  ///     not as it was written; the model then stays as it was
  /// @throws ArgumentError  the same, where model, split or options are not those of the run
  [[nodiscard]] static TrainingSession resume(const std::filesystem::path& path, const X& exec,
                                              Model& model, const Split& split,
                                              FitOptions options = {}) {
    return TrainingSession(path, exec, model, split, std::move(options));
  }
  [[nodiscard]] static TrainingSession resume(const std::filesystem::path& path, Model& model,
                                              const Split& split, FitOptions options = {}) {
    return TrainingSession(path, X{}, model, split, std::move(options));
  }
  static TrainingSession resume(const std::filesystem::path&, const X&, Model&, const Split&&,
                                FitOptions = {}) = delete;
  static TrainingSession resume(const std::filesystem::path&, Model&, const Split&&,
                                FitOptions = {}) = delete;

  /// Writes all that training goes on from into a file, which appears whole or not at all, in place
  /// of what stood there. Changes no number of what follows; observers may call it.
  /// @throws DataError      where the file cannot be written
  /// @throws ArgumentError  where it is FitOptions::best_weights_path
  void save(const std::filesystem::path& path) {
    detail::check_checkpoint_path(options_, path);
    detail::write_run(path, settings(), progress_, trainer_, model_.weights(), best_);
  }

  /// Trains on one batch; after an epoch's last one, ranks the validation part and decides whether
  /// training is over. Writes the checkpoint where one is due.
  /// @throws ArgumentError    where finished(), or for a schedule's factor
  /// @throws DivergenceError  where the loss, a weight or a row's squared length is no longer
  ///     finite; the model then has the weights of its best epoch so far (without a validation part
  ///     its last good one), and training is over
  template <class... Observers>
  StepRecord step(Observers&&... observers) {
    detail::check_observers<Model, Observers...>();
    require(!finished(), "step", "must not be called when training is over");
    if (!begun_) begin(observers...);
    const detail::Stopwatch time;
    go_on_from_last();
    StepRecord record{.step = trainer_.steps(), .epoch = epoch()};
    {
      // Also where an observer throws, the model is left as of its last step.
      struct FlushOnExit {
        TrainingSession& session;
        bool thrown = true;
        ~FlushOnExit() {
          if (!thrown) return;
          try {
            session.flush();
          } catch (...) {  // the first error is the one to report
          }
        }
      } on_exit{*this};
      bool stop = false;
      if (progress_.pairs_done < split_.train.size()) stop = train_batch(record, observers...);
      if (progress_.pairs_done == split_.train.size()) {
        if (end_epoch(observers...)) stop = true;
        record.epoch_ended = true;
      }
      if (stop && !finished()) past().stop_reason = StopReason::observer;
      past().seconds += time.seconds();
      if constexpr (can_be_saved) {
        const CheckpointOptions& when = options_.checkpoint;
        if (detail::checkpoint_due(when, record, finished())) save(when.path);
      }
      on_exit.thrown = false;
    }
    return record;
  }

  /// Steps to the end of the epoch, unless training stops before; the same errors.
  /// @return whether the epoch has ended: history().epochs.back() is then its record
  template <class... Observers>
  bool run_epoch(Observers&&... observers) {
    detail::check_observers<Model, Observers...>();
    bool ended = false;
    while (!ended && !finished()) ended = step(observers...).epoch_ended;
    return ended;
  }

  /// Steps until training is over, and gives the model the weights of its best epoch; the same
  /// errors. Where there is no validation part or no epoch has ended, it keeps the last step's.
  /// Observers get a begin and an end; without any, nothing is shown.
  template <class... Observers>
  const History& run(Observers&&... observers) {
    detail::check_observers<Model, Observers...>();
    if (!finished()) go_on_from_last();
    begin(observers...);
    while (!finished()) step(observers...);
    take_best();
    past().warnings = detail::warnings(history(), has_validation());
    (detail::notify_end(observers, history()), ...);
    return history();
  }

  /// Lets training go on, up to so many epochs in all, after it was over for whatever reason but a
  /// divergence: run() goes on from the last step, not from the best epoch, and patience counts
  /// anew.
  /// @throws ArgumentError  where so many are done, or it has diverged
  void allow_epochs(std::size_t epochs) {
    require(epochs > history().epochs.size(), "epochs",
            "must be above " + std::to_string(history().epochs.size()) + ", which are done");
    require(history().stop_reason != StopReason::diverged, "epochs",
            "cannot be more for a training that has diverged");
    options_.epochs = epochs;
    progress_.patience_from = history().epochs.size();
    past().stop_reason = StopReason::none;
    past().stopped_early = false;
  }

  /// Brings every row up to the last step; call it before the model is read between steps. What
  /// follows may differ by rounding from what would have without; it always happens at an epoch's
  /// end.
  void flush() { trainer_.flush(); }

  /// Whether training is over; history().stop_reason says why.
  [[nodiscard]] bool finished() const noexcept { return history().stop_reason != StopReason::none; }
  [[nodiscard]] const History& history() const noexcept { return progress_.history; }
  [[nodiscard]] const FitOptions& options() const noexcept { return options_; }
  /// The epoch that the next step belongs to, from 1.
  [[nodiscard]] std::size_t epoch() const noexcept { return history().epochs.size() + 1; }
  /// Steps since training began.
  [[nodiscard]] std::uint64_t steps() const noexcept { return trainer_.steps(); }

 private:
  struct NotBegun {};

  TrainingSession(NotBegun, const X& exec, Model& model, const Split& split, FitOptions&& options)
      : exec_(exec),
        model_(model),
        split_(split),
        options_(checked(std::move(options), model, split)),
        trainer_(model, exec),
        best_(options_),
        pairs_(split.train, model.options().seed, options_.shuffle) {
    past().steps_per_epoch = 1 + (split.train.size() - 1) / options_.batch_size;
  }

  TrainingSession(const std::filesystem::path& path, const X& exec, Model& model,
                  const Split& split, FitOptions&& options)
      : TrainingSession(NotBegun{}, exec, model, split, std::move(options)) {
    detail::check_checkpoint_path(options_, path);
    const std::size_t steps_per_epoch = history().steps_per_epoch;
    auto weights = model.weights();
    progress_ = detail::read_run(path, settings(), trainer_, weights, best_);
    const std::size_t done = progress_.pairs_done;
    if (history().steps_per_epoch != steps_per_epoch || done > split.train.size() ||
        (done % options_.batch_size != 0 && done != split.train.size())) {
      throw DataError(path.string(), 0, "has a position where no batch ends");
    }
    const std::size_t batches = done / options_.batch_size + (done % options_.batch_size > 0);
    if (trainer_.steps() != history().epochs.size() * steps_per_epoch + batches) {
      throw DataError(path.string(), 0, "has another number of steps than its epochs");
    }
    model.weights() = std::move(weights);
    past().stop_reason = detail::resumed_stop_reason(options_, progress_);
    past().stopped_early = history().stop_reason == StopReason::patience;
  }

  static FitOptions checked(FitOptions&& options, const Model& model, const Split& split) {
    detail::check(options, split.train, model.train());
    require(can_be_saved || options.checkpoint.path.empty(), "checkpoint",
            "cannot be written: the optimizer's State has no save() and load(), as "
            "prism/policy/optimizer.hpp lists them");
    if constexpr (requires { Model::shuffle; }) options.shuffle = Model::shuffle;
    return std::move(options);
  }

  [[nodiscard]] History& past() noexcept { return progress_.history; }
  /// For checkpoints. All options among them stay as they are.
  [[nodiscard]] const std::vector<detail::RunSetting>& settings() {
    if (settings_.empty()) settings_ = detail::run_settings(model_, split_, options_);
    return settings_;
  }
  [[nodiscard]] bool has_validation() const noexcept { return !split_.validation.empty(); }

  /// Tells observers what is about to be done: run() does, and the first step of a session.
  template <class... Observers>
  void begin(Observers&... observers) {
    begun_ = true;
    const FitPlan plan{.model = model_.name(),
                       .pairs = split_.train.size(),
                       .epochs = options_.epochs,
                       .k = options_.k,
                       .has_validation = has_validation(),
                       .learning_rate = options_.learning_rate,
                       .batch_size = options_.batch_size,
                       .metric = options_.metric.label(),
                       .constant_rate = options_.schedule.label() == ConstantSchedule().label()};
    (detail::notify_begin(observers, plan, std::as_const(model_)), ...);
  }

  /// @return whether an observer asks for a stop
  template <class... Observers>
  bool train_batch(StepRecord& record, Observers&... observers) {
    const detail::Stopwatch training;
    const std::span<const Interaction> pairs = pairs_.of(exec_, epoch());
    const std::size_t begin = progress_.pairs_done;
    const auto batch = pairs.subspan(begin, std::min(options_.batch_size, pairs.size() - begin));
    const Random negatives(model_.options().seed, Stream::negatives,
                           static_cast<std::uint32_t>(epoch()));
    const std::size_t steps_per_epoch = history().steps_per_epoch;
    record.learning_rate = options_.learning_rate *
                           options_.schedule.factor({.step = trainer_.steps() + 1,
                                                     .epoch = epoch(),
                                                     .steps_per_epoch = steps_per_epoch,
                                                     .steps = options_.epochs * steps_per_epoch});
    record.loss =
        trainer_.step(batch, trainer_.sample(batch, negatives, begin), record.learning_rate);
    record.step = trainer_.steps();
    record.pairs = batch.size();
    progress_.loss_sum += record.loss * static_cast<double>(batch.size());
    progress_.pairs_done += batch.size();
    progress_.epoch_seconds += training.seconds();
    if (!is_finite(record.loss)) diverge("the loss is");
    [[maybe_unused]] const BatchProgress progress{epoch(), progress_.pairs_done, pairs.size(),
                                                  progress_.epoch_seconds};
    bool stop = false;
    ((detail::notify_batch(observers, progress) ? void(stop = true) : void()), ...);
    return stop;
  }

  /// @return whether an observer asks for a stop
  template <class... Observers>
  bool end_epoch(Observers&... observers) {
    const detail::Stopwatch training;
    flush();
    EpochRecord record{.epoch = epoch(),
                       .loss = progress_.loss_sum / static_cast<double>(split_.train.size())};
    record.train_seconds = progress_.epoch_seconds + training.seconds();
    if (!is_finite(record.loss)) diverge("the loss is");
    if (!trainer_.finite()) diverge("the weights, or their squares, are");
    if (has_validation()) {
      const detail::Stopwatch validating;
      const Report report =
          evaluate(exec_, model_, split_.validation, {.k = options_.k, .exclude = {&split_.train}});
      record.validation_ndcg = report.ndcg;
      record.validation = options_.metric(report);
      require(is_finite(record.validation), "metric",
              "must be a finite number, not " + format_number(record.validation));
      record.validate_seconds = validating.seconds();
    }
    record.best = !has_validation() || history().best_epoch == 0 ||
                  record.validation > history().best_validation;
    if (record.best) {
      best_.keep(model_.weights());
      past().best_epoch = record.epoch;
      past().best_validation_ndcg = record.validation_ndcg;
      past().best_validation = record.validation;
    }
    past().epochs.push_back(record);
    progress_.pairs_done = 0;
    progress_.loss_sum = 0;
    progress_.epoch_seconds = 0;
    past().stop_reason = detail::stop_reason(options_, history(), progress_.patience_from);
    past().stopped_early = history().stop_reason == StopReason::patience;
    if (!finished() && options_.stop && options_.stop(history())) {
      past().stop_reason = StopReason::rule;
    }
    bool stop = false;
    ((detail::notify_epoch(observers, record, std::as_const(model_)) ? void(stop = true) : void()),
     ...);
    return stop;
  }

  [[noreturn]] void diverge(const char* what) {
    const std::size_t diverged_in = epoch();
    past().stop_reason = StopReason::diverged;
    flush();  // so that no deferred step is applied to the best weights
    best_.restore(model_.weights());
    throw DivergenceError(std::string(what) + " no longer finite in epoch " +
                          std::to_string(diverged_in) + ": a smaller learning_rate than " +
                          format_number(options_.learning_rate) +
                          " may help, or milder options of the loss");
  }

  /// The model gets the best epoch's weights.
  void take_best() {
    if (history().stop_reason == StopReason::diverged) return;
    flush();
    if (!has_validation() || history().best_epoch == 0 || !best_.keeps()) return;
    if (progress_.has_best || progress_.at_best()) return;
    best_.exchange(model_.weights());
    progress_.has_best = true;
  }
  /// It gets back those of the last step.
  void go_on_from_last() {
    if (!progress_.has_best) return;
    best_.exchange(model_.weights());
    progress_.has_best = false;
  }

  [[no_unique_address]] X exec_;
  Model& model_;
  const Split& split_;
  FitOptions options_;
  detail::RunProgress progress_;
  Trainer<Model, X> trainer_;
  detail::WeightsStore<typename Model::Weights> best_;
  detail::EpochPairs pairs_;
  std::vector<detail::RunSetting> settings_;  // once they were needed
  bool begun_ = false;                        // whether observers know of the session
};

}  // namespace prism::inline PRISM_ISA
