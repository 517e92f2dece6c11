// SPDX-License-Identifier: BSD-3-Clause
// Compiles the models with one loss on an execution.
#pragma once

#include <memory>
#include <utility>

#include "prism/experiment/spec_trial_with.hpp"
#include "prism/models/with_spec.hpp"

// On a CUDA device, in a file that is compiled as CUDA and includes on_device.hpp: under the name
// CudaDevice, which other files know, the models of that file's cuda::device().
#define PRISM_MODELS_ON_DEVICE(loss)                                                              \
  template <>                                                                                     \
  std::unique_ptr<prism::AnyRecommender> prism::make_model_with<prism::loss, prism::CudaDevice>(  \
      const CudaDevice&, const ModelSpec& spec, Interactions&& train) {                           \
    return make_model_with<loss>(cuda::device(), spec, std::move(train));                         \
  }                                                                                               \
  template <>                                                                                     \
  prism::TrialSpec prism::spec_trial_with<prism::loss, prism::CudaDevice>(                        \
      const CudaDevice&, const ModelSpec& spec, const TrialData& data, const FitOptions& options, \
      const Configuration& configuration) {                                                       \
    return spec_trial_with<loss>(cuda::device(), spec, data, options, configuration);             \
  }                                                                                               \
  static_assert(true)

#define PRISM_MODELS_WITH(loss, execution)                                                        \
  template std::unique_ptr<prism::AnyRecommender> prism::make_model_with<prism::loss, execution>( \
      const execution&, const prism::ModelSpec&, prism::Interactions&&);                          \
  template prism::TrialSpec prism::spec_trial_with<prism::loss, execution>(                       \
      const execution&, const prism::ModelSpec&, const prism::TrialData&,                         \
      const prism::FitOptions&, const prism::Configuration&)
