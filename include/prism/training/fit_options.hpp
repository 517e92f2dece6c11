// SPDX-License-Identifier: BSD-3-Clause
// How a model is trained, and when training stops.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/real_path.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/training/history.hpp"
#include "prism/training/metric.hpp"
#include "prism/training/schedule.hpp"

namespace prism {

/// When the training pairs are shuffled.
enum class Shuffle {
  every_epoch,
  once,  ///< before the first epoch only: every epoch has the same batches
};

/// Where the weights of the best epoch are kept until training ends.
enum class BestWeights {
  in_memory,  ///< a second copy of all weights, in the model's memory resource
  on_disk,    ///< in a file, FitOptions::best_weights_path; read back at the end
  last,       ///< nowhere: the model ends with the last step's, even if training diverges
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// When a run writes a checkpoint for TrainingSession::resume.
struct CheckpointOptions {
  std::filesystem::path path{};  ///< empty: never. A complete new file replaces the previous one
  std::size_t every_epochs = 1;  ///< 0: after no epoch except the last
  std::size_t every_steps = 0;   ///< 0: not within epochs
};

/// How settings describe a learning rate that is left unset: the rule that determines it, with a
/// version, so that records of trials under different rules are not confused.
[[nodiscard]] constexpr const char* default_rate_rule(bool dot_product_logits,
                                                      bool ranked_by_popularity) {
  if (dot_product_logits) return "default of dot products, rule 1";
  return ranked_by_popularity ? "default of magnitudes from popularity, rule 1" : "default, rule 3";
}

/// Options of fit() and TrainingSession.
struct FitOptions {
  /// Above 0. If unset, it is derived from the embedding rows and the loss, see default_rate.hpp.
  /// From small magnitudes, such as Xavier's, at 64 dimensions: 0.03 in epochs of up to 100
  /// steps, 300 / steps^2 in longer ones, but at least 0.001; 0.001 under a loss of dot products;
  /// 0.01 if the model ranks items with magnitudes from popularity, whatever the rows' own.
  /// From large magnitudes, such as PRISM's: the learning rate that turns a row by 0.003 radians
  /// per step, about 0.002.
  std::optional<double> learning_rate{};
  std::size_t batch_size = 4096;  ///< pairs per step, at least 1; an epoch's last may be smaller
  /// Maximum, at least 1; default_epochs if unset. Without a validation set it must be given,
  /// unless `stop` is set, because nothing else would end training.
  std::optional<std::size_t> epochs{};
  static constexpr std::size_t default_epochs = 1000;
  /// Epochs without an improvement in validation before training stops. With a PlateauSchedule
  /// it counts from the last reduction of the learning rate.
  std::size_t patience = 10;
  /// Patience counts only epochs that begin after this many steps. PRISM's rows are long and turn
  /// slowly under Adam: until then, validation may not have begun to rise.
  std::size_t min_steps = 1000;
  std::size_t k = 20;  ///< length of the top-k lists in validation
  /// Epochs from one validation to the next, at least 1. Patience runs out, and the learning rate
  /// of a PlateauSchedule is reduced, only after epochs that are validated. When training ends
  /// after an epoch, for whatever reason, that epoch is validated too.
  std::size_t validate_every = 1;
  /// Model::shuffle, where the model type has it (Released), takes precedence.
  Shuffle shuffle = Shuffle::every_epoch;
  /// A factor on learning_rate for each step, see schedule.hpp. If unset: constant if learning_rate
  /// is given; under a loss of dot products a PlateauSchedule, or constant without a validation
  /// set; under other losses constant from large magnitudes and where popularity gives the
  /// magnitudes of the ranking, and from small ones a PlateauSchedule, or a CosineSchedule without
  /// a validation set.
  std::optional<Schedule> schedule{};
  /// Also ranks the validation set by cosine after each validated epoch, for
  /// EpochRecord::validation_by_cosine: the quality that angles alone give. The weights, the best
  /// epoch and when training stops do not depend on it.
  bool validate_by_cosine = false;
  Metric metric{};  ///< the number of the validation report to maximise: NDCG@k
  /// Called after each epoch, if set: returning true stops training. EpochRecord::validated says
  /// whether an epoch's `validation` has been measured, see validate_every.
  std::function<bool(const History&)> stop{};
  BestWeights best_weights = BestWeights::in_memory;
  /// For BestWeights::on_disk. The file is not removed; once the model has the best epoch's
  /// weights, the file holds those of the last step, from which training may continue.
  std::filesystem::path best_weights_path{};
  CheckpointOptions checkpoint{};
};

namespace detail {

/// For at least one pair.
[[nodiscard]] constexpr std::size_t steps_per_epoch(std::size_t pairs,
                                                    std::size_t batch_size) noexcept {
  return 1 + (pairs - 1) / batch_size;
}

/// The steps of so many epochs, or the largest number.
[[nodiscard]] constexpr std::size_t all_steps(std::size_t epochs,
                                              std::size_t steps_per_epoch) noexcept {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  return epochs > largest / steps_per_epoch ? largest : epochs * steps_per_epoch;
}

/// Whether two paths name the same file, whether or not it exists.
inline bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const std::filesystem::path real_a = real_path(a, error), real_b = real_path(b, error);
  return error ? a == b : real_a == real_b;
}

/// @throws ArgumentError  if a checkpoint would overwrite the best weights
inline void check_checkpoint_path(const FitOptions& options, const std::filesystem::path& path) {
  require(
      options.best_weights != BestWeights::on_disk || !same_file(options.best_weights_path, path),
      "best_weights_path", "must not be the same file as the checkpoint");
}

/// @throws ArgumentError  for an option outside its domain, or a split of another shape
/// @param model  the interactions that the model was made with
PRISM_INLINE void check(const FitOptions& options, const Split& split, const Interactions& model);

}  // namespace detail
}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/training/fit_options.inl.hpp"
#endif
