// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_similarities() {
  using namespace prism;
  train_each(Cosine{});
  train_each(Dot{});
  train_each(Euclidean{});
}
