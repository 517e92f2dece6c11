// SPDX-License-Identifier: BSD-3-Clause
// Trials of the models that the library prism::models has compiled.
#pragma once

#include <memory>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/models/model_spec.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

/// The data of a trial, shared by many.
struct TrialData {
  std::shared_ptr<const Split> split;
  std::string split_text;  ///< describe_split(*split)
};

/// A trial of a model by the names of its policies; see trial_of(). On the host's threads.
/// @param configuration  the hyperparameters that spec and fit have been given
/// @throws ArgumentError  as make_model() and trial_of()
[[nodiscard]] TrialSpec spec_trial(const ModelSpec& spec, const TrialData& data,
                                   const FitOptions& fit, const Configuration& configuration);

/// The trial of a model of this loss; spec_trial() chooses the loss by name. Defined in
/// spec_trial_with.hpp.
template <class Loss, Execution X>
[[nodiscard]] TrialSpec spec_trial_with(const X& exec, const ModelSpec& spec, const TrialData& data,
                                        const FitOptions& fit, const Configuration& configuration);

}  // namespace prism::inline PRISM_ISA
