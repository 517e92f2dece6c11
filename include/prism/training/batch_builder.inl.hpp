// SPDX-License-Identifier: BSD-3-Clause
// Members of the templates of batch_builder.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/batch.hpp"
#include "prism/training/batch_builder.hpp"

namespace prism::inline PRISM_ISA {

template <Execution X>
Batch BatchBuilder::build(const X& exec, std::span<const Interaction> pairs,
                          const BatchNegatives& negatives, bool all_rows) {
  detail::check_batch_size(pairs.size(), negatives);
  // Both sides in parallel: they are independent.
  BatchSide user_side, item_side;
  synchronise(exec);  // a device may still read the previous batch
  parallel_tasks(host_of(exec), 2, [&](std::size_t side) {
    if (side == 0) {
      users_.begin();
      users_.add(pairs, &Interaction::user);
      users_.end_positives();
      user_side = users_.finish(all_rows);
    } else {
      items_.begin();
      items_.add(pairs, &Interaction::item);
      items_.end_positives();
      items_.add(negatives.items, std::identity());
      item_side = items_.finish(all_rows);
    }
  });
  return detail::assemble_batch(train_, pairs.size(), negatives, users_.row_of_occurrence(),
                                items_.row_of_occurrence(), user_side, item_side);
}

}  // namespace prism::inline PRISM_ISA
