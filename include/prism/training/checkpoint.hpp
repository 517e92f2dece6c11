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
inline constexpr FileKind checkpoint_kind{"PRISMRUN", 11, "training checkpoint"};

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

PRISM_INLINE void write_progress(BinaryWriter& out, const RunProgress& progress);

[[nodiscard]] PRISM_INLINE RunProgress read_progress(BinaryReader& in);

/// The sizes that determine an epoch's batches.
struct EpochShape {
  std::size_t pairs, batch_size, steps_per_epoch;
};

/// @throws DataError  if the checkpoint's position is impossible for the run
PRISM_INLINE void check_position(const std::filesystem::path& path, const RunProgress& progress,
                                 std::uint64_t steps, const EpochShape& epoch);

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

#ifndef PRISM_COMPILED
#include "prism/training/checkpoint.inl.hpp"
#endif
