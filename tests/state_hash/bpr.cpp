// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_bpr() {
  using namespace prism;
  train_each(BPR{});
  train(mf(), BPR{}, {.regularizer = BatchedWD{decay}});
  train(mf(), BPR{.negatives = 3}, {.note = ", 3 negatives"});
  train_row_wise(BPR{});
  train_each_sampler(BPR{});
  train_each_penalty(BPR{});
  train<double>(mf(), BPR{}, {.note = ", double"});
  train<double>(lightgcn(), BPR{}, {.note = ", double"});
}
