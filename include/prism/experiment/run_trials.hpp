// SPDX-License-Identifier: BSD-3-Clause
// Runs trials in parallel on the machine's cores, each on its own threads, and records their
// results. Needs nlohmann-json.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/instruction_set.hpp"
#include "prism/experiment/json.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/training/history.hpp"
#include "prism/training/stopwatch.hpp"

namespace prism::inline PRISM_ISA {

/// The progress of a queue of trials.
struct QueueProgress {
  std::size_t done = 0;  ///< trials, including those that were already on record
  std::size_t total = 0;
  double seconds = 0;       ///< since the queue began
  double seconds_left = 0;  ///< if the others take as long as those run so far; 0 before any
  TrialRecord last{};       ///< the one just recorded
};

/// Options of run_trials().
struct QueueOptions {
  std::size_t workers = 0;  ///< trials at a time; 0: one per core
  double budget_seconds = std::numeric_limits<double>::infinity();  ///< at least 0
  /// Called after each epoch, never by two threads at once. Returning true pauses every trial;
  /// another call continues them.
  std::function<bool()> interrupted{};
  /// Called after each trial, never by two threads at once.
  std::function<void(const QueueProgress&)> progress{};
  /// Folder for paused trials; empty: beside the records, their name with ".trials" added.
  std::filesystem::path checkpoints{};
  std::size_t checkpoint_epochs = 20;  ///< between checkpoints, to limit what a kill loses
  bool read_only = false;  ///< trains nothing and changes no file: only finds what is on record
};

namespace detail {

/// The folder where paused trials are kept; empty if they are not kept.
[[nodiscard]] inline std::filesystem::path checkpoint_folder(const TrialRecords& records,
                                                             const QueueOptions& options) {
  if (!options.checkpoints.empty() || records.path().empty()) return options.checkpoints;
  std::filesystem::path folder = records.path();
  folder += ".trials";
  return folder;
}
[[nodiscard]] inline std::filesystem::path checkpoint_file(const std::filesystem::path& folder,
                                                           const TrialSpec& spec) {
  if (folder.empty()) return {};
  Checksum sum;
  sum.add(spec.key);
  return folder / (std::to_string(sum.value()) + ".ckpt");
}

/// Removes the checkpoint of a trial, if there is one.
inline void remove_checkpoint(const std::filesystem::path& folder, const TrialSpec& spec) {
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove(checkpoint_file(folder, spec), ignored);
}
inline void remove_empty_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove(folder, ignored);  // fails if it is not empty
}

/// @throws ArgumentError  for an option outside its domain
inline void check(const QueueOptions& options) {
  require(options.budget_seconds >= 0, "budget_seconds",
          "must be at least 0, not " + format_number(options.budget_seconds));
}

/// One call of run_trials.
class TrialQueue {
 public:
  TrialQueue(std::span<const TrialSpec> specs, std::size_t epochs, TrialRecords& records,
             const QueueOptions& options)
      : records_(records), options_(options), folder_(checkpoint_folder(records, options)) {
    check(options);
    std::set<std::string_view> keys;
    for (const TrialSpec& spec : specs) {
      if (!keys.insert(spec.key).second) continue;
      const auto record = records.find(spec.key);
      if (record && covers(*record, spec, epochs)) {
        if (record->finished) finished_.push_back(&spec);
        continue;
      }
      // No record is replaced by one of fewer epochs.
      open_.push_back({&spec, std::max(epochs, record ? record->epochs : 0)});
    }
    progress_ = {.done = keys.size() - open_.size(), .total = keys.size()};
  }

  bool run() {
    if (options_.read_only) return open_.empty();
    // Left by processes that were killed after they had written the record.
    for (const TrialSpec* spec : finished_) remove_checkpoint(folder_, *spec);
    if (open_.empty()) {
      remove_empty_folder(folder_);
      return true;
    }
    if (!folder_.empty()) {
      std::error_code error;
      std::filesystem::create_directories(folder_, error);
      if (error) throw DataError(folder_.string(), 0, "cannot be created: " + error.message());
    }
    using oneapi::tbb::global_control;
    const std::size_t cores = global_control::active_value(global_control::max_allowed_parallelism);
    const std::size_t workers =
        std::min(options_.workers == 0 ? cores : options_.workers, open_.size());
    const int threads = static_cast<int>(std::max<std::size_t>(1, cores / workers));
    {
      std::vector<std::jthread> pool;
      try {
        for (std::size_t w = 0; w < workers; ++w) pool.emplace_back([&] { work(threads); });
      } catch (...) {
        failed_ = true;  // ends those that have started
        throw;
      }
    }
    if (error_) std::rethrow_exception(error_);
    remove_empty_folder(folder_);
    return progress_.done == progress_.total;
  }

