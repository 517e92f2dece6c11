// SPDX-License-Identifier: BSD-3-Clause
// Batches that a device builds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <type_traits>

#include "prism/core/atomic_min.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/thread_memory.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/scan.hpp"
#include "prism/ops/sort_pairs.hpp"
#include "prism/policy/batch.hpp"
#include "prism/training/batch_builder.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The table rows of a side's occurrences: of pairs first, then of negatives.
struct OccurrenceRows {
  std::span<const Interaction> pairs;
  std::span<const Index> negatives;
  bool of_items;  // or users, who have no negatives

  [[nodiscard]] constexpr Index operator[](std::size_t occurrence) const noexcept {
    if (occurrence >= pairs.size()) return negatives[occurrence - pairs.size()];
    return of_items ? pairs[occurrence].item : pairs[occurrence].user;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return pairs.size() + negatives.size();
  }
};

/// How many of a side's rows are active, and positive.
struct RowCounts {
  Index active;
  Index positive;
};

/// Finds the distinct rows of one side on a device; the lists are those of SideBuilder.
class DeviceSideBuilder {
 public:
  DeviceSideBuilder(std::size_t table_rows, std::pmr::memory_resource* memory)
      : inverse_index_(table_rows, absent, memory),
        unique_rows_(memory),
        row_of_occurrence_(memory),
        offsets_(memory),
        occurrences_(memory),
        flags_(memory),
        rank_(memory),
        order_(memory),
        sorted_(memory) {}

  /// Begins a batch, after the one before was finished.
  /// @param counts  written by the device
  template <DeviceExecution X>
  void begin(const X& exec, const OccurrenceRows& rows, bool all_rows, RowCounts* counts) {
    clear(exec);
    const std::size_t n = rows.size(), table_rows = inverse_index_.size();
    max_unique_ = all_rows ? table_rows : std::min(n, table_rows);
    const std::size_t max_scanned = std::max(n + 1, all_rows ? table_rows : 0);
    grow(exec, unique_rows_, max_unique_);
    grow(exec, offsets_, max_unique_ + 1);
    grow(exec, flags_, max_scanned);
    grow(exec, rank_, max_scanned);
    for (auto* list : {&row_of_occurrence_, &occurrences_, &order_, &sorted_}) grow(exec, *list, n);
    number_rows(exec, rows, counts);
    if (all_rows) add_inactive_rows(exec, counts);
    group_occurrences(exec, n, counts);
    row_of_occurrence_size_ = n;
  }

  /// For every occurrence: the position of its row.
  [[nodiscard]] std::span<const Index> row_of_occurrence() const noexcept {
    return std::span(row_of_occurrence_).first(row_of_occurrence_size_);
  }

  /// The side, once the device has done what begin() began.
  [[nodiscard]] BatchSide finish(bool all_rows, const RowCounts& counts) {
    finished_ = true;
    num_unique_ = all_rows ? inverse_index_.size() : counts.active;
    return {std::span(unique_rows_).first(num_unique_),
            counts.active,
            counts.positive,
            std::span(offsets_).first(num_unique_ + 1),
            std::span(occurrences_).first(row_of_occurrence_size_),
            inverse_index_};
  }

  // What begin() consists of; public because a CUDA compiler takes lambdas for a device only from
  // public functions.

  /// No row has a position any more.
  template <DeviceExecution X>
  void clear(const X& exec) {
    const std::span<const Index> listed(unique_rows_.data(), num_unique_);
    const std::span<Index> inverse_index(inverse_index_);
    if (finished_) {
      for_each_element(exec, listed.size(),
                       [=] PRISM_HOST_DEVICE(std::size_t k) { inverse_index[listed[k]] = absent; });
    } else {  // an error ended the batch before
      for_each_element(exec, inverse_index.size(),
                       [=] PRISM_HOST_DEVICE(std::size_t row) { inverse_index[row] = absent; });
    }
    num_unique_ = 0;
    finished_ = false;
  }

