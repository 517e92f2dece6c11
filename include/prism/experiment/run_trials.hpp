// SPDX-License-Identifier: BSD-3-Clause
// Runs trials side by side on the machine's cores, each on threads of its own, and keeps what they
// gave. Needs nlohmann-json.
#pragma once

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/experiment/json.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/training/stopwatch.hpp"

namespace prism::inline PRISM_ISA {

/// How far a queue of trials is.
struct QueueProgress {
  std::size_t done = 0;  ///< of the trials asked for, those that were on record included
  std::size_t total = 0;
  double seconds = 0;       ///< since the queue began
  double seconds_left = 0;  ///< if those to come take as long as those it ran; 0 before any has
  TrialRecord last{};       ///< the one just recorded
};

struct QueueOptions {
  std::size_t workers = 0;  ///< trials at a time; 0: one a core
  double budget_seconds = std::numeric_limits<double>::infinity();
  /// Asked after each epoch: true puts every trial aside, so that another call goes on.
  std::function<bool()> interrupted{};
  /// Called after each trial, never by two threads at once.
  std::function<void(const QueueProgress&)> progress{};
  /// Of trials that are put aside; empty: beside the records, their name with ".trials" added.
  std::filesystem::path checkpoints{};
  std::size_t checkpoint_epochs = 20;  ///< between checkpoints, for what a kill would lose
};

namespace detail {

/// One call of run_trials.
class TrialQueue {
 public:
  TrialQueue(std::span<const TrialSpec> specs, std::size_t epochs, TrialRecords& records,
             const QueueOptions& options)
      : specs_(specs), epochs_(epochs), records_(records), options_(options) {
    if (!options_.checkpoints.empty()) {
      folder_ = options_.checkpoints;
    } else if (!records.path().empty()) {
      folder_ = records.path();
      folder_ += ".trials";
    }
  }

  bool run() {
    std::vector<std::size_t> open;
    for (std::size_t t = 0; t < specs_.size(); ++t) {
      const auto record = records_.find(specs_[t].key);
      if (!record || (!record->finished && record->epochs < epochs_)) open.push_back(t);
    }
    progress_ = {.done = specs_.size() - open.size(), .total = specs_.size()};
    if (open.empty()) return true;
    if (!folder_.empty()) {
      std::error_code error;
      std::filesystem::create_directories(folder_, error);
      if (error) throw DataError(folder_.string(), 0, "cannot be created: " + error.message());
    }
    const auto cores = static_cast<std::size_t>(oneapi::tbb::info::default_concurrency());
    const std::size_t asked = options_.workers == 0 ? cores : options_.workers;
    const std::size_t workers = std::min(asked, open.size());
    const int threads = static_cast<int>(std::max<std::size_t>(1, cores / workers));
    open_ = open.size();
    workers_ = workers;
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    {
      std::vector<std::jthread> pool;
      for (std::size_t w = 0; w < workers; ++w) {
        pool.emplace_back([&] {
          oneapi::tbb::task_arena arena(threads);
          for (std::size_t n = next++; n < open.size() && !interrupted(); n = next++) {
            try {
              arena.execute([&] { run(specs_[open[n]]); });
            } catch (...) {
              const std::lock_guard lock(mutex_);
              if (!error) error = std::current_exception();
              failed_ = true;
            }
          }
        });
      }
    }
    if (error) std::rethrow_exception(error);
    if (progress_.done == progress_.total && !folder_.empty()) {
      std::error_code ignored;
      std::filesystem::remove(folder_, ignored);  // if no trial is put aside in it
    }
    return progress_.done == progress_.total;
  }

 private:
  [[nodiscard]] bool interrupted() const {
    return failed_ || time_.seconds() > options_.budget_seconds ||
           (options_.interrupted && options_.interrupted());
  }

  void run(const TrialSpec& spec) {
    const std::filesystem::path checkpoint = checkpoint_of(spec);
    const std::unique_ptr<Trial> trial = spec.make(checkpoint);
    TrialRecord record{.key = spec.key,
                       .model = spec.model,
                       .configuration = spec.configuration,
                       .seed = spec.seed};
    bool aside = false;
    try {
      const std::size_t step = std::max<std::size_t>(1, options_.checkpoint_epochs);
      while (!aside && !trial->finished() && trial->history().epochs.size() < epochs_) {
        const std::size_t done = trial->history().epochs.size();
        const std::size_t until = done + std::min(step, epochs_ - done);
        trial->train(until, [&] { return interrupted(); });
        aside = !trial->finished() && trial->history().epochs.size() < until;
        if (!checkpoint.empty() && !trial->finished()) trial->save(checkpoint);
      }
    } catch (const DivergenceError& error) {
      record.error = error.what();
    }
    if (aside) return;
    const History& history = trial->history();
    record.finished = trial->finished();
    record.stop_reason = name_of(history.stop_reason);
    record.epochs = history.epochs.size();
    record.best_epoch = history.best_epoch;
    record.validation = history.best_validation;
    record.seconds = history.seconds;
    for (const EpochRecord& epoch : history.epochs) {
      record.validations.push_back(epoch.validation);
      record.losses.push_back(epoch.loss);
    }
    if (record.finished && record.error.empty()) record.report = trial->report();
    records_.add(record);
    if (record.finished && !checkpoint.empty()) {
      std::error_code ignored;
      std::filesystem::remove(checkpoint, ignored);
    }
    const std::lock_guard lock(mutex_);
    ++progress_.done;
    progress_.seconds = time_.seconds();
    const std::size_t ran = open_ - (progress_.total - progress_.done);
    progress_.seconds_left = progress_.seconds / static_cast<double>(ran) *
                             static_cast<double>(progress_.total - progress_.done);
    progress_.last = std::move(record);
    if (options_.progress) options_.progress(progress_);
  }

  [[nodiscard]] std::filesystem::path checkpoint_of(const TrialSpec& spec) const {
    if (folder_.empty()) return {};
    Checksum sum;
    sum.add(spec.key);
    return folder_ / (std::to_string(sum.value()) + ".ckpt");
  }

  std::span<const TrialSpec> specs_;
  std::size_t epochs_;
  TrialRecords& records_;
  const QueueOptions& options_;
  std::filesystem::path folder_;
  Stopwatch time_;
  std::size_t open_ = 0, workers_ = 0;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  QueueProgress progress_;
};

}  // namespace detail

/// Trains each trial until so many epochs are done in all, or its training is over, and records it;
/// what the records have already is not run again. Trials run side by side, each on its share of
/// the cores. The numbers do not depend on how many. A trial that is put aside, or that a kill
/// interrupts, goes on from its last checkpoint, if the records are in a file. A trial that
/// diverges is recorded as one that did.
///
/// @return whether all of them are on record; if not, time ran out or interrupted() said so
/// @throws what making or training a trial throws, once the others are put aside
inline bool run_trials(std::span<const TrialSpec> specs, std::size_t epochs, TrialRecords& records,
                       const QueueOptions& options = {}) {
  return detail::TrialQueue(specs, epochs, records, options).run();
}

}  // namespace prism::inline PRISM_ISA
