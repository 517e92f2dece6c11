// SPDX-License-Identifier: BSD-3-Clause
// The checkpoint file: the settings of a training run, its progress, the optimizer's state, the
// weights, and those of the best epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/best_weights.hpp"
#include "prism/training/history.hpp"
#include "prism/training/run_settings.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Incremented with each change of the file's content or meaning.
inline constexpr FileKind checkpoint_kind{"PRISMRUN", 10, "training checkpoint"};

/// The progress of a training run, apart from the weights and the optimizer's state.
struct RunProgress {
  History history{};
  std::size_t pairs_done = 0;     ///< of the epoch after history's last
  double loss_sum = 0;            ///< over these pairs
  double epoch_seconds = 0;       ///< for these pairs
  std::size_t patience_from = 0;  ///< the epoch after which patience counts at the earliest
  std::vector<std::string> start_warnings{};  ///< about the rows before the first step
  /// The ranking's alpha or power before the run, if it chooses one.
  std::optional<double> first_choice{};
  /// Whether the model has the best epoch's weights. The store then has the last step's, from which
  /// training continues.
  bool has_best = false;

  /// Whether the last step's weights are the best epoch's.
  [[nodiscard]] bool at_best() const noexcept {
    return !has_best && pairs_done == 0 && history.best_epoch == history.epochs.size();
  }
};

inline void write_progress(BinaryWriter& out, const RunProgress& progress) {
  const auto count = [&](std::size_t value) { out.number(std::uint64_t{value}); };
  const auto flag = [&](bool value) { out.number(static_cast<std::uint8_t>(value)); };
  const auto optional = [&](const std::optional<double>& value) {
    flag(value.has_value());
    out.number(value.value_or(0));
  };
  const History& history = progress.history;
  count(history.epochs.size());
  for (const EpochRecord& record : history.epochs) {
    count(record.epoch);
    for (const double value : {record.loss, record.validation_ndcg, record.validation,
                               record.train_seconds, record.validate_seconds}) {
      out.number(value);
    }
    optional(record.validation_by_cosine);
    optional(record.chosen);
    flag(record.best);
    flag(record.validated);
  }
  count(history.steps_per_epoch);
  optional(history.initial_validation);
  count(history.best_epoch);
  out.number(history.best_validation_ndcg);
  out.number(history.best_validation);
  optional(history.best_chosen);
  out.number(history.seconds);
  out.number(static_cast<std::uint8_t>(history.stop_reason));
  for (const auto* warnings : {&history.warnings, &progress.start_warnings}) {
    count(warnings->size());
    for (const std::string& warning : *warnings) out.text(warning);
  }
  count(progress.pairs_done);
  out.number(progress.loss_sum);
  out.number(progress.epoch_seconds);
  count(progress.patience_from);
  optional(progress.first_choice);
  flag(progress.has_best);
}

[[nodiscard]] inline RunProgress read_progress(BinaryReader& in) {
  const auto count = [&] { return static_cast<std::size_t>(in.number<std::uint64_t>()); };
  const auto flag = [&] {
    const auto value = in.number<std::uint8_t>();
    if (value > 1) in.fail("has a boolean that is neither 0 nor 1");
    return value == 1;
  };
  const auto optional = [&]() -> std::optional<double> {
    const bool present = flag();
    const auto value = in.number<double>();
    return present ? std::optional(value) : std::nullopt;
  };
  RunProgress progress;
  History& history = progress.history;
  // Read one by one, so that a count beyond the file's end fails before it takes memory.
  for (std::size_t left = count(); left > 0; --left) {
    EpochRecord record{.epoch = count()};
    if (record.epoch != history.epochs.size() + 1) in.fail("has epochs out of order");
    for (double* value : {&record.loss, &record.validation_ndcg, &record.validation,
                          &record.train_seconds, &record.validate_seconds}) {
      *value = in.number<double>();
    }
    record.validation_by_cosine = optional();
    record.chosen = optional();
    record.best = flag();
    record.validated = flag();
    history.epochs.push_back(record);
  }
  history.steps_per_epoch = count();
  history.initial_validation = optional();
  history.best_epoch = count();
  if (history.best_epoch > history.epochs.size()) in.fail("has a best epoch after the last epoch");
  history.best_validation_ndcg = in.number<double>();
  history.best_validation = in.number<double>();
  history.best_chosen = optional();
  history.seconds = in.number<double>();
  const auto reason = in.number<std::uint8_t>();
  if (reason > static_cast<std::uint8_t>(StopReason::diverged)) {
    in.fail("has an unknown stop reason");
  }
  history.stop_reason = static_cast<StopReason>(reason);
  for (auto* warnings : {&history.warnings, &progress.start_warnings}) {
    for (std::size_t left = count(); left > 0; --left) warnings->push_back(in.text());
  }
  progress.pairs_done = count();
  progress.loss_sum = in.number<double>();
  progress.epoch_seconds = in.number<double>();
  progress.patience_from = count();
  progress.first_choice = optional();
  progress.has_best = flag();
  return progress;
}

