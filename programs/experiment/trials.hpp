// SPDX-License-Identifier: BSD-3-Clause
// Several trials of each model: lists of values, seeds, tuning.
#pragma once

#include "settings.hpp"

namespace experiment {

/// Runs every combination of the lists, or with --tune chooses among them, and prints a table with
/// means and standard deviations over the seeds. After SIGINT or SIGTERM, trials are paused at the
/// end of their epoch, so that another run with the same --records can resume them; the table has
/// the results so far.
/// @return the exit status: 128 plus the signal's number after a signal, 1 if trials of the table
///     diverged
int run_lists(const Settings& settings);

}  // namespace experiment
