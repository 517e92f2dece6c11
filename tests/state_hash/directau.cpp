// SPDX-License-Identifier: BSD-3-Clause
#include "state_hash.hpp"

void state_hash::train_directau() {
  using namespace prism;
  train_each(DirectAU{});
  train(mf(), DirectAU{}, {.regularizer = BatchedWD{decay}});
  train(mf(), DirectAU{.duplicates = true}, {.note = ", duplicates"});
  train_each_penalty(DirectAU{});
  train<double>(mf(), DirectAU{}, {.note = ", double"});

  // All policies chosen at compile time; the numbers equal those of the same choice above.
  using Fixed = Recommender<MF<dim>, DirectAU, None, PRISM<0.5>>;
  rank(*train<Fixed>({}, ", at compile time"));
}