/// The sizes that determine an epoch's batches.
struct EpochShape {
  std::size_t pairs, batch_size, steps_per_epoch;
};

/// @throws DataError  if the checkpoint's position is impossible for the run
inline void check_position(const std::filesystem::path& path, const RunProgress& progress,
                           std::uint64_t steps, const EpochShape& epoch) {
  const std::size_t done = progress.pairs_done;
  if (progress.history.steps_per_epoch != epoch.steps_per_epoch || done > epoch.pairs ||
      (done % epoch.batch_size != 0 && done != epoch.pairs)) {
    throw DataError(path.string(), 0, "has a position that is not at the end of a batch");
  }
  const std::size_t batches = done / epoch.batch_size + (done % epoch.batch_size > 0);
  if (steps != progress.history.epochs.size() * epoch.steps_per_epoch + batches) {
    throw DataError(path.string(), 0, "has a number of steps that does not match its epochs");
  }
}

/// Which weights of the best epoch are in the file.
enum class SavedBestWeights : std::uint8_t { none, own, same };  // `same` as the last step's

/// Writes a whole run. @param save_optimizer  called with the writer
template <class T, class SaveOptimizer>
void write_run(const std::filesystem::path& path, const std::vector<RunSetting>& settings,
               const RunProgress& progress, const SaveOptimizer& save_optimizer,
               const WeightSpans<T>& weights, WeightsStore<T>& best) {
  BinaryWriter out(path, checkpoint_kind);
  write_settings(out, settings);
  write_progress(out, progress);
  save_optimizer(out);
  write_weights(out, weights);
  const SavedBestWeights in_file = !best.keeps()        ? SavedBestWeights::none
                                   : progress.at_best() ? SavedBestWeights::same
                                                        : SavedBestWeights::own;
  out.number(static_cast<std::uint8_t>(in_file));
  if (in_file == SavedBestWeights::own) best.save(out, weights);
  out.publish();
}

/// Reads a whole run. @param load_optimizer  called with the reader; @param weights  overwritten
/// @throws DataError, ArgumentError  as TrainingSession::resume
template <class T, class LoadOptimizer>
[[nodiscard]] RunProgress read_run(const std::filesystem::path& path,
                                   const std::vector<RunSetting>& settings,
                                   const LoadOptimizer& load_optimizer,
                                   const WeightSpans<T>& weights, WeightsStore<T>& best) {
  BinaryReader in(path, checkpoint_kind);
  check_settings(in, path.string(), settings);
  RunProgress progress = read_progress(in);
  load_optimizer(in);
  read_weights(in, weights);
  const auto in_file = in.number<std::uint8_t>();
  if (in_file > static_cast<std::uint8_t>(SavedBestWeights::same))
    in.fail("has an unknown kind of best weights");
  require(in_file != static_cast<std::uint8_t>(SavedBestWeights::none) || !best.keeps(),
          "best_weights", "must be last: " + path.string() + " has no best weights");
  // Otherwise the weights that the run continues from would be lost.
  require(!progress.has_best || best.keeps(), "best_weights",
          "must not be last: " + path.string() + " was saved after the run had ended");
  if (in_file == static_cast<std::uint8_t>(SavedBestWeights::own)) best.load(in, weights);
  if (in_file == static_cast<std::uint8_t>(SavedBestWeights::same)) best.keep(weights);
  in.finish();
  return progress;
}

}  // namespace prism::inline PRISM_ISA::detail
