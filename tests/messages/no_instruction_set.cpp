// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <prism/execution/host.hpp>

// The baseline of x86-64, for which this is compiled, has no AVX2.
prism::Recommender<prism::MF<8>, prism::BPR> model(prism::host<prism::isa::avx2>,
                                                   prism::Interactions(1, 1, {}));
