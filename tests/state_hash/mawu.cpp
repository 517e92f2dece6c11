// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_mawu() {
  using namespace prism;
  const MAWU loss{.gamma1 = 1, .gamma2 = 1};
  MAWU broadcast = loss, strict = loss;
  broadcast.broadcast = true;
  strict.pair_mean = PairMean::strict;
  train_each(loss);
  train(mf(), broadcast, {.note = ", broadcast"});
  train(mf(), strict, {.note = ", strict pair mean"});
}
