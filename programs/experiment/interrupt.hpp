// SPDX-License-Identifier: BSD-3-Clause
// SIGINT and SIGTERM end training after the current step, instead of ending the program.
#pragma once

namespace experiment {

/// From now on, keeps the first of these signals; a second one ends the program at once.
void catch_signals();

/// The signal caught; 0 if there was none.
[[nodiscard]] int caught_signal() noexcept;

}  // namespace experiment
