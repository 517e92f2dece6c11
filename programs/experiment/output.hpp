// SPDX-License-Identifier: BSD-3-Clause
// What experiment writes: --json and --report. Checks the places that these, --save and
// --checkpoint name, before anything is trained.
#pragma once

#include <prism/data/split_parts.hpp>
#include <prism/experiment/json.hpp>
#include <string>
#include <vector>

#include "run.hpp"
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

/// An HTML page with a record: curves, strata, magnitudes against popularity, settings. It needs no
/// other file.
[[nodiscard]] std::string report_of(const prism::Json& record);

/// Writes --json and --report; each file is either complete or unchanged.
/// @param before  array of the runs in the record that is replaced
/// @throws prism::DataError  if a file cannot be written
void write_output(const Settings& settings, const prism::Split& split, const std::vector<Run>& runs,
                  const prism::Json& before);

}  // namespace experiment
