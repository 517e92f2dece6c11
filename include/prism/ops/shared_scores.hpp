// SPDX-License-Identifier: BSD-3-Clause
// Scores of a batch whose pairs share their negatives: a product of matrices, block by block of
// users. Each block's scores are computed, replaced by their derivatives and used for both
// gradients while they are in cache; the matrix is never stored whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/linear.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The scores of all users of a batch with its shared negatives, and the gradients of both. Users
/// are divided into groups by their number alone. Each group has its own sum of the negatives'
/// gradients; the groups' sums are added in order.
template <class T, class Isa>
class SharedScores {
  static constexpr std::size_t block = 64;  // users, or negatives, of a product
  static constexpr std::size_t max_groups = 16;

 public:
  template <HostExecution X>
  SharedScores(const X& exec, const Batch& batch, BatchRows<T> rows, Scratch& scratch)
      : batch_(batch),
        rows_(rows),
        dim_(rows.users.dim()),
        padded_dim_(padded<T, Isa>(dim_)),
        negatives_(batch.negatives.size()),
        blocks_((negatives_ + block - 1) / block),
        // Scores of successive users would otherwise compete for the same lines of the cache.
        score_stride_(blocks_ * block + 2 * line) {
    const std::size_t users = batch.user_side.num_active;
    const std::size_t user_blocks = (users + block - 1) / block;
    group_size_ = std::max<std::size_t>((user_blocks + max_groups - 1) / max_groups, 1) * block;
    groups_ = (users + group_size_ - 1) / group_size_;
    negative_rows_ = scratch.allocate<T>(blocks_ * block, padded_dim_);
    transposed_ = scratch.allocate<T>(blocks_ * dim_, block);
    gradient_ = scratch.allocate<T>(groups_ * blocks_ * block, padded_dim_);
    d_positive_ = scratch.allocate<T>(batch.pairs(), 1);
    work_ = scratch.allocate<T>(
        groups_, block * score_stride_ + 2 * block * padded_dim_ + 2 * score_stride_);
    parallel_tasks(exec, blocks_, [&](std::size_t b) { pack_negatives(b); });
    if (batch.mask == NegativeMask::seen_items) mark_negatives(exec, scratch);
  }

  /// Replaces the scores by derivatives, as for_each_score_gradient does, and calls
  /// scatter_user(k, gradient of user row k) for each active row.
  template <HostExecution X, class PerPair, class Scatter>
  double score_users(const X& exec, const PerPair& per_pair, const Scatter& scatter_user) const {
    return parallel_sum(exec, batch_.user_side.num_active, group_size_,
                        [&](std::size_t begin, std::size_t end) {
                          return score_group(begin, end, per_pair, scatter_user);
                        });
  }

  /// Calls scatter_item(k, gradient of item row k) for each active row.
  template <HostExecution X, class Scatter>
  void for_each_item_gradient(const X& exec, const Scatter& scatter_item) const {
    const BatchSide& side = batch_.item_side;
    constexpr std::size_t grain = 256;
    parallel_chunks(exec, side.num_active, grain, [&](std::size_t begin, std::size_t end) {
      std::vector<T> gradient(dim_);
      for (std::size_t k = begin; k < end; ++k) {
        std::ranges::fill(gradient, T{0});
        for (const Index occurrence : side.occurrence_positions(k)) {
          if (occurrence < batch_.pairs()) {
            add_scaled<Isa>(gradient.data(), *d_positive_[occurrence],
                            rows_.users[batch_.users[occurrence]], dim_);
            continue;
          }
          const std::size_t q = occurrence - batch_.pairs();
          for (std::size_t g = 0; g < groups_; ++g) {
            add_scaled<Isa>(gradient.data(), T{1}, gradient_[g * blocks_ * block + q], dim_);
          }
        }
        scatter_item(k, gradient.data());
      }
    });
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);

  /// A group's working memory.
  struct Work {
    T* scores;    // block x score_stride_: before each row's first negative, its positive's
    T* users;     // block x padded_dim_
    T* gradient;  // block x padded_dim_
    T* unmasked;  // score_stride_: the scores of a user with several pairs
    T* sum;       // score_stride_: of the derivatives of such a user's pairs
  };

  [[nodiscard]] Work work_of(std::size_t group) const noexcept {
    T* const scores = work_[group];
    T* const users = scores + block * score_stride_;
    T* const gradient = users + block * padded_dim_;
    T* const unmasked = gradient + block * padded_dim_;
    return {scores + line, users, gradient, unmasked + line, unmasked + score_stride_};
  }

  void pack_negatives(std::size_t b) const noexcept {
    for (std::size_t r = 0; r < block; ++r) {
      const std::size_t q = b * block + r;
      T* const to = negative_rows_[q];
      const std::size_t filled = q < negatives_ ? dim_ : 0;
      if (filled > 0) std::copy_n(rows_.items[batch_.negatives[q]], dim_, to);
      std::fill(to + filled, to + padded_dim_, T{0});
      for (std::size_t c = 0; c < dim_; ++c) transposed_[b * dim_ + c][r] = to[c];
    }
  }

  template <HostExecution X>
  void mark_negatives(const X& exec, Scratch& scratch) {
    const std::size_t items = batch_.item_side.inverse_index.size();
    is_negative_ = scratch.allocate_zeros<std::uint64_t>(exec, (items + 63) / 64, 1);
    for (const Index k : batch_.negatives) {
      const Index item = batch_.item_side.unique_rows[k];
      *is_negative_[item / 64] |= std::uint64_t{1} << item % 64;
    }
  }

