// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/scratch.hpp"
#include "prism/ops/scan.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Lists, on the host, the occurrences of each item row that belong to pairs.
/// @param offsets  overwritten; one more than there are rows
/// @param occurrences  overwritten; one for each pair
template <Execution X>
void select_pair_occurrences(const X& /*exec*/, const Batch& batch, std::span<Index> offsets,
                             std::span<Index> occurrences, Scratch& /*scratch*/) {
  std::size_t count = 0;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    offsets[k] = static_cast<Index>(count);
    for (const Index occurrence : batch.item_side.occurrence_positions(k)) {
      if (occurrence >= batch.pairs()) break;  // ascending: negatives from here on
      occurrences[count++] = occurrence;
    }
  }
  offsets.back() = static_cast<Index>(count);
}

/// The number of elements of an ascending list that are below `end`.
[[nodiscard]] constexpr std::size_t count_below(std::span<const Index> ascending,
                                                std::size_t end) noexcept {
  std::size_t low = 0, high = ascending.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (ascending[middle] < end) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// select_pair_occurrences on a device.
template <DeviceExecution X>
void select_pair_occurrences(const X& exec, const Batch& batch, std::span<Index> offsets,
                             std::span<Index> occurrences, Scratch& scratch) {
  const BatchSide items = batch.item_side;
  const std::span<const Index> row_of_pair = batch.items;
  const std::size_t pairs = batch.pairs(), rows = offsets.size() - 1;
  const std::span<Index> counts(scratch.allocate<Index>(rows + 1, 1).data(), rows + 1);
  for_each_element(exec, rows + 1, [=] PRISM_HOST_DEVICE(std::size_t k) {
    counts[k] =
        k == rows ? 0 : static_cast<Index>(count_below(items.occurrence_positions(k), pairs));
  });
  exclusive_scan(exec, counts, offsets);
  for_each_element(exec, pairs, [=] PRISM_HOST_DEVICE(std::size_t p) {
    const Index k = row_of_pair[p];
    const std::size_t place = count_below(items.occurrence_positions(k), p);
    occurrences[offsets[k] + place] = static_cast<Index>(p);
  });
}

/// The batch for a loss that uses no negatives: only pairs and their occurrences. Rows that occur
/// only as negatives are not active.
/// @param scratch  in the execution's memory
/// @return a view of lists in `scratch`
template <Execution X>
[[nodiscard]] Batch without_negatives(const X& exec, const Batch& batch, Scratch& scratch) {
  if (batch.negatives.empty()) return batch;
  const BatchSide& items = batch.item_side;
  const std::size_t rows = items.unique_rows.size();
  const std::span<Index> offsets(scratch.allocate<Index>(rows + 1, 1).data(), rows + 1);
  const std::span<Index> occurrences(scratch.allocate<Index>(batch.pairs(), 1).data(),
                                     batch.pairs());
  select_pair_occurrences(exec, batch, offsets, occurrences, scratch);
  const BatchSide positives{.unique_rows = items.unique_rows,
                            .num_active = items.num_positive,
                            .num_positive = items.num_positive,
                            .offsets = offsets,
                            .occurrences = occurrences,
                            .inverse_index = items.inverse_index};
  return {.users = batch.users,
          .items = batch.items,
          .negatives = {},
          .user_side = batch.user_side,
          .item_side = positives,
          .train = batch.train};
}

}  // namespace prism::inline PRISM_ISA::detail
