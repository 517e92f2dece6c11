// SPDX-License-Identifier: BSD-3-Clause
// Functions that schedule.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/angles.hpp"
#include "prism/training/history.hpp"
#include "prism/training/schedule.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE double CosineSchedule::operator()(const StepPosition& at) const noexcept {
  if (at.step < warm_up) return WarmUpSchedule{warm_up}(at);
  const std::size_t first = std::max<std::size_t>(warm_up, 1);
  const double length = static_cast<double>(std::max(at.steps, first) - first) + 1;
  const double done = std::min(1.0, static_cast<double>(at.step - first) / length);
  return floor + (1 - floor) * (1 + elementary::cos(std::numbers::pi * done)) / 2;
}

PRISM_INLINE PlateauSchedule::Reduced PlateauSchedule::reduced(const History& history) const {
  Reduced done;
  const std::size_t per_epoch = std::max<std::size_t>(history.steps_per_epoch, 1);
  const auto epochs_of = [=](std::size_t steps) {
    return steps / per_epoch + (steps % per_epoch > 0);
  };
  const std::size_t epochs = std::max(patience, epochs_of(patience_steps));
  std::size_t from = epochs_of(min_steps);
  for (const EpochRecord& record : history.epochs) {
    if (done.times == reductions) break;
    if (record.best) from = std::max(from, record.epoch);
    if (!record.validated || record.epoch < from || record.epoch - from < epochs) continue;
    from = done.epoch = record.epoch;
    ++done.times;
  }
  return done;
}

PRISM_INLINE double Schedule::factor(const StepPosition& at, const History& history) const {
  const double factor = factor_(at, history);
  require(detail::is_finite(factor) && factor >= 0, "schedule",
          "must be a finite number of at least 0 at each step, not " + format_number(factor) +
              " at step " + std::to_string(at.step));
  return factor;
}

}  // namespace prism::inline PRISM_ISA
