// SPDX-License-Identifier: BSD-3-Clause
// Batches that a device builds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>

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

namespace prism::inline PRISM_ISA::detail {

/// The occurrences of a batch's rows: the pairs' users, then the pairs' items, then the negatives.
struct BatchOccurrences {
  std::span<const Interaction> pairs;
  std::span<const Index> negatives;

  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return 2 * pairs.size() + negatives.size();
  }
  [[nodiscard]] constexpr bool is_user(std::size_t occurrence) const noexcept {
    return occurrence < pairs.size();
  }
  /// The row of the users' table, or of the items'.
  [[nodiscard]] constexpr Index row(std::size_t occurrence) const noexcept {
    if (is_user(occurrence)) return pairs[occurrence].user;
    occurrence -= pairs.size();
    return occurrence < pairs.size() ? pairs[occurrence].item
                                     : negatives[occurrence - pairs.size()];
  }
};

/// A side's lists, as passed to loops.
struct SideLists {
  std::span<Index> first_occurrence;  // of each row of the table in this batch, or absent
  std::span<Index> inverse_index;
  std::span<Index> unique_rows;
  std::span<Index> row_of_occurrence;
  std::span<Index> offsets;
};

/// Finds the distinct rows of both sides on a device, in loops over both at once: a batch is small,
/// and launching a loop takes as long as running it. The lists are those of SideBuilder.
class DeviceSides {
 public:
  DeviceSides(std::size_t users, std::size_t items, std::pmr::memory_resource* memory)
      : users_(users, memory),
        items_(items, memory),
        rank_(memory),
        order_(memory),
        keys_(memory),
        sorted_keys_(memory),
        occurrences_(memory),
        counts_(3, pinned_beside(memory)) {}

  /// Begins a batch, after the previous one was finished.
  template <DeviceExecution X>
  void begin(const X& exec, const BatchOccurrences& rows, bool all_rows) {
    clear(exec);
    const std::size_t n = rows.size(), user_occurrences = rows.pairs.size();
    users_.reserve(exec, user_occurrences, all_rows);
    items_.reserve(exec, n - user_occurrences, all_rows);
    for (auto* list : {&order_, &keys_, &sorted_keys_, &occurrences_}) grow(exec, *list, n);
    grow(exec, rank_, n + 1);
    number_rows(exec, rows);
    if (all_rows) add_inactive_rows(exec, rows);
    group_occurrences(exec, rows);
    num_pairs_ = user_occurrences;
    num_occurrences_ = n;
  }

  /// For every occurrence of a side: the position of its row.
  [[nodiscard]] std::span<const Index> user_rows() const noexcept {
    return std::span(users_.row_of_occurrence).first(num_pairs_);
  }
  [[nodiscard]] std::span<const Index> item_rows() const noexcept {
    return std::span(items_.row_of_occurrence).first(num_occurrences_ - num_pairs_);
  }

  /// The sides, users first, once the device has completed the work of begin().
  [[nodiscard]] std::pair<BatchSide, BatchSide> finish(bool all_rows) {
    finished_ = true;
    const std::span<const Index> occurrences = std::span(occurrences_).first(num_occurrences_);
    const std::size_t users = counts_[0], positive_items = counts_[1] - users,
                      active_items = counts_[2] - users;
    return {users_.finish(all_rows, users, users, occurrences.first(num_pairs_)),
            items_.finish(all_rows, active_items, positive_items, occurrences.subspan(num_pairs_))};
  }

  // The steps of begin(); public because a CUDA compiler accepts device lambdas only in public
  // functions.

  /// Clears the occurrences and positions of all rows.
  template <DeviceExecution X>
  void clear(const X& exec) {
    const SideLists users = users_.lists(), items = items_.lists();
    const bool is_listed = finished_;  // else an error ended the previous batch
    const std::size_t user_rows = is_listed ? users_.num_unique : users.inverse_index.size();
    const std::size_t item_rows = is_listed ? items_.num_unique : items.inverse_index.size();
    for_each_element(exec, user_rows + item_rows, [=] PRISM_HOST_DEVICE(std::size_t i) {
      const SideLists side = i < user_rows ? users : items;
      const std::size_t k = i < user_rows ? i : i - user_rows;
      const std::size_t row = is_listed ? side.unique_rows[k] : k;
      side.first_occurrence[row] = absent;
      side.inverse_index[row] = absent;
    });
    users_.num_unique = items_.num_unique = 0;
    finished_ = false;
  }

