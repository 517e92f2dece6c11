// SPDX-License-Identifier: BSD-3-Clause
// Several trials of each model: lists of values, seeds, tuning.
#pragma once

#include "settings.hpp"

namespace experiment {

/// Runs every combination of the lists, or with --tune chooses among them, and prints a table with
/// means and standard deviations over the seeds.
/// @return the exit status: 1 where trials were interrupted or diverged
int run_lists(const Settings& settings);

}  // namespace experiment
