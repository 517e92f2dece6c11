// SPDX-License-Identifier: BSD-3-Clause
// Checks the places that --json, --save and --checkpoint name, before anything is trained.
#pragma once

#include <prism/data/split_parts.hpp>
#include <prism/experiment/json.hpp>

#include "settings.hpp"

namespace experiment {

/// Writes descriptions of settings and data into the settings, for saved models.
void describe(Settings& settings, const prism::Split& split);

/// Checks the outputs, then creates the folders of --save and --checkpoint.
/// @return an array: the runs of the record that --json names, of the same settings and data
/// @throws prism::ArgumentError  if a record or a model of other settings or data would be
///     replaced, or there is a checkpoint and no --resume
/// @throws prism::DataError      if an existing file is not of the kind that would replace it
[[nodiscard]] prism::Json check_output(const Settings& settings, const prism::Split& split);

}  // namespace experiment
