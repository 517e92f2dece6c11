// SPDX-License-Identifier: BSD-3-Clause
// What happened during training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"

namespace prism {

/// Why training is over.
enum class StopReason {
  none,      ///< it is not over
  epochs,    ///< all of FitOptions::epochs are done
  patience,  ///< validation has not improved for FitOptions::patience epochs
  rule,      ///< FitOptions::stop returned true
  observer,  ///< an observer asked for it
  diverged,  ///< a loss or a weight was no longer finite
};

/// "patience"
[[nodiscard]] constexpr const char* name_of(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::epochs:
      return "epochs";
    case StopReason::patience:
      return "patience";
    case StopReason::rule:
      return "rule";
    case StopReason::observer:
      return "observer";
    case StopReason::diverged:
      return "diverged";
  }
  return "none";
}

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// A step of TrainingSession.
struct StepRecord {
  std::uint64_t step = 0;    ///< from 1, since training began
  std::size_t epoch = 0;     ///< from 1
  std::size_t pairs = 0;     ///< trained on in this step; 0 if only the epoch's end was left
  double loss = 0;           ///< mean over these pairs, without weight decay
  double learning_rate = 0;  ///< including the schedule's factor
  bool epoch_ended = false;  ///< the history has a new epoch
};

/// What is known about an epoch after its last step.
struct EpochRecord {
  std::size_t epoch = 0;       ///< from 1
  double loss = 0;             ///< mean over the epoch's pairs, without weight decay
  double validation_ndcg = 0;  ///< NDCG@k by dot product; 0 if the epoch is not validated
  double train_seconds = 0;
  double validate_seconds = 0;
  bool best = false;      ///< better than each validated before, and than initial_validation
  double validation = 0;  ///< FitOptions::metric of the validation set; 0 if not validated
  /// The metric of `validation`, ranked by cosine; set with FitOptions::validate_by_cosine.
  std::optional<double> validation_by_cosine{};
  /// Whether the validation set was ranked: not without one, nor in the epochs that
  /// FitOptions::validate_every leaves out.
  bool validated = true;
  /// The value of Ranking::alphas or powers that ranked the validation set best: `validation` and
  /// `validation_ndcg` are with it. Unset if the ranking chooses none.
  std::optional<double> chosen{};
};

/// What has happened in a training.
struct History {
  std::vector<EpochRecord> epochs{};
  std::size_t steps_per_epoch = 0;
  /// Of the options, or the default that followed from model and data; its schedule multiplies it.
  double learning_rate = 0;
  /// FitOptions::metric of the weights that a trained model began with; unset if the model was not
  /// trained before, or without a validation set.
  std::optional<double> initial_validation{};
  /// The epoch whose weights the model has in the end; 0 if none was better than the weights that a
  /// trained model began with, or none has been validated. Without a validation set it is the last
  /// epoch that has ended. Then, and with BestWeights::last, the model has the weights of the last
  /// step.
  std::size_t best_epoch = 0;
  double best_validation_ndcg = 0;
  double seconds = 0;  ///< wall clock, validation included
  /// Signs that the run has not learnt: initial rows that saturate the loss, a best epoch of 0, 1
  /// or 2, or a stop after few steps. The first is present from the start.
  std::vector<std::string> warnings{};
  /// FitOptions::metric of the best epoch; initial_validation if best_epoch is 0.
  double best_validation = 0;
  /// Its alpha or power, see EpochRecord::chosen. The model's ranking has it in the end, unless the
  /// last step's weights are kept (BestWeights::last): then that of the last validation.
  std::optional<double> best_chosen{};
  StopReason stop_reason = StopReason::none;

  /// Whether patience ran out before the epochs did.
  [[nodiscard]] bool stopped_early() const noexcept { return stop_reason == StopReason::patience; }
};

}  // namespace prism::inline PRISM_ISA
