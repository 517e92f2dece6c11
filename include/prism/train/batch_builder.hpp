// SPDX-License-Identifier: BSD-3-Clause
// Turns a list of pairs and negatives into a Batch.
#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Finds the distinct rows of one side, in time linear in the batch.
class SideBuilder {
 public:
  explicit SideBuilder(std::size_t table_rows) : position_(table_rows, absent) {}

  /// Begins a batch.
  void begin() {
    for (const Index row : rows_) position_[row] = absent;
    rows_.clear();
    slot_row_.clear();
    first_slot_.assign(1, 0);
  }

  /// Appends a slot for each of `from`, which holds the table row row_of(it).
  template <class Range, class RowOf>
  void add(const Range& from, const RowOf& row_of) {
    std::size_t distinct = rows_.size(), slot = slot_row_.size();
    rows_.resize(distinct + from.size());
    first_slot_.resize(rows_.size() + 1);
    slot_row_.resize(slot + from.size());
    for (const auto& element : from) {
      // Whether a row has been seen is a coin's toss, which no branch predicts.
      const Index row = std::invoke(row_of, element);
      const bool first = position_[row] == absent;
      const Index k = first ? static_cast<Index>(distinct) : position_[row];
      position_[row] = k;
      rows_[distinct] = row;
      distinct += first;
      slot_row_[slot++] = k;
      ++first_slot_[k + 1];  // how many slots, until finish() adds them up
    }
    rows_.resize(distinct);
    first_slot_.resize(distinct + 1);
  }

  /// Lists every row of the table that no slot holds.
  void add_the_others() {
    for (std::size_t row = 0; row < position_.size(); ++row) {
      if (position_[row] != absent) continue;
      position_[row] = static_cast<Index>(rows_.size());
      rows_.push_back(static_cast<Index>(row));
    }
  }

  /// For every slot: the position of its row.
  [[nodiscard]] std::span<const Index> slot_rows() const noexcept { return slot_row_; }

  /// The slots from here on are negatives'.
  void end_pairs() { paired_ = rows_.size(); }

  [[nodiscard]] BatchSide finish(bool every_row) {
    const std::size_t own = rows_.size();
    if (every_row) add_the_others();
    first_slot_.resize(rows_.size() + 1);
    std::partial_sum(first_slot_.begin(), first_slot_.end(), first_slot_.begin());
    next_slot_.assign(first_slot_.begin(), first_slot_.end());
    slots_.resize(slot_row_.size());
    for (std::size_t slot = 0; slot < slot_row_.size(); ++slot) {
      slots_[next_slot_[slot_row_[slot]]++] = static_cast<Index>(slot);
    }
    return {rows_, own, paired_, first_slot_, slots_, position_};
  }

 private:
  TableVector<Index> position_;
  std::vector<Index> rows_;
  std::size_t paired_ = 0;
  std::vector<Index> slot_row_;
  std::vector<Index> first_slot_;
  std::vector<Index> next_slot_;
  std::vector<Index> slots_;
};

}  // namespace detail

/// Builds batches; what it returns is valid until the next call.
class BatchBuilder {
 public:
  /// @param train  what pairs are drawn from; has to outlive the builder
  explicit BatchBuilder(const Interactions& train)
      : train_(train), users_(train.users()), items_(train.items()) {}

  /// @param negatives  items, pairs x n, row-major; empty where n is 0
  /// @param pairs      of rows that `train` has
  /// @param every_row  whether the sides list every row, not only those of the batch
  template <Execution X>
  [[nodiscard]] Batch build(const X& exec, std::span<const Interaction> pairs,
                            std::span<const Index> negatives, bool every_row = false) {
    require(pairs.size() + negatives.size() < max_rows, "batch_size",
            "must leave a batch fewer than 2^32 - 1 pairs and negatives");
    // One side beside the other: neither knows of it.
    BatchSide user_side, item_side;
    parallel_tasks(exec, 2, [&](std::size_t side) {
      if (side == 0) {
        users_.begin();
        users_.add(pairs, &Interaction::user);
        users_.end_pairs();
        user_side = users_.finish(every_row);
      } else {
        items_.begin();
        items_.add(pairs, &Interaction::item);
        items_.end_pairs();
        items_.add(negatives, std::identity());
        item_side = items_.finish(every_row);
      }
    });
    const std::span<const Index> item_rows = items_.slot_rows();
    return {.users = users_.slot_rows(),
            .items = item_rows.first(pairs.size()),
            .negatives = item_rows.subspan(pairs.size()),
            .negatives_per_pair = pairs.empty() ? 0 : negatives.size() / pairs.size(),
            .user_side = user_side,
            .item_side = item_side,
            .train = train_};
  }

 private:
  const Interactions& train_;
  detail::SideBuilder users_;
  detail::SideBuilder items_;
};

}  // namespace prism::inline PRISM_ISA
