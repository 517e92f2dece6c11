// SPDX-License-Identifier: BSD-3-Clause
// SIGINT and SIGTERM end training after the step, instead of the program.
#pragma once

#include <prism/training/observer.hpp>

namespace experiment {

/// From now on the first of these signals is kept; a second one ends the program at once.
void catch_signals();

/// The signal that has come; 0 before.
[[nodiscard]] int caught_signal() noexcept;

/// An observer that stops training where a signal has come.
struct StopOnSignal {
  prism::StopRequest batch(const prism::EpochProgress&) const {
    return caught_signal() != 0 ? prism::StopRequest::stop : prism::StopRequest::none;
  }
};

}  // namespace experiment
