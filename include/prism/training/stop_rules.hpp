// SPDX-License-Identifier: BSD-3-Clause
// When training is over, when it writes a checkpoint, and which warnings it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/training/checkpoint.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The reason why training ends after the last epoch of a history; `none` if it continues. Does not
/// call FitOptions::stop.
/// @param epochs         at most
/// @param patience_from  the epoch after which patience counts at the earliest
PRISM_INLINE StopReason stop_reason(const FitOptions& options, std::size_t epochs,
                                    const History& history, std::size_t patience_from);

/// Signs that a run has not learnt anything.
/// @param found       the warnings at its start
/// @param keeps_best  whether the model has the best epoch's weights in the end
PRISM_INLINE std::vector<std::string> warnings(std::vector<std::string> found,
                                               const History& history, std::uint64_t steps,
                                               bool keeps_best);

/// The reason why a resumed run is over, under options that may have changed since it was saved;
/// `none` if it continues.
PRISM_INLINE StopReason resumed_stop_reason(const FitOptions& options, std::size_t epochs,
                                            const RunProgress& progress);

/// Whether a checkpoint is to be written after a step.
inline bool checkpoint_due(const CheckpointOptions& when, const StepRecord& record, bool finished) {
  const auto every = [](std::uint64_t count, std::size_t n) { return n > 0 && count % n == 0; };
  return !when.path.empty() &&
         (finished || (record.epoch_ended && every(record.epoch, when.every_epochs)) ||
          (record.pairs > 0 && every(record.step, when.every_steps)));
}

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/training/stop_rules.inl.hpp"
#endif