  /// Lists the distinct rows of a side in the order of their first occurrences.
  template <DeviceExecution X>
  void number_rows(const X& exec, const BatchOccurrences& rows) {
    const SideLists users = users_.lists(), items = items_.lists();
    const std::size_t n = rows.size(), user_occurrences = rows.pairs.size();
    // For each occurrence: how many rows of both sides have an earlier first occurrence.
    const std::span<Index> rank = std::span(rank_).first(n + 1);
    const std::span<Index> order(order_), keys(keys_), counts(counts_);
    for_each_element(exec, n, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      const bool is_user = rows.is_user(occurrence);
      const SideLists side = is_user ? users : items;
      atomic_min(&side.first_occurrence[rows.row(occurrence)], static_cast<Index>(occurrence));
      order[occurrence] = static_cast<Index>(is_user ? occurrence : occurrence - user_occurrences);
    });
    exclusive_scan(
        exec, n + 1,
        [=] PRISM_HOST_DEVICE(std::size_t occurrence) -> Index {
          if (occurrence == n) return 0;
          const SideLists side = rows.is_user(occurrence) ? users : items;
          return side.first_occurrence[rows.row(occurrence)] == occurrence ? 1 : 0;
        },
        [=] PRISM_HOST_DEVICE(std::size_t occurrence, Index before) {
          rank[occurrence] = before;
          if (occurrence == user_occurrences) counts[0] = before;
          if (occurrence == 2 * user_occurrences) counts[1] = before;
          if (occurrence == n) counts[2] = before;
        });
    for_each_element(exec, n, [=] PRISM_HOST_DEVICE(std::size_t occurrence) {
      const bool is_user = rows.is_user(occurrence);
      const SideLists side = is_user ? users : items;
      const Index row = rows.row(occurrence), first = side.first_occurrence[row];
      const Index key = rank[first], k = is_user ? key : key - rank[user_occurrences];
      keys[occurrence] = key;
      side.row_of_occurrence[is_user ? occurrence : occurrence - user_occurrences] = k;
      if (first == occurrence) {
        side.unique_rows[k] = row;
        side.inverse_index[row] = k;
      }
    });
  }

  /// Lists every row of a table that has no occurrence, ascending.
  template <DeviceExecution X>
  void add_inactive_rows(const X& exec, const BatchOccurrences& rows) {
    const SideLists users = users_.lists(), items = items_.lists();
    const std::size_t n = rows.size(), user_occurrences = rows.pairs.size();
    const std::size_t table_users = users.inverse_index.size();
    const std::span<const Index> rank = std::span(rank_).first(n + 1);
    exclusive_scan(
        exec, table_users + items.inverse_index.size(),
        [=] PRISM_HOST_DEVICE(std::size_t i) -> Index {
          const bool is_user = i < table_users;
          const SideLists side = is_user ? users : items;
          return side.first_occurrence[is_user ? i : i - table_users] == absent ? 1 : 0;
        },
        [=] PRISM_HOST_DEVICE(std::size_t i, Index inactive_before) {
          const bool is_user = i < table_users;
          const SideLists side = is_user ? users : items;
          const std::size_t row = is_user ? i : i - table_users;
          if (side.first_occurrence[row] != absent) return;
          // For items: all users come before, active or not.
          const auto k = static_cast<Index>(is_user ? rank[user_occurrences] + inactive_before
                                                    : rank[n] + inactive_before - table_users);
          side.unique_rows[k] = static_cast<Index>(row);
          side.inverse_index[row] = k;
        });
  }

  /// Groups the occurrences of a side by row, in their order.
  template <DeviceExecution X>
  void group_occurrences(const X& exec, const BatchOccurrences& rows) {
    const SideLists users = users_.lists(), items = items_.lists();
    const std::size_t n = rows.size(), user_occurrences = rows.pairs.size(),
                      item_occurrences = n - user_occurrences;
    const std::size_t max_active = std::min(user_occurrences, users.inverse_index.size()) +
                                   std::min(item_occurrences, items.inverse_index.size());
    const std::span<Index> sorted = std::span(sorted_keys_).first(n);
    const std::span<const Index> rank = std::span(rank_).first(n + 1);
    sort_pairs(exec, max_active, std::span(keys_).first(n), std::span(order_).first(n), sorted,
               std::span(occurrences_).first(n));
    // Every active row has an occurrence, the others none.
    const std::size_t size = std::max({n, users.offsets.size(), items.offsets.size()});
    for_each_element(exec, size, [=] PRISM_HOST_DEVICE(std::size_t i) {
      const Index active_users = rank[user_occurrences], active_items = rank[n] - active_users;
      if (i < n && (i == 0 || sorted[i] != sorted[i - 1])) {
        if (i < user_occurrences) {
          users.offsets[sorted[i]] = static_cast<Index>(i);
        } else {
          items.offsets[sorted[i] - active_users] = static_cast<Index>(i - user_occurrences);
        }
      }
      if (i >= active_users && i < users.offsets.size()) {
        users.offsets[i] = static_cast<Index>(user_occurrences);
      }
      if (i >= active_items && i < items.offsets.size()) {
        items.offsets[i] = static_cast<Index>(item_occurrences);
      }
    });
  }

 private:
  struct Side {
    TableVector<Index> first_occurrence, inverse_index, unique_rows, row_of_occurrence, offsets;
    std::size_t max_unique = 0;
    std::size_t num_unique = 0;  // of the batch that was finished last

    Side(std::size_t table_rows, std::pmr::memory_resource* memory)
        : first_occurrence(table_rows, absent, memory),
          inverse_index(table_rows, absent, memory),
          unique_rows(memory),
          row_of_occurrence(memory),
          offsets(memory) {}

    template <DeviceExecution X>
    void reserve(const X& exec, std::size_t occurrences, bool all_rows) {
      max_unique = all_rows ? inverse_index.size() : std::min(occurrences, inverse_index.size());
      grow(exec, unique_rows, max_unique);
      grow(exec, row_of_occurrence, occurrences);
      grow(exec, offsets, max_unique + 1);
    }
    [[nodiscard]] SideLists lists() noexcept {
      return {first_occurrence, inverse_index, unique_rows, row_of_occurrence,
              std::span(offsets).first(std::min(offsets.size(), max_unique + 1))};
    }
    [[nodiscard]] BatchSide finish(bool all_rows, std::size_t active, std::size_t positive,
                                   std::span<const Index> occurrences) {
      num_unique = all_rows ? inverse_index.size() : active;
      return {std::span(unique_rows).first(num_unique), active,      positive,
              std::span(offsets).first(num_unique + 1), occurrences, inverse_index};
    }
  };

  Side users_;
  Side items_;
  TableVector<Index> rank_;
  TableVector<Index> order_;        // an occurrence's number among its side's
  TableVector<Index> keys_;         // its row's position, users' before items'
  TableVector<Index> sorted_keys_;  // grouped
  TableVector<Index> occurrences_;  // users', then items', grouped
  // Read by the host. Numbers of distinct rows: users; with the items of pairs; with all items.
  TableVector<Index> counts_;
  std::size_t num_pairs_ = 0;
  std::size_t num_occurrences_ = 0;
  bool finished_ = true;  // the batch that was begun last
};

