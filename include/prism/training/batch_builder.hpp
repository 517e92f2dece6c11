// SPDX-License-Identifier: BSD-3-Clause
// Turns a list of pairs and negatives into a Batch.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Finds the distinct rows of one side, in time linear in the batch.
class SideBuilder {
 public:
  SideBuilder(std::size_t table_rows, std::pmr::memory_resource* memory)
      : inverse_index_(table_rows, absent, memory),
        unique_rows_(memory),
        row_of_occurrence_(memory),
        offsets_(memory),
        occurrences_(memory) {}

  /// Begins a batch.
  void begin() {
    for (std::size_t k = 0; k < unique_rows_.size(); ++k) {
      if (k + prefetch_distance < unique_rows_.size()) {
        prefetch(&inverse_index_[unique_rows_[k + prefetch_distance]], 1);
      }
      inverse_index_[unique_rows_[k]] = absent;
    }
    unique_rows_.clear();
    row_of_occurrence_.clear();
    offsets_.assign(1, 0);
  }

  /// Appends a slot for each element of `from`, holding the table row row_of(element).
  template <class Range, class RowOf>
  void add(const Range& from, const RowOf& row_of) {
    std::size_t distinct = unique_rows_.size(), occurrence = row_of_occurrence_.size();
    // If memory runs out, begin() must not find rows that were never set.
    offsets_.reserve(distinct + from.size() + 1);
    row_of_occurrence_.reserve(occurrence + from.size());
    unique_rows_.resize(distinct + from.size());
    offsets_.resize(unique_rows_.size() + 1, 0);
    row_of_occurrence_.resize(occurrence + from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i + prefetch_distance < from.size()) {
        prefetch(&inverse_index_[std::invoke(row_of, from[i + prefetch_distance])], 1);
      }
      // Branch-free: whether a row has been seen cannot be predicted, and a branch would often be
      // mispredicted.
      const Index row = std::invoke(row_of, from[i]);
      const bool is_first = inverse_index_[row] == absent;
      const Index k = is_first ? static_cast<Index>(distinct) : inverse_index_[row];
      inverse_index_[row] = k;
      unique_rows_[distinct] = row;
      distinct += is_first;
      row_of_occurrence_[occurrence++] = k;
      ++offsets_[k + 1];  // number of slots, until finish() sums them up
    }
    unique_rows_.resize(distinct);
    offsets_.resize(distinct + 1);
  }

  /// Lists every row of the table that no slot holds.
  void add_inactive_rows() {
    unique_rows_.reserve(
        inverse_index_.size());  // so that begin() finds every row that is set here
    for (std::size_t row = 0; row < inverse_index_.size(); ++row) {
      if (inverse_index_[row] != absent) continue;
      inverse_index_[row] = static_cast<Index>(unique_rows_.size());
      unique_rows_.push_back(static_cast<Index>(row));
    }
  }

  /// For every slot: the position of its row.
  [[nodiscard]] std::span<const Index> row_of_occurrence() const noexcept {
    return row_of_occurrence_;
  }

  /// The slots from here on belong to negatives.
  void end_positives() { num_positive_ = unique_rows_.size(); }

  [[nodiscard]] BatchSide finish(bool all_rows) {
    const std::size_t num_active = unique_rows_.size();
    if (all_rows) add_inactive_rows();
    offsets_.resize(unique_rows_.size() + 1, 0);
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    next_offset_.assign(offsets_.begin(), offsets_.end());
    occurrences_.resize(row_of_occurrence_.size());
    for (std::size_t occurrence = 0; occurrence < row_of_occurrence_.size(); ++occurrence) {
      occurrences_[next_offset_[row_of_occurrence_[occurrence]]++] = static_cast<Index>(occurrence);
    }
    return {unique_rows_, num_active, num_positive_, offsets_, occurrences_, inverse_index_};
  }

 private:
  static constexpr std::size_t prefetch_distance = 24;

  TableVector<Index> inverse_index_;
  TableVector<Index> unique_rows_;
  std::size_t num_positive_ = 0;
  TableVector<Index> row_of_occurrence_;
  TableVector<Index> offsets_;
  std::vector<Index> next_offset_;
  TableVector<Index> occurrences_;
};

}  // namespace detail

/// The negatives of a batch: items.
struct BatchNegatives {
  /// Pairs x n, row-major, or n that all pairs share.
  std::span<const Index> items;
  bool shared = false;
  NegativeMask mask = NegativeMask::none;  ///< of shared ones

  BatchNegatives() = default;
  /// Each pair's own.
  template <class List>
    requires std::convertible_to<const List&, std::span<const Index>>
  BatchNegatives(const List& own) noexcept : items(own) {}
  BatchNegatives(std::span<const Index> list, NegativeMask negative_mask) noexcept
      : items(list), shared(true), mask(negative_mask) {}
};

namespace detail {

/// @throws ArgumentError  if a batch has more occurrences than an Index can count
inline void check_batch_size(std::size_t pairs, const BatchNegatives& negatives) {
  require(
      2 * pairs + negatives.items.size() < max_rows, "batch_size",
      "is too large: a batch must have fewer than 2^32 - 1 users, items and negatives in total");
}

/// The batch of two sides.
/// @param user_rows, item_rows  for every occurrence: the position of its row; item_rows has the
///     pairs' items first, then the negatives
[[nodiscard]] inline Batch assemble_batch(const Interactions& train, std::size_t pairs,
                                          const BatchNegatives& negatives,
                                          std::span<const Index> user_rows,
                                          std::span<const Index> item_rows,
                                          const BatchSide& user_side, const BatchSide& item_side) {
  const std::size_t lists = negatives.shared ? 1 : pairs;
  return {.users = user_rows,
          .items = item_rows.first(pairs),
          .negatives = item_rows.subspan(pairs),
          .negatives_per_pair = lists == 0 ? 0 : negatives.items.size() / lists,
          .user_side = user_side,
          .item_side = item_side,
          .train = train,
          .shared_negatives = negatives.shared,
          .mask = negatives.mask};
}

}  // namespace detail

/// Builds batches; each is valid until the next call.
class BatchBuilder {
 public:
  /// @param train  the interactions that pairs are drawn from; must outlive the builder
  /// @param memory  of the batches; null for table_memory()
  explicit BatchBuilder(const Interactions& train, std::pmr::memory_resource* memory = nullptr)
      : train_(train), users_(train.users(), memory), items_(train.items(), memory) {}
  explicit BatchBuilder(const Interactions&&, std::pmr::memory_resource* = nullptr) = delete;

  /// @param pairs     of rows that `train` has
  /// @param all_rows  whether the sides list every row, not only those of the batch
  template <Execution X>
  [[nodiscard]] Batch build(const X& exec, std::span<const Interaction> pairs,
                            const BatchNegatives& negatives, bool all_rows = false);

 private:
  const Interactions& train_;
  detail::SideBuilder users_;
  detail::SideBuilder items_;
};

}  // namespace prism::inline PRISM_ISA

#include "prism/training/batch_builder.inl.hpp"
