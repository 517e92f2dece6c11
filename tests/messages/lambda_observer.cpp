// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

// An observer that would never be called.
prism::History train(prism::Recommender<prism::MF<8>, prism::BPR>& model,
                     const prism::Split& split) {
  return prism::fit(model, split, {}, prism::Silent(), [](const prism::EpochRecord&) {});
}
