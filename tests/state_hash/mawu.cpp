// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_mawu() {
  using namespace prism;
  train_each(MAWU{});
  train(mf(), MAWU{.broadcast = true}, {.note = ", broadcast"});
  train(mf(), MAWU{.pair_mean = PairMean::strict}, {.note = ", strict pair mean"});
}
