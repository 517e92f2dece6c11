// SPDX-License-Identifier: BSD-3-Clause
// What is in the places of --json, --save and --checkpoint before anything is trained.
#pragma once

#include <prism/data/split_parts.hpp>
#include <prism/experiment/json.hpp>

#include "settings.hpp"

namespace experiment {

/// Describes settings and data in the settings, for saved models.
void describe(Settings& settings, const prism::Split& split);

/// Makes the folders of --save and --checkpoint, if all is well.
/// @return the runs of the record that --json names, of the same settings and data; an array
/// @throws prism::ArgumentError  where a record or a model of other settings or data would be
///     replaced, or there is a checkpoint and no --resume
/// @throws prism::DataError      where a file there is not what it would be replaced by
[[nodiscard]] prism::Json check_output(const Settings& settings, const prism::Split& split);

}  // namespace experiment
