// SPDX-License-Identifier: BSD-3-Clause
// SIGINT and SIGTERM end training after the current step, instead of ending the program.
#pragma once

#include <prism/training/observer.hpp>

namespace experiment {

/// From now on, keeps the first of these signals; a second one ends the program at once.
void catch_signals();

/// The signal caught; 0 if there was none.
[[nodiscard]] int caught_signal() noexcept;

/// An observer that stops training once a signal is caught.
struct StopOnSignal {
  prism::StopRequest batch(const prism::EpochProgress&) const {
    return caught_signal() != 0 ? prism::StopRequest::stop : prism::StopRequest::none;
  }
};

}  // namespace experiment
