// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <prism/execution/host.hpp>

// The baseline of x86-64, for which this is compiled, has no AVX2.
prism::History train(prism::Recommender<prism::MF<8>, prism::BPR>& model,
                     const prism::Split& split) {
  return prism::fit(prism::host<prism::isa::avx2>, model, split, {}, prism::Silent());
}
