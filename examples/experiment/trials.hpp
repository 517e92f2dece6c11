// SPDX-License-Identifier: BSD-3-Clause
// Several trials of each model: lists of values, seeds, tuning.
#pragma once

#include "settings.hpp"

namespace experiment {

/// Runs every combination of the lists, or with --tune chooses among them, and prints a table with
/// means and standard deviations over the seeds. After SIGINT or SIGTERM, trials end with their
/// epoch and are put aside, for another run with the same --records to go on; the table has what
/// there is.
/// @return the exit status: 128 and the signal's number after one, 1 where trials diverged
int run_lists(const Settings& settings);

}  // namespace experiment
