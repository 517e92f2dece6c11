// SPDX-License-Identifier: BSD-3-Clause
// Declares the models on a CUDA device, which files that are compiled as CUDA define, each for a
// loss (PRISM_MODELS_ON_DEVICE in instantiate.hpp).
#pragma once

#include <memory>

#include "prism/experiment/spec_trial_with.hpp"
#include "prism/models/make_model_with.hpp"
#include "prism/models/policies.hpp"

#define PRISM_DECLARE_ON_DEVICE(loss)                                                            \
  template <>                                                                                    \
  std::unique_ptr<prism::AnyRecommender> prism::make_model_with<prism::loss, prism::CudaDevice>( \
      const CudaDevice&, const ModelSpec&, Interactions&&);                                      \
  template <>                                                                                    \
  prism::TrialSpec prism::spec_trial_with<prism::loss, prism::CudaDevice>(                       \
      const CudaDevice&, const ModelSpec&, const TrialData&, const FitOptions&,                  \
      const Configuration&)

PRISM_DECLARE_ON_DEVICE(BPR);
PRISM_DECLARE_ON_DEVICE(SSM);
PRISM_DECLARE_ON_DEVICE(DirectAU);
PRISM_DECLARE_ON_DEVICE(MAWU);
PRISM_DECLARE_ON_DEVICE(MACR);
PRISM_DECLARE_ON_DEVICE(BSL);
PRISM_DECLARE_ON_DEVICE(PSL);
PRISM_DECLARE_ON_DEVICE(SLK);
PRISM_DECLARE_ON_DEVICE(CCL);
PRISM_DECLARE_ON_DEVICE(UltraGCN);
PRISM_DECLARE_ON_DEVICE(Cosine);
PRISM_DECLARE_ON_DEVICE(Dot);
PRISM_DECLARE_ON_DEVICE(Euclidean);

#undef PRISM_DECLARE_ON_DEVICE
