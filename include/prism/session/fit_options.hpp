// SPDX-License-Identifier: BSD-3-Clause
// How a model is trained, and when training stops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/session/history.hpp"
#include "prism/session/metric.hpp"
#include "prism/session/schedule.hpp"

namespace prism {

/// When the order of the training pairs is drawn anew.
enum class Shuffle {
  every_epoch,
  once,  ///< before the first epoch: every epoch has the same batches
};

/// Where the weights of the best epoch are kept until training ends.
enum class BestWeights {
  in_memory,  ///< a second copy of all weights, in the model's memory resource
  on_disk,    ///< in a file, FitOptions::best_weights_path; read back at the end
  last,       ///< nowhere: the model ends with the last epoch's, also where training diverges
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// When a run writes a checkpoint that TrainingSession::resume goes on from.
struct CheckpointOptions {
  std::filesystem::path path{};  ///< empty: never. A file there is replaced, once the new is whole
  std::size_t every_epochs = 1;  ///< 0: not after epochs, but for the last
  std::size_t every_steps = 0;   ///< 0: not within epochs
};

struct FitOptions {
  double learning_rate = 1e-3;    ///< above 0
  std::size_t batch_size = 4096;  ///< pairs a step, at least 1; the last of an epoch is smaller
  std::size_t epochs = 1000;      ///< at most, at least 1
  std::size_t patience = 10;      ///< epochs without a better validation before stopping
  /// Patience counts the epochs that begin after so many steps. PRISM's rows are long and turn
  /// slowly under Adam: before that its validation may not have begun to rise.
  std::size_t min_steps = 1000;
  std::size_t k = 20;  ///< length of the lists that validation ranks
  Shuffle shuffle = Shuffle::every_epoch;
  Schedule schedule{};  ///< a factor on learning_rate for each step, see schedule.hpp
  Metric metric{};      ///< which number of the validation's report is to become greater: NDCG@k
  /// Asked after each epoch, if there is one: true stops training.
  std::function<bool(const History&)> stop{};
  BestWeights best_weights = BestWeights::in_memory;
  std::filesystem::path best_weights_path{};  ///< for BestWeights::on_disk; the file stays
  CheckpointOptions checkpoint{};
};

namespace detail {

/// @throws ArgumentError  for an option outside its domain, or a split of another shape
inline void check(const FitOptions& options, const Interactions& train, const Interactions& model) {
  require_positive("learning_rate", options.learning_rate);
  require_at_least_one("batch_size", options.batch_size);
  require_at_least_one("epochs", options.epochs);
  require_at_least_one("patience", options.patience);
  require_at_least_one("k", options.k);
  options.schedule.check();
  require(options.best_weights != BestWeights::on_disk || !options.best_weights_path.empty(),
          "best_weights_path", "must name a file where best_weights is on_disk");
  require(options.best_weights_path.empty() || options.best_weights_path != options.checkpoint.path,
          "best_weights_path", "must not be the file of the checkpoint");
  bool same = train.users() == model.users() && train.items() == model.items() &&
              train.size() == model.size();
  for (std::size_t k = 0; same && k < train.size(); ++k) same = train[k] == model[k];
  require(same, "split", "must have the training part that the model was made with");
  require(train.size() < max_rows, "split.train", "must have fewer than 2^32 - 1 interactions");
  require(!train.empty(), "split.train", "has no interactions to learn from");
}

/// Why training ends after the last epoch of a history, if it does.
inline StopReason stop_reason(const FitOptions& options, const History& history) {
  const std::size_t epoch = history.epochs.size();
  const std::size_t impatient_after =
      (options.min_steps + history.steps_per_epoch - 1) / history.steps_per_epoch;
  if (epoch >= std::max(history.best_epoch, impatient_after) + options.patience) {
    return StopReason::patience;
  }
  if (options.stop && options.stop(history)) return StopReason::rule;
  return epoch >= options.epochs ? StopReason::epochs : StopReason::none;
}

/// What speaks against a run's having learnt anything.
inline std::vector<std::string> warnings(const History& history, bool has_validation) {
  std::vector<std::string> found;
  const std::size_t epochs = history.epochs.size(), steps = epochs * history.steps_per_epoch;
  if (has_validation && epochs > 2 && history.best_epoch <= 2) {
    found.push_back("the best epoch is " + std::to_string(history.best_epoch) + " of " +
                    std::to_string(epochs) +
                    ": training has made the ranking no better; another learning rate, or loss, "
                    "may");
  }
  constexpr std::size_t few_steps = 50;
  if (history.stopped_early && history.steps_per_epoch < few_steps &&
      steps < FitOptions{}.min_steps) {
    found.push_back("stopped after " + std::to_string(steps) + " steps, " +
                    std::to_string(history.steps_per_epoch) +
                    " an epoch: it may not have begun to learn; more patience or min_steps, a "
                    "smaller batch_size or a greater learning_rate may help");
  }
  return found;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
