// SPDX-License-Identifier: BSD-3-Clause
// What is in the places of --json, --save and --checkpoint before anything is trained.
#pragma once

#include "settings.hpp"

namespace experiment {

/// Describes the settings in themselves, for saved models.
void describe(Settings& settings);

/// @throws prism::ArgumentError  where a record or a model of other settings would be replaced, or
///     there is a checkpoint and no --resume
/// @throws prism::DataError      where a file there is not what it would be replaced by
void check_output(const Settings& settings);

}  // namespace experiment
