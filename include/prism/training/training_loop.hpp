// SPDX-License-Identifier: BSD-3-Clause
// Epochs, validation, stop rules, best weights and checkpoints: the part of training that does not
// depend on the types of model and execution. Compiled once for each scalar type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/training/best_weights.hpp"
#include "prism/training/checkpoint.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/run_settings.hpp"
#include "prism/training/stop_rules.hpp"
#include "prism/training/validation_reports.hpp"

namespace prism::inline PRISM_ISA {

/// The base of every TrainingSession, whatever its model. @tparam T  scalar type of the weights
template <class T>
class TrainingLoop {
 public:
  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;
  virtual ~TrainingLoop() = default;

  /// Allows training that has stopped for any reason other than divergence to continue, up to
  /// `epochs` in total. run() continues from the last step, not from the best epoch, and patience
  /// starts over.
  /// @throws ArgumentError  if that many epochs are done, or training has diverged
  void allow_epochs(std::size_t epochs);

  /// Ends training as if an observer had requested it; run() then only gives the model the best
  /// epoch's weights. For callers that have caught an error that leaves the model intact, such as a
  /// checkpoint that cannot be written. No effect if finished().
  void stop() noexcept {
    if (!finished()) past().stop_reason = StopReason::observer;
  }

  /// Applies the deferred steps of all rows; call it before reading the model between steps. Later
  /// results may differ by rounding from those without the call. The end of an epoch always does
  /// the same.
  virtual void flush() = 0;

  /// Whether training is over; history().stop_reason says why.
  [[nodiscard]] bool finished() const noexcept { return history().stop_reason != StopReason::none; }
  [[nodiscard]] const History& history() const noexcept { return progress_.history; }
  /// As given, with unset options filled in.
  [[nodiscard]] const FitOptions& options() const noexcept { return options_; }
  /// The epoch that the next step belongs to, from 1.
  [[nodiscard]] std::size_t epoch() const noexcept { return history().epochs.size() + 1; }
  /// Steps since training began.
  [[nodiscard]] virtual std::uint64_t steps() const noexcept = 0;

 protected:
  /// @param options  checked by detail::check, with epochs, learning_rate and schedule set
  /// @param memory   for a second copy of the weights
  /// @param trained  whether the weights that training begins with may be the best
  /// @param choice   the ranking's alpha or power before the run, if it chooses one
  /// @param copy     copies numbers of the weights on the execution
  TrainingLoop(const Split& split, FitOptions&& options, std::pmr::memory_resource* memory,
               bool trained, std::optional<double> choice, detail::CopyNumbers<T> copy)
      : split_(split),
        options_(std::move(options)),
        memory_(memory),
        best_(options_, memory, std::move(copy)),
        trained_(trained) {
    progress_.first_choice = choice;
    past().steps_per_epoch = detail::steps_per_epoch(split.train.size(), options_.batch_size);
    past().learning_rate = *options_.learning_rate;
  }

  [[nodiscard]] const Split& split() const noexcept { return split_; }

  // The model, type-erased. Pairs are in the order of epoch().
  [[nodiscard]] virtual detail::WeightSpans<T> weights() = 0;
  /// Applies the deferred steps of all rows of weights().
  virtual void apply_deferred() = 0;
  /// Copies weights() to the caller's model.
  virtual void publish() = 0;
  /// Trains on the batch of pairs [first, first + count). @return its loss
  virtual double train(std::size_t first, std::size_t count, double learning_rate) = 0;
  [[nodiscard]] virtual bool finite() = 0;
  /// Whether all of weights() belong to the same step: false after an error between two updates of
  /// the optimizer.
  [[nodiscard]] virtual bool whole() const noexcept = 0;
  /// Marks weights() as those of a model that was never trained.
  virtual void mark_untrained() noexcept = 0;
  /// Ranks the validation set, on request by cosine too. If the ranking chooses alpha or power, it
  /// has the best one afterwards.
  [[nodiscard]] virtual detail::ValidationReports validate(bool by_cosine,
                                                           detail::ChoiceSearch search) = 0;
  /// Sets the ranking's alpha or power, if it chooses one.
  virtual void rank_with(std::optional<double> chosen) = 0;
  [[nodiscard]] virtual std::string model_name() const = 0;
  [[nodiscard]] virtual std::vector<std::string> start_warnings() const = 0;
  [[nodiscard]] virtual std::vector<detail::RunSetting> model_settings() = 0;
  virtual void save_optimizer(BinaryWriter& out) const = 0;
  virtual void load_optimizer(BinaryReader& in) = 0;

  /// Keeps the weights that a divergence falls back on before an epoch is the best.
  void keep_first_weights() { best_.keep(weights()); }

  void write_checkpoint(const std::filesystem::path& path);

  void read_checkpoint(const std::filesystem::path& path);

  StepRecord step(detail::ObserverRefs observers);

  const History& run(detail::ObserverRefs observers);

 private:
  [[nodiscard]] History& past() noexcept { return progress_.history; }
  [[nodiscard]] std::size_t max_epochs() const noexcept { return *options_.epochs; }
  /// For checkpoints. The options in them do not change during a run.
  [[nodiscard]] const std::vector<detail::RunSetting>& settings() {
    if (settings_.empty()) settings_ = detail::run_settings(model_settings(), split_, options_);
    return settings_;
  }
  [[nodiscard]] bool has_validation() const noexcept { return !split_.validation.empty(); }

  /// Tells observers what is about to happen: called by run(), and by a session's first step.
  void begin(detail::ObserverRefs observers);

  /// Runs once, before the first step: a model that is trained further must not end worse than it
  /// began.
  void validate_first_weights();

  void train_batch(StepRecord& record, detail::ObserverRefs observers);

  void end_epoch(detail::ObserverRefs observers);

  void validate_epoch(EpochRecord& record);

  void keep_as_best(EpochRecord& record);

  /// Ends training if an observer requested it, even if a later observer has thrown.
  void apply_stop_request() noexcept {
    if (stop_requested_ && !finished()) past().stop_reason = StopReason::observer;
    stop_requested_ = false;
  }

  /// Leaves the model as of its last step after an error; that error is the one to report.
  void flush_quietly() noexcept;

  [[noreturn]] void diverge(const char* what);

  /// Gives the model the best epoch's weights, or those it began with.
  void take_best();
  /// Ranks the best epoch's weights with all choices: the searches during training tried only
  /// nearby values. Keeps the earlier choice if no other ranks better on the whole validation set.
  void search_all_choices();
  /// The choice of the last validation, or the ranking's own before the first.
  [[nodiscard]] std::optional<double> last_chosen() const {
    const std::optional<double> chosen = detail::last_chosen(history());
    return chosen ? chosen : progress_.first_choice;
  }
  /// Gives the model the last step's weights again.
  void restore_last_weights();

  const Split& split_;
  FitOptions options_;
  std::pmr::memory_resource* memory_;
  detail::RunProgress progress_;
  detail::WeightsStore<T> best_;
  std::vector<detail::RunSetting> settings_;  // once they are needed
  bool trained_;                              // see the constructor
  std::size_t searched_ = 0;                  // the best epoch for which all choices were tried
  bool begun_ = false;                        // whether observers' begin has been called
  bool stop_requested_ = false;               // by an observer, in this step
};

}  // namespace prism::inline PRISM_ISA

#include "prism/training/training_loop.inl.hpp"
