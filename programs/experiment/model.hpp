// SPDX-License-Identifier: BSD-3-Clause
// The model and the training that a command line describes.
#pragma once

#include <memory>
#include <prism/experiment/search_space.hpp>
#include <prism/experiment/spec_trial.hpp>
#include <prism/models/any_recommender.hpp>
#include <prism/models/model_spec.hpp>
#include <prism/training/fit_options.hpp>

#include "settings.hpp"

namespace experiment {

[[nodiscard]] prism::ModelSpec model_spec(const Settings& settings, const ModelChoice& choice);
[[nodiscard]] prism::FitOptions fit_options(const Settings& settings);

/// Makes the model on the device that is chosen by name.
[[nodiscard]] std::unique_ptr<prism::AnyRecommender> make_model(const Settings& settings,
                                                                const ModelChoice& choice,
                                                                const prism::Interactions& train);

/// A trial of it.
[[nodiscard]] prism::TrialSpec trial(const Settings& settings, const ModelChoice& choice,
                                     const prism::Configuration& configuration,
                                     const prism::TrialData& data);

}  // namespace experiment
