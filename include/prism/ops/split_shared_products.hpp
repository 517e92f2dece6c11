// SPDX-License-Identifier: BSD-3-Clause
// The matrix products of shared negatives, on a processor's tile unit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/bfloat16_tile.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/shared_products.hpp"
#include "prism/ops/split_panel.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Like SharedProducts. Scores are divided by a small tau and exponentiated, so they are computed
/// from three parts and are as accurate as products of floats. Derivatives have two parts.
template <class Unit, class Isa>
class SplitSharedProducts {
  static constexpr std::size_t block = shared_block;
  static constexpr std::size_t squares = squares_of_panel;
  static_assert(block == panel_rows);
  using RowTile = SplitTile<3>;
  using DerivativeTile = SplitTile<2>;

 public:
  /// Whether to use it: few negatives, users or dimensions gain nothing.
  [[nodiscard]] static bool applies(std::size_t users, std::size_t negatives, std::size_t dim) {
    return users >= block && negatives >= block && dim >= square_side && Unit::permitted();
  }

  template <HostExecution X>
  SplitSharedProducts(const X& exec, IndexedRows<const float> items,
                      std::span<const Index> negatives, std::size_t groups, std::size_t stride,
                      Scratch& scratch)
      : dim_(items.dim()),
        depth_(squares_of(dim_)),
        blocks_((negatives.size() + block - 1) / block),
        groups_(groups),
        stride_(stride) {
    const std::size_t tiles = tiles_of_panel(depth_);
    right_ = scratch.allocate<RowTile>(blocks_, tiles);
    right_transposed_ = scratch.allocate<RowTile>(blocks_, tiles);
    users_ = scratch.allocate<RowTile>(groups, tiles);
    users_transposed_ = scratch.allocate<DerivativeTile>(groups, tiles);
    work_ = scratch.allocate<RowTile>(std::max(groups, blocks_), tiles);
    gradient_ = scratch.allocate<float>(groups * blocks_ * depth_ * square_side, block);
    negative_gradient_ = scratch.allocate<float>(blocks_ * block, depth_ * square_side);
    user_gradient_ = scratch.allocate<float>(groups * block, depth_ * square_side);
    parallel_tasks(exec, blocks_, [&](std::size_t b) {
      const std::span<const Index> block_negatives =
          negatives.subspan(b * block, std::min(block, negatives.size() - b * block));
      split_rows<Unit, Isa>(
          block_negatives.size(), dim_, [&](std::size_t r) { return items[block_negatives[r]]; },
          work_[b], right_[b]);
      for (std::size_t t = 0; t < tiles; ++t) {
        transpose_pairs(work_[b][t], right_transposed_[b][t]);
      }
    });
  }

  /// The scores of users beyond the last are also zeros.
  void multiply(std::size_t group, IndexedRows<const float> users, std::size_t first,
                std::size_t count, float* scores) const {
    split_rows<Unit, Isa>(
        count, dim_, [&](std::size_t r) { return users[first + r]; }, users_[group], work_[group]);
    for (std::size_t t = 0; t < users_.dim(); ++t) {
      transpose_pairs(work_[group][t], users_transposed_[group][t]);
    }
    const typename Unit::Session session;
    for (std::size_t b = 0; b < blocks_; ++b) {
      for (std::size_t g = 0; g < squares; ++g) {
        for (std::size_t h = 0; h < squares; ++h) {
          Unit::template product<Store::overwrite>(
              TiledFactor{users_[group] + 2 * g * depth_, depth_},
              TiledFactor{right_transposed_[b] + 2 * h * depth_, depth_}, depth_,
              scores + g * square_side * stride_ + b * block + h * square_side, stride_);
        }
      }
    }
  }

  template <Store Mode>
  Rows<float> gradients(std::size_t group, std::size_t count, const float* d_scores) const {
    float* const user_gradient = user_gradient_[group * block];
    std::fill_n(user_gradient, block * user_gradient_.dim(), 0.0F);
    const typename Unit::Session session;
    DerivativeTile left[tiles_of_panel(squares)];
    DerivativeTile right[tiles_of_panel(squares)];
    for (std::size_t b = 0; b < blocks_; ++b) {
      split_square_panel<Unit, Isa>(d_scores + b * block, stride_, std::identity{}, left, right);
      float* const negative_gradient = gradient_[(group * blocks_ + b) * depth_ * square_side];
      for (std::size_t g = 0; g < squares; ++g) {
        for (std::size_t d = 0; d < depth_; ++d) {
          Unit::template product<Store::add>(
              TiledFactor{left + 2 * g * squares, squares},
              TiledFactor{right_[b] + 2 * d * squares, squares}, squares,
              user_gradient + g * square_side * user_gradient_.dim() + d * square_side,
              user_gradient_.dim());
          Unit::template product<Mode>(
              TiledFactor{users_transposed_[group] + 2 * d * squares, squares},
              TiledFactor{right + 2 * g * squares, squares}, squares,
              negative_gradient + d * square_side * block + g * square_side, block);
        }
      }
    }
    return {user_gradient, count, user_gradient_.dim()};
  }

  /// Adds up the groups' sums in place and transposes them. Call once, after all groups.
  template <HostExecution X>
  void finish(const X& exec) const {
    parallel_tasks(exec, blocks_, [&](std::size_t b) {
      const std::size_t block_elements = depth_ * square_side * block;
      float* const sum = gradient_[b * depth_ * square_side];
      for (std::size_t g = 1; g < groups_; ++g) {
        add_scaled<Isa>(sum, 1.0F, gradient_[(g * blocks_ + b) * depth_ * square_side],
                        block_elements);
      }
      for (std::size_t r = 0; r < block; ++r) {
        float* const to = negative_gradient_[b * block + r];
        for (std::size_t c = 0; c < dim_; ++c) to[c] = sum[c * block + r];
      }
    });
  }

  void add_negative_gradient(std::size_t q, float* to) const noexcept {
    add_scaled<Isa>(to, 1.0F, negative_gradient_[q], dim_);
  }

 private:
  std::size_t dim_;
  std::size_t depth_;   // of a row, in squares
  std::size_t blocks_;  // of negatives
  std::size_t groups_;
  std::size_t stride_;
  Rows<RowTile> right_, right_transposed_;  // negatives
  Rows<RowTile> users_;                     // left factors: a block for each group
  Rows<DerivativeTile> users_transposed_;
  Rows<RowTile> work_;    // the other side, while it is transposed
  Rows<float> gradient_;  // of the negatives, transposed, group by group
  Rows<float> negative_gradient_;
  Rows<float> user_gradient_;
};

}  // namespace prism::inline PRISM_ISA::detail
