// SPDX-License-Identifier: BSD-3-Clause
// Functions that stop_rules.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/checkpoint.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/stop_rules.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE StopReason stop_reason(const FitOptions& options, std::size_t epochs,
                                    const History& history, std::size_t patience_from) {
  const std::size_t epoch = history.epochs.size(), steps = history.steps_per_epoch;
  const std::size_t first_epochs = options.min_steps / steps + (options.min_steps % steps > 0);
  const bool validated = !history.epochs.empty() && history.epochs.back().validated;
  if (const auto schedule_from = options.schedule->patience_from(history);
      schedule_from && validated) {
    const std::size_t from =
        std::max({history.best_epoch, first_epochs, patience_from, *schedule_from});
    if (epoch >= from && epoch - from >= options.patience) return StopReason::patience;
  }
  return epoch >= epochs ? StopReason::epochs : StopReason::none;
}

PRISM_INLINE std::vector<std::string> warnings(std::vector<std::string> found,
                                               const History& history, std::uint64_t steps,
                                               bool keeps_best) {
  const std::size_t epochs = history.epochs.size();
  // Epochs that were validated, in all and up to the best.
  std::size_t validated = 0, best_place = 0;
  for (const EpochRecord& record : history.epochs) {
    if (record.validated) ++validated;
    if (record.epoch == history.best_epoch) best_place = validated;
  }
  if (validated > 0 && history.best_epoch == 0) {
    found.push_back("none of " + std::to_string(validated) +
                    (validated < epochs ? " validated" : "") +
                    " epochs ranked better than the initial model" +
                    (keeps_best ? ", whose weights were restored" : ""));
  } else if (validated > 2 && best_place <= 2) {
    found.push_back(
        "the best epoch is " + std::to_string(history.best_epoch) + " of " +
        std::to_string(epochs) +
        ": further training did not improve the ranking; another learning rate or loss may");
  }
  // To twice the first epoch's loss, and by at least 1.
  const double first_loss = epochs > 0 ? history.epochs.front().loss : 0;
  const double last_loss = epochs > 0 ? history.epochs.back().loss : 0;
  const bool rose = last_loss - first_loss > std::max(std::abs(first_loss), 1.0);
  if (rose) {
    found.push_back("the loss rose from " + format_number(first_loss) + " in epoch 1 to " +
                    format_number(last_loss) + " in epoch " + std::to_string(epochs) +
                    ": training is unstable; a lower learning_rate, or smaller initial rows, may "
                    "help");
  }
  constexpr std::size_t few_steps = 50;
  const bool by_itself =
      history.stop_reason != StopReason::observer && history.stop_reason != StopReason::diverged;
  if ((by_itself && steps < few_steps) ||
      (history.stopped_early() && history.steps_per_epoch < few_steps &&
       steps < FitOptions{}.min_steps)) {
    found.push_back("training stopped after " + std::to_string(steps) + " steps, " +
                    std::to_string(history.steps_per_epoch) +
                    " per epoch, perhaps before the model began to learn; " +
                    (history.stop_reason == StopReason::patience ? "more patience or min_steps"
                                                                 : "more epochs") +
                    ", a smaller batch_size" + (rose ? "" : " or a higher learning_rate") +
                    " may help");
  }
  if (epochs > 0 && std::ranges::all_of(history.epochs, [](const EpochRecord& record) {
        return record.loss == 0;
      })) {
    found.push_back(
        "the loss was 0 in every epoch, perhaps because no pair has a negative: another sampler or "
        "mask, or a larger batch_size may help");
  }
  return found;
}

PRISM_INLINE StopReason resumed_stop_reason(const FitOptions& options, std::size_t epochs,
                                            const RunProgress& progress) {
  const History& history = progress.history;
  const StopReason saved = history.stop_reason;
  if (saved == StopReason::rule || saved == StopReason::diverged) return saved;
  if (progress.pairs_done > 0 || history.epochs.empty()) return StopReason::none;
  return stop_reason(options, epochs, history, progress.patience_from);
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
