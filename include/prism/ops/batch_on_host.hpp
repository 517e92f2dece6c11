// SPDX-License-Identifier: BSD-3-Clause
// A batch as the host reads it, wherever its lists are stored.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// The batch as the host reads it: the same lists, or copies of those in a device's memory.
template <Execution X>
class BatchOnHost {
 public:
  /// @param batch  must outlive the object
  BatchOnHost(const X& exec, const Batch& batch)
      : users_(exec, batch.users),
        items_(exec, batch.items),
        negatives_(exec, batch.negatives),
        user_side_(exec, batch.user_side),
        item_side_(exec, batch.item_side),
        item_log_probability_(exec, batch.item_log_probability),
        batch_{.users = users_.numbers(),
               .items = items_.numbers(),
               .negatives = negatives_.numbers(),
               .negatives_per_pair = batch.negatives_per_pair,
               .user_side = user_side_.side(batch.user_side),
               .item_side = item_side_.side(batch.item_side),
               .train = batch.train.on_host(),
               .shared_negatives = batch.shared_negatives,
               .mask = batch.mask,
               .item_log_probability = item_log_probability_.numbers()} {}

  /// Valid for the object's lifetime.
  [[nodiscard]] const Batch& batch() const noexcept { return batch_; }

 private:
  struct Side {
    HostView<Index, X> unique_rows, offsets, occurrences, inverse_index;

    Side(const X& exec, const BatchSide& original)
        : unique_rows(exec, original.unique_rows),
          offsets(exec, original.offsets),
          occurrences(exec, original.occurrences),
          inverse_index(exec, original.inverse_index) {}
    [[nodiscard]] BatchSide side(const BatchSide& original) const noexcept {
      return {unique_rows.numbers(), original.num_active,   original.num_positive,
              offsets.numbers(),     occurrences.numbers(), inverse_index.numbers()};
    }
  };

  HostView<Index, X> users_, items_, negatives_;
  Side user_side_, item_side_;
  HostView<double, X> item_log_probability_;
  Batch batch_;
};

}  // namespace prism::inline PRISM_ISA
