// SPDX-License-Identifier: BSD-3-Clause
// The loss of a ModelSpec, by name.
#include "prism/models/make_model.hpp"

#include <memory>
#include <type_traits>
#include <utility>

#include "prism/core/error.hpp"
#include "prism/execution/host.hpp"
#include "prism/experiment/spec_trial.hpp"
#include "prism/models/make_model_with.hpp"
#include "prism/models/policies.hpp"
#include "prism/models/types.hpp"

namespace prism::inline PRISM_ISA {

std::unique_ptr<AnyRecommender> make_model(const Host<>& exec, const ModelSpec& spec,
                                           Interactions train) {
  std::unique_ptr<AnyRecommender> model;
  choose(all::Losses{}, "loss", spec.loss, [&]<class Loss>(std::type_identity<Loss>) {
    model = make_model_with<Loss>(exec, spec, std::move(train));
  });
  return model;
}

std::unique_ptr<AnyRecommender> make_model(const ModelSpec& spec, Interactions train) {
  return make_model(par, spec, std::move(train));
}

TrialSpec spec_trial(const ModelSpec& spec, const TrialData& data, const FitOptions& fit,
                     const Configuration& configuration) {
  TrialSpec trial;
  choose(all::Losses{}, "loss", spec.loss, [&]<class Loss>(std::type_identity<Loss>) {
    trial = spec_trial_with<Loss>(par, spec, data, fit, configuration);
  });
  return trial;
}

}  // namespace prism::inline PRISM_ISA
