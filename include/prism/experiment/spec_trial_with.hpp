// SPDX-License-Identifier: BSD-3-Clause
// The trials of all models of one loss, for the files of prism::models.
#pragma once

#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/spec_trial.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/models/model_spec.hpp"
#include "prism/models/with_spec.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

template <class Loss, Execution X>
TrialSpec spec_trial_with(const X& exec, const ModelSpec& spec, const TrialData& data,
                          const FitOptions& fit, const Configuration& configuration) {
  TrialSpec trial;
  with_spec<Loss>(spec, [&]<class Model>(typename Model::Options&& options) {
    trial =
        trial_of<Model>(exec, data.split, data.split_text, std::move(options), fit, configuration);
  });
  return trial;
}

}  // namespace prism::inline PRISM_ISA
