// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

// A number instead of an observer.
prism::History train(prism::Recommender<prism::MF<8>, prism::BPR>& model,
                     const prism::Split& split) {
  return prism::fit(model, split, {}, 42, "hello");
}
