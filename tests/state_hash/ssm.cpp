// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_ssm() {
  using namespace prism;
  train_each(SSM{});
  train_each_sampler(SSM{});
  train<double>(mlp(), SSM{}, {.note = ", double"});
}
