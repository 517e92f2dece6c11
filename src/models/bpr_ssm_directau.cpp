// SPDX-License-Identifier: BSD-3-Clause
// The models with these losses. A few losses to a file: files compile in parallel, and what all
// models share is not compiled for each loss.
#include "instantiate.hpp"
#include "prism/execution/host.hpp"

PRISM_MODELS_WITH(BPR, prism::Host<>);
PRISM_MODELS_WITH(SSM, prism::Host<>);
PRISM_MODELS_WITH(DirectAU, prism::Host<>);