/// BatchBuilder for an execution on a device, which finds the rows. The batches are identical.
class DeviceBatchBuilder {
 public:
  /// @param train  the interactions that pairs are drawn from; must outlive the builder
  /// @param memory  memory_of() the execution
  explicit DeviceBatchBuilder(const Interactions& train, std::pmr::memory_resource* memory)
      : train_(train), sides_(train.users(), train.items(), memory) {}
  explicit DeviceBatchBuilder(const Interactions&&, std::pmr::memory_resource*) = delete;

  /// As BatchBuilder::build(), with the batch in the device's memory. Returns when the device has
  /// completed all pending work.
  /// @param pairs, negatives  in memory that the device can read
  template <DeviceExecution X>
  [[nodiscard]] Batch build(const X& exec, std::span<const Interaction> pairs,
                            const BatchNegatives& negatives, bool all_rows = false) {
    check_batch_size(pairs.size(), negatives);
    sides_.begin(exec, {pairs, negatives.items}, all_rows);
    synchronise(exec);  // the host reads the counts
    const auto [users, items] = sides_.finish(all_rows);
    return assemble_batch(train_, pairs.size(), negatives, sides_.user_rows(), sides_.item_rows(),
                          users, items);
  }

 private:
  const Interactions& train_;
  DeviceSides sides_;
};

/// The builder of an execution's batches.
template <Execution X>
using batch_builder_t = std::conditional_t<DeviceExecution<X>, DeviceBatchBuilder, BatchBuilder>;

}  // namespace prism::inline PRISM_ISA::detail
