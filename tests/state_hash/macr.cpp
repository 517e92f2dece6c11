// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_macr() {
  using namespace prism;
  train_each(MACR{});
  rank(*train(mf(), MACR{.negatives = 2}, {.note = ", 2 negatives"}));
}
