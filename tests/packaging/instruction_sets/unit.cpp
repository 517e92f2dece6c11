// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with its function named UNIT.
#include "unit.hpp"

#include <algorithm>
#include <iterator>
#include <prism/prism.hpp>

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(text) #text

Outcome UNIT() {
  using namespace prism;
  // A batch has enough rows of both sides for a tile unit.
  const Split split = random_split(
      synthetic_interactions({.users = 600, .items = 400, .interactions_per_user = 10}));
  Recommender<MF<37>, DirectAU> model(split.train);
  const History history = fit(model, split, {.batch_size = 2048, .epochs = 5}, Silent());
  const auto top = recommend(model, 0, 10);
  Outcome outcome{TEXT_OF(PRISM_ISA),
                  Pack<float>::width,
                  detail::ByteAccumulator<isa::native>::limits.left.max_abs,
                  detail::HasTileUnit<isa::native>,
                  history.epochs.back().loss,
                  {}};
  std::ranges::transform(top, std::back_inserter(outcome.items),
                         [](const auto& scored) { return scored.item; });
  return outcome;
}