 private:
  void work(int threads) {
    try {
      oneapi::tbb::task_arena arena(threads);
      for (std::size_t n = next_++; n < open_.size() && !interrupted(); n = next_++) {
        arena.execute([&] { run(*open_[n].spec, open_[n].epochs); });
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  [[nodiscard]] bool interrupted() {
    if (failed_ || time_.seconds() > options_.budget_seconds) return true;
    if (!options_.interrupted) return false;
    const std::lock_guard lock(asking_);
    return options_.interrupted();
  }

  void run(const TrialSpec& spec, std::size_t epochs) {
    const std::filesystem::path checkpoint = checkpoint_file(folder_, spec);
    const std::unique_ptr<Trial> trial = spec.make(checkpoint);
    TrialRecord record{.key = spec.key,
                       .model = spec.model,
                       .configuration = spec.configuration,
                       .seed = spec.seed,
                       .retraining = spec.retraining,
                       .instruction_set = std::string(instruction_set)};
    try {
      if (!train(*trial, epochs, checkpoint)) return;
    } catch (const DivergenceError& error) {
      record.error = error.what();
    }
    record.finished = trial->finished();
    // Before the history is read: the end of training adds its warnings.
    if (record.finished && record.error.empty()) record.report = trial->report();
    const History& history = trial->history();
    record.stop_reason = name_of(history.stop_reason);
    record.epochs = history.epochs.size();
    record.best_epoch = history.best_epoch;
    record.initial_validation = history.initial_validation;
    record.validation = history.best_validation;
    record.seconds = history.seconds;
    record.chosen = history.best_chosen;
    // The warnings of a retraining would repeat those of the first training, or advise against the
    // number of epochs, which validation has chosen.
    if (!spec.retraining) record.warnings = history.warnings;
    for (const EpochRecord& epoch : history.epochs) {
      constexpr double none = std::numeric_limits<double>::quiet_NaN();
      record.validations.push_back(epoch.validated ? epoch.validation : none);
      record.losses.push_back(epoch.loss);
      if (spec.validates_by_cosine) {
        record.validations_by_cosine.push_back(epoch.validation_by_cosine.value_or(none));
      }
    }
    records_.add(record);
    if (record.finished) remove_checkpoint(folder_, spec);
    show(std::move(record));
  }

  /// @return whether it has reached its goal; if not, it is paused
  bool train(Trial& trial, std::size_t epochs, const std::filesystem::path& checkpoint) {
    const std::size_t interval = std::max<std::size_t>(1, options_.checkpoint_epochs);
    const auto reached = [&] {
      return trial.finished() || trial.history().epochs.size() >= epochs;
    };
    bool paused = false;
    while (!paused && !reached()) {
      const std::size_t done = trial.history().epochs.size();
      trial.train(done + std::min(interval, epochs - done), [&] { return paused = interrupted(); });
      if (!checkpoint.empty() && !trial.finished()) trial.save(checkpoint);
    }
    return reached();
  }

  void show(TrialRecord&& record) {
    const std::lock_guard lock(mutex_);
    ++progress_.done;
    progress_.seconds = time_.seconds();
    const std::size_t left = progress_.total - progress_.done;
    progress_.seconds_left =
        progress_.seconds / static_cast<double>(open_.size() - left) * static_cast<double>(left);
    progress_.last = std::move(record);
    if (options_.progress) options_.progress(progress_);
  }

  struct Open {
    const TrialSpec* spec;
    std::size_t epochs;  // to train it for, in total
  };

  std::vector<Open> open_;  // those to run, each once
  std::vector<const TrialSpec*> finished_;
  TrialRecords& records_;
  const QueueOptions& options_;
  std::filesystem::path folder_;
  Stopwatch time_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex asking_;  // guards options_.interrupted
  std::mutex mutex_;   // guards the two below
  std::exception_ptr error_;
  QueueProgress progress_;
};

}  // namespace detail

/// Trains each trial until `epochs` epochs are done in total, or its training is over, and records
/// it. Trials that are already on record are not run again, and duplicates run once. Trials run in
/// parallel, each on its share of the threads; the results do not depend on how many. A trial that
/// was paused or killed continues from its last checkpoint, if the records are in a file. A trial
/// that diverges is recorded as such.
///
/// @return whether all of them are on record; if not, time ran out, interrupted() returned true, or
///         the queue is read_only
/// @throws ArgumentError  for a budget below 0
/// @throws DataError      if records or checkpoints cannot be written
/// @throws anything that making or training a trial throws, once the others are paused
inline bool run_trials(std::span<const TrialSpec> specs, std::size_t epochs, TrialRecords& records,
                       const QueueOptions& options = {}) {
  return detail::TrialQueue(specs, epochs, records, options).run();
}

/// The records of those trials that have one.
[[nodiscard]] inline std::vector<TrialRecord> on_record(std::span<const TrialSpec> specs,
                                                        const TrialRecords& records) {
  std::vector<TrialRecord> found;
  for (const TrialSpec& spec : specs) {
    if (auto record = records.find(spec.key)) found.push_back(std::move(*record));
  }
  return found;
}

/// For each finished trial of `specs`, the trial that retrains it on training and validation set
/// together, for as many epochs as validation found best. Trials that diverged, or that have no
/// best epoch, are left out.
[[nodiscard]] inline std::vector<TrialSpec> retrained_trials(std::span<const TrialSpec> specs,
                                                             const TrialRecords& records) {
  std::vector<TrialSpec> all;
  for (const TrialSpec& spec : specs) {
    const auto record = records.find(spec.key);
    if (!record || !record->finished || !record->error.empty() || record->best_epoch == 0 ||
        !spec.retrained) {
      continue;
    }
    all.push_back(spec.retrained(history_of(*record)));
  }
  return all;
}

/// Removes the checkpoints of trials that will not be continued, and their folder if it is then
/// empty.
inline void discard_checkpoints(std::span<const TrialSpec> specs, const TrialRecords& records,
                                const QueueOptions& options = {}) {
  const std::filesystem::path folder = detail::checkpoint_folder(records, options);
  for (const TrialSpec& spec : specs) detail::remove_checkpoint(folder, spec);
  detail::remove_empty_folder(folder);
}

}  // namespace prism::inline PRISM_ISA
