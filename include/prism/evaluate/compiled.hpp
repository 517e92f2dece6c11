// SPDX-License-Identifier: BSD-3-Clause
// The templates of this folder that prism::compiled instantiates, for float on the host's threads.
#pragma once

#ifndef PRISM_COMPILED
#error "only for prism::compiled"
#endif

#include "prism/core/config.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/execution/host.hpp"

namespace prism::inline PRISM_ISA {

PRISM_EXTERN_TEMPLATE RankedLists ranked_lists(const Host<>&, const Scorer<float>&,
                                               const Interactions&, const EvaluateOptions&);
PRISM_EXTERN_TEMPLATE Report evaluate(const Host<>&, const Scorer<float>&, const Interactions&,
                                      const EvaluateOptions&);

}  // namespace prism::inline PRISM_ISA
