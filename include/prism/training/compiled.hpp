// SPDX-License-Identifier: BSD-3-Clause
// The templates of this folder that prism::compiled instantiates, for float on the host's threads.
#pragma once

#ifndef PRISM_COMPILED
#error "only for prism::compiled"
#endif

#include "prism/core/config.hpp"
#include "prism/execution/host.hpp"
#include "prism/training/batch_builder.hpp"
#include "prism/training/training_loop.hpp"

namespace prism::inline PRISM_ISA {

PRISM_EXTERN_TEMPLATE class TrainingLoop<float>;
PRISM_EXTERN_TEMPLATE Batch BatchBuilder::build(const Host<>&, std::span<const Interaction>,
                                                const BatchNegatives&, bool);

}  // namespace prism::inline PRISM_ISA
