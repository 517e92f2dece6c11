// SPDX-License-Identifier: BSD-3-Clause
// What a saved model records about its training, and when it is not replaced.
#pragma once

#include <optional>
#include <prism/serve/save_model.hpp>
#include <string>

#include "run.hpp"
#include "settings.hpp"

namespace experiment {

/// Notes of a run's model: settings, data, why training ended, how it ranked the validation set.
[[nodiscard]] prism::SavedNotes saved_notes(const Settings& settings, const Run& run);

/// The reason why a run's model is not saved; none if it is saved. A model is not saved if training
/// ended before it improved, or if a complete or better model of the same settings is there.
/// @throws prism::DataError  if the saved model there cannot be read
[[nodiscard]] std::optional<std::string> why_not_saved(const Settings& settings, const Run& run);

}  // namespace experiment
