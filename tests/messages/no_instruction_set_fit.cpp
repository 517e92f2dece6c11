// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <prism/execution/host.hpp>
#include <prism/training/fit.hpp>

// As no_instruction_set.cpp, where training begins.
void train(prism::Recommender<prism::MF<8>, prism::BPR>& model, const prism::Split& split) {
  prism::fit(prism::host<prism::isa::avx2>, model, split, {.epochs = 1}, prism::Silent());
}