  template <class PerPair, class Scatter>
  double score_group(std::size_t begin, std::size_t end, const PerPair& per_pair,
                     const Scatter& scatter_user) const {
    const std::size_t group = begin / group_size_;
    const Work work = work_of(group);
    T* const gradient = gradient_[group * blocks_ * block];
    double total = 0;
    for (std::size_t first = begin; first < end; first += block) {
      const std::size_t users = std::min(block, end - first);
      for (std::size_t r = 0; r < users; ++r) {
        T* const to = work.users + r * padded_dim_;
        std::copy_n(rows_.users[first + r], dim_, to);
        std::fill(to + dim_, to + padded_dim_, T{0});
      }
      for (std::size_t b = 0; b < blocks_; ++b) {
        matrix_product<Store::overwrite, Isa>(users, block, dim_, {work.users, padded_dim_, 1},
                                              transposed_[b * dim_], block, work.scores + b * block,
                                              score_stride_);
      }
      for (std::size_t r = 0; r < users; ++r) total += score_user(first + r, r, work, per_pair);
      std::fill_n(work.gradient, users * padded_dim_, T{0});
      for (std::size_t b = 0; b < blocks_; ++b) {
        const T* const d_scores = work.scores + b * block;
        matrix_product<Store::add, Isa>(users, padded_dim_, block, {d_scores, score_stride_, 1},
                                        negative_rows_[b * block], padded_dim_, work.gradient,
                                        padded_dim_);
        const auto add_to_negatives = [&]<Store Mode>(std::integral_constant<Store, Mode>) {
          matrix_product<Mode, Isa>(block, padded_dim_, users, {d_scores, 1, score_stride_},
                                    work.users, padded_dim_, gradient + b * block * padded_dim_,
                                    padded_dim_);
        };
        if (first == begin) {
          add_to_negatives(std::integral_constant<Store, Store::overwrite>{});
        } else {
          add_to_negatives(std::integral_constant<Store, Store::add>{});
        }
      }
      for (std::size_t r = 0; r < users; ++r) {
        T* const of_user = work.gradient + r * padded_dim_;
        for (const Index p : batch_.user_side.occurrence_positions(first + r)) {
          add_scaled<Isa>(of_user, *d_positive_[p], rows_.items[batch_.items[p]], dim_);
        }
        scatter_user(first + r, of_user);
      }
    }
    return total;
  }

  /// Calls per_pair for the pairs of user k, whose scores are row r of the block; these become the
  /// sum of its pairs' derivatives.
  template <class PerPair>
  double score_user(std::size_t k, std::size_t r, const Work& work, const PerPair& per_pair) const {
    T* const scores = work.scores + r * score_stride_;
    const T* const user = work.users + r * padded_dim_;
    const std::span<const Index> pairs = batch_.user_side.occurrence_positions(k);
    if (batch_.mask == NegativeMask::seen_items) mask_seen(k, scores);
    if (pairs.size() == 1) return score_pair(pairs[0], user, scores, per_pair);
    std::copy_n(scores, negatives_, work.unmasked);
    std::fill_n(work.sum, negatives_, T{0});
    double total = 0;
    for (const Index p : pairs) {
      std::copy_n(work.unmasked, negatives_, scores);
      total += score_pair(p, user, scores, per_pair);
      add_scaled<Isa>(work.sum, T{1}, scores, negatives_);
    }
    std::copy_n(work.sum, negatives_, scores);
    return total;
  }

  template <class PerPair>
  double score_pair(std::size_t p, const T* user, T* scores, const PerPair& per_pair) const {
    if (batch_.mask != NegativeMask::none) mask_item(batch_.items[p], scores);
    T* const positive = scores - 1;
    *positive = dot<Isa>(user, rows_.items[batch_.items[p]], dim_);
    const double value = pair_part<Isa>(per_pair, p, positive, negatives_ + 1);
    *d_positive_[p] = *positive;
    return value;
  }

  /// Masks the negatives that are row k of the items.
  void mask_item(std::size_t k, T* scores) const noexcept {
    const std::span<const Index> occurrences = batch_.item_side.occurrence_positions(k);
    for (std::size_t s = occurrences.size(); s-- > 0 && occurrences[s] >= batch_.pairs();) {
      scores[occurrences[s] - batch_.pairs()] = masked_score<T>;
    }
  }
  void mask_seen(std::size_t user, T* scores) const noexcept {
    const BatchSide& items = batch_.item_side;
    for (const Index item : batch_.train.items_of(batch_.user_side.unique_rows[user])) {
      const bool is_negative = (*is_negative_[item / 64] >> item % 64 & 1) != 0;
      if (is_negative) mask_item(items.inverse_index[item], scores);
    }
  }

  const Batch& batch_;
  BatchRows<T> rows_;
  std::size_t dim_;
  std::size_t padded_dim_;
  std::size_t negatives_;
  std::size_t blocks_;  // of negatives
  std::size_t score_stride_;
  std::size_t group_size_;  // users
  std::size_t groups_;
  Rows<T> negative_rows_;  // blocks_ x block rows, padded with zeros
  Rows<T> transposed_;     // block by block
  Rows<T> gradient_;       // of the negatives, group by group
  Rows<T> d_positive_;     // pairs x 1
  Rows<T> work_;
  // A bit for each item: most of what a user has seen is no negative, and this tells it from cache.
  Rows<std::uint64_t> is_negative_;
};

}  // namespace prism::inline PRISM_ISA::detail
