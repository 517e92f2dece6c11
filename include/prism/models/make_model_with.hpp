// SPDX-License-Identifier: BSD-3-Clause
// Declares what prism::models compiles for each loss, in files of its own.
#pragma once

#include <memory>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/models/any_recommender.hpp"
#include "prism/models/model_spec.hpp"

namespace prism::inline PRISM_ISA {

/// Makes a model of this loss; make_model() chooses the loss by name. Defined in with_spec.hpp.
/// @param exec  where the model is made, trained and ranked
template <class Loss, Execution X>
[[nodiscard]] std::unique_ptr<AnyRecommender> make_model_with(const X& exec, const ModelSpec& spec,
                                                              Interactions&& train);

}  // namespace prism::inline PRISM_ISA
