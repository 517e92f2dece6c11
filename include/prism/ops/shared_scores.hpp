// SPDX-License-Identifier: BSD-3-Clause
// Scores of a batch whose pairs share their negatives: a matrix product, computed one block of
// users at a time. Each block's scores are computed, replaced by their derivatives and used for
// both gradients while they are in cache; the matrix is never stored as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/bfloat16_tile_amx.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/scores.hpp"
#include "prism/ops/seen_negatives.hpp"
#include "prism/ops/shared_products.hpp"
#include "prism/ops/split_shared_products.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The products on an instruction set's tile unit; std::monostate if it has none.
template <class T, class Isa>
struct SplitProductsOf {
  using type = std::monostate;
};
template <HasTileUnit Isa>
struct SplitProductsOf<float, Isa> {
  using type = SplitSharedProducts<typename TileUnit<Isa>::type, Isa>;
};

/// The scores of all users of a batch with its shared negatives, and the gradients of both. How
/// users are divided into groups depends only on their number. Each group has its own sum of the
/// negatives' gradients; the groups' sums are added in order.
template <class T, class Isa>
class SharedScores {
  static constexpr std::size_t block = shared_block;
  static constexpr std::size_t max_groups = 16;
  static constexpr bool has_tiles = std::is_same_v<T, float> && HasTileUnit<Isa>;
  using Split = typename SplitProductsOf<T, Isa>::type;

 public:
  template <HostExecution X>
  SharedScores(const X& exec, const Batch& batch, BatchRows<T> rows, Scratch& scratch)
      : batch_(batch),
        rows_(rows),
        dim_(rows.users.dim()),
        negatives_(batch.negatives.size()),
        // Otherwise the scores of successive users would compete for the same cache lines.
        score_stride_((negatives_ + block - 1) / block * block + 2 * line) {
    const std::size_t users = batch.user_side.num_active;
    const std::size_t user_blocks = (users + block - 1) / block;
    group_size_ = std::max<std::size_t>((user_blocks + max_groups - 1) / max_groups, 1) * block;
    const std::size_t groups = (users + group_size_ - 1) / group_size_;
    d_positive_ = scratch.allocate<T>(batch.pairs(), 1);
    work_ = scratch.allocate<T>(groups, (block + 2) * score_stride_);
    const auto multiply_by = [&](auto& products) {
      products.emplace(exec, rows.items, batch.negatives, groups, score_stride_, scratch);
    };
    if constexpr (has_tiles) {
      if (Split::applies(users, negatives_, dim_)) multiply_by(split_products_);
    }
    if (!split_products_) multiply_by(products_);
    if (batch.mask == NegativeMask::seen_items) seen_.emplace(exec, batch, scratch);
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
    with_products([&](const auto& products) { products.finish(exec); });
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
          with_products([&](const auto& products) {
            products.add_negative_gradient(occurrence - batch_.pairs(), gradient.data());
          });
        }
        scatter_item(k, gradient.data());
      }
    });
  }

 private:
  static constexpr std::size_t line = 64 / sizeof(T);

  /// A group's working memory.
  struct Work {
    T* scores;    // block x score_stride_: a row's positive precedes its first negative
    T* unmasked;  // score_stride_: the scores of a user with several pairs
    T* sum;       // score_stride_: the sum of the derivatives of such a user's pairs
  };

  [[nodiscard]] Work work_of(std::size_t group) const noexcept {
    T* const scores = work_[group];
    T* const unmasked = scores + block * score_stride_;
    return {scores + line, unmasked + line, unmasked + score_stride_};
  }

  /// Calls visit(products), with those on the processor's tile unit where it is used.
  template <class Visit>
  auto with_products(const Visit& visit) const {
    if constexpr (has_tiles) {
      if (split_products_) return visit(*split_products_);
    }
    return visit(*products_);
  }

  template <class PerPair, class Scatter>
  double score_group(std::size_t begin, std::size_t end, const PerPair& per_pair,
                     const Scatter& scatter_user) const {
    const std::size_t group = begin / group_size_;
    const Work work = work_of(group);
    double total = 0;
    for (std::size_t first = begin; first < end; first += block) {
      const std::size_t users = std::min(block, end - first);
      with_products([&](const auto& products) {
        products.multiply(group, rows_.users, first, users, work.scores);
      });
      for (std::size_t r = 0; r < users; ++r) total += score_user(first + r, r, work, per_pair);
      const Rows<T> user_gradients = with_products([&](const auto& products) {
        if (first == begin) {
          return products.template gradients<Store::overwrite>(group, users, work.scores);
        }
        return products.template gradients<Store::add>(group, users, work.scores);
      });
      for (std::size_t r = 0; r < users; ++r) {
        T* const user_gradient = user_gradients[r];
        for (const Index p : batch_.user_side.occurrence_positions(first + r)) {
          add_scaled<Isa>(user_gradient, *d_positive_[p], rows_.items[batch_.items[p]], dim_);
        }
        scatter_user(first + r, user_gradient);
      }
    }
    return total;
  }

  /// Calls per_pair for the pairs of user k, whose scores are row r of the block, and replaces the
  /// scores by the sum of the pairs' derivatives.
  template <class PerPair>
  double score_user(std::size_t k, std::size_t r, const Work& work, const PerPair& per_pair) const {
    T* const scores = work.scores + r * score_stride_;
    const T* const user = rows_.users[k];
    const std::span<const Index> pairs = batch_.user_side.occurrence_positions(k);
    if (seen_) seen_->mask(k, scores);
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
    if (batch_.mask != NegativeMask::none) {
      for_each_negative_of(batch_, batch_.items[p],
                           [=](std::size_t q) { scores[q] = masked_score<T>; });
    }
    T* const positive = scores - 1;
    *positive = dot<Isa>(user, rows_.items[batch_.items[p]], dim_);
    const double value = pair_part<Isa>(per_pair, p, positive, negatives_ + 1);
    *d_positive_[p] = *positive;
    return value;
  }

  const Batch& batch_;
  BatchRows<T> rows_;
  std::size_t dim_;
  std::size_t negatives_;
  std::size_t score_stride_;
  std::size_t group_size_;  // users
  std::optional<SharedProducts<T, Isa>> products_;
  std::optional<Split> split_products_;
  Rows<T> d_positive_;  // pairs x 1
  Rows<T> work_;
  std::optional<SeenNegatives> seen_;
};

}  // namespace prism::inline PRISM_ISA::detail