  /// Lists the distinct rows in the order of their first occurrences.
  template <DeviceExecution X>
  void number_rows(const X& exec, const OccurrenceRows& rows, RowCounts* counts) {
    const std::size_t n = rows.size(), pairs = rows.pairs.size();
    const std::span<Index> inverse_index(inverse_index_), unique_rows(unique_rows_);
    const std::span<Index> row_of_occurrence(row_of_occurrence_), order(order_);
    const std::span<Index> flags = std::span(flags_).first(n + 1);
    const std::span<Index> rank = std::span(rank_).first(n + 1);
    // A row's entry is its first occurrence, until all occurrences have read it.
    for_each_element(exec, n, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      atomic_min(&inverse_index[rows[occurrence]], static_cast<Index>(occurrence));
      order[occurrence] = static_cast<Index>(occurrence);
    });
    for_each_element(exec, n + 1, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      flags[occurrence] = occurrence < n && inverse_index[rows[occurrence]] == occurrence;
    });
    exclusive_scan(exec, flags, rank);
    for_each_element(exec, n + 1, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      if (occurrence == n) {
        *counts = {rank[n], rank[pairs]};
      } else {
        row_of_occurrence[occurrence] = rank[inverse_index[rows[occurrence]]];
      }
    });
    for_each_element(exec, n, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      if (flags[occurrence] == 0) return;
      const Index row = rows[occurrence];
      unique_rows[rank[occurrence]] = row;
      inverse_index[row] = rank[occurrence];
    });
  }

  /// Lists every row of the table that has no occurrence, ascending.
  template <DeviceExecution X>
  void add_inactive_rows(const X& exec, const RowCounts* counts) {
    const std::size_t table_rows = inverse_index_.size();
    const std::span<Index> inverse_index(inverse_index_), unique_rows(unique_rows_);
    const std::span<Index> flags = std::span(flags_).first(table_rows);
    const std::span<Index> rank = std::span(rank_).first(table_rows);
    for_each_element(exec, table_rows, [=] PRISM_HOST_DEVICE(std::size_t row) {
      flags[row] = inverse_index[row] == absent;
    });
    exclusive_scan(exec, flags, rank);
    for_each_element(exec, table_rows, [=] PRISM_HOST_DEVICE(std::size_t row) {
      if (flags[row] == 0) return;
      const Index k = counts->active + rank[row];
      unique_rows[k] = static_cast<Index>(row);
      inverse_index[row] = k;
    });
  }

  /// Groups the n occurrences by row, in their order.
  template <DeviceExecution X>
  void group_occurrences(const X& exec, std::size_t n, const RowCounts* counts) {
    const std::span<Index> offsets = std::span(offsets_).first(max_unique_ + 1);
    const std::span<Index> sorted = std::span(sorted_).first(n);
    sort_pairs(exec, max_unique_, std::span(row_of_occurrence_).first(n),
               std::span(order_).first(n), sorted, std::span(occurrences_).first(n));
    // Every active row has an occurrence, the others none.
    for_each_element(exec, std::max(n, offsets.size()), [=] PRISM_HOST_DEVICE(std::size_t i) {
      if (i < n && (i == 0 || sorted[i] != sorted[i - 1])) {
        offsets[sorted[i]] = static_cast<Index>(i);
      }
      if (i < offsets.size() && i >= counts->active) offsets[i] = static_cast<Index>(n);
    });
  }

 private:
  TableVector<Index> inverse_index_;
  TableVector<Index> unique_rows_;
  TableVector<Index> row_of_occurrence_;
  TableVector<Index> offsets_;
  TableVector<Index> occurrences_;
  // Working memory.
  TableVector<Index> flags_;   // whether an occurrence is its row's first; whether a row has none
  TableVector<Index> rank_;    // how many flags precede
  TableVector<Index> order_;   // 0, 1, ...
  TableVector<Index> sorted_;  // the rows of the occurrences, grouped
  std::size_t max_unique_ = 0;
  std::size_t num_unique_ = 0;  // of the batch that was finished last
  std::size_t row_of_occurrence_size_ = 0;
  bool finished_ = true;  // the batch that was begun last
};

}  // namespace detail

/// BatchBuilder for an execution on a device, which finds the rows: the batches are the same,
/// number for number.
class DeviceBatchBuilder {
 public:
  /// @param train  what pairs are drawn from; has to outlive the builder
  /// @param memory  that host and device share: memory_of() the execution
  explicit DeviceBatchBuilder(const Interactions& train, std::pmr::memory_resource* memory)
      : train_(train),
        users_(train.users(), memory),
        items_(train.items(), memory),
        counts_(2, pinned_beside(memory)) {}
  explicit DeviceBatchBuilder(const Interactions&&, std::pmr::memory_resource*) = delete;

  /// As BatchBuilder::build(). Returns when the device is done with all that was begun, so that the
  /// host may read the batch.
  /// @param pairs, negatives  in memory that host and device share
  template <DeviceExecution X>
  [[nodiscard]] Batch build(const X& exec, std::span<const Interaction> pairs,
                            const BatchNegatives& negatives, bool all_rows = false) {
    detail::check_batch_size(pairs.size(), negatives);
    users_.begin(exec, {pairs, {}, false}, all_rows, &counts_[0]);
    items_.begin(exec, {pairs, negatives.items, true}, all_rows, &counts_[1]);
    synchronise(exec);  // the host reads the counts
    return detail::assemble_batch(train_, pairs.size(), negatives, users_.row_of_occurrence(),
                                  items_.row_of_occurrence(), users_.finish(all_rows, counts_[0]),
                                  items_.finish(all_rows, counts_[1]));
  }

 private:
  const Interactions& train_;
  detail::DeviceSideBuilder users_;
  detail::DeviceSideBuilder items_;
  TableVector<detail::RowCounts> counts_;  // users', items'
};

/// What builds the batches of an execution.
template <Execution X>
using batch_builder_t = std::conditional_t<DeviceExecution<X>, DeviceBatchBuilder, BatchBuilder>;

}  // namespace prism::inline PRISM_ISA
