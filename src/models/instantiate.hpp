// SPDX-License-Identifier: BSD-3-Clause
// Compiles the models with one loss on an execution.
#pragma once

#include <memory>

#include "prism/experiment/spec_trial_with.hpp"
#include "prism/models/with_spec.hpp"

#define PRISM_MODELS_WITH(loss, execution)                                                        \
  template std::unique_ptr<prism::AnyRecommender> prism::make_model_with<prism::loss, execution>( \
      const execution&, const prism::ModelSpec&, prism::Interactions&&);                          \
  template prism::TrialSpec prism::spec_trial_with<prism::loss, execution>(                       \
      const execution&, const prism::ModelSpec&, const prism::TrialData&,                         \
      const prism::FitOptions&, const prism::Configuration&)
