// SPDX-License-Identifier: BSD-3-Clause
// The candidates among which experiment and reproduce choose.
#pragma once

#include <cstdint>
#include <functional>
#include <prism/experiment/candidates.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "settings.hpp"

namespace experiment {

/// A model with each combination of values from the lists that it reads.
/// @param name  the model's; one candidate of each name is chosen
/// @param data  returns the split of a seed; called when a trial is made
[[nodiscard]] inline std::vector<prism::Candidate> candidates(
    const Settings& settings, const ModelChoice& model, const std::string& name,
    const std::function<const prism::TrialData&(std::uint64_t seed)>& data) {
  std::vector<prism::Candidate> all;
  for (const Combination& combination : combinations(settings, model)) {
    const auto trial_of_seed = [=](std::uint64_t seed) {
      Settings seeded = combination.settings;
      seeded.seed = seed;
      return trial(seeded, model, combination.configuration, data(seed));
    };
    all.push_back(
        {.model = name, .configuration = combination.configuration, .trial = trial_of_seed});
  }
  return all;
}

}  // namespace experiment
