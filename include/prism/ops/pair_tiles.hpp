// SPDX-License-Identifier: BSD-3-Clause
// Tiles of the matrix of all pairs' potentials. A tile is computed and used for the gradients of
// both of its blocks of rows while it is in cache.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The rows of a batch, in blocks. For a pair of blocks, computes the sum of the potentials and,
/// for each row, the sum of the other block's rows weighted by them. Pairs that share no block may
/// be computed concurrently. Here each block of rows is laid out in panels, as it is and
/// transposed.
template <class T, class Isa>
class PairTiles {
 public:
  static constexpr std::size_t block = 64;

  template <HostExecution X>
  PairTiles(const X& exec, Rows<const T> unit, T rate, Scratch& scratch)
      : size_(unit.size()),
        dim_(unit.dim()),
        rate_(rate),
        blocks_((unit.size() + block - 1) / block),
        unit_(unit) {
    const std::size_t width = pack_width<T, Isa>;
    const std::size_t padded_dim = (dim_ + width - 1) / width * width;
    panels_ = scratch.allocate<T>(blocks_, panel_elements<T, Isa>(block, padded_dim));
    transposed_ = scratch.allocate<T>(blocks_, panel_elements<T, Isa>(dim_, block));
    sums_ = scratch.allocate_zeros<T>(exec, blocks_ * block, padded_dim);
    parallel_tasks(exec, blocks_, [&](std::size_t b) { pack_block(b); });
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Adds w_ab x_b to the sum of row a and w_ab x_a to that of row b, for rows a of block i and b
  /// of block j, i <= j, each pair once; returns the sum of w_ab.
  double accumulate_tile(std::size_t i, std::size_t j) const noexcept {
    alignas(64) T tile[block * block];
    using Right = RightFactor<T>;
    const std::size_t dim = sums_.dim();
    matrix_product<Store::overwrite, Isa>(rows_of(i), block, dim_, {unit_[i * block], dim_, 1},
                                          Right::template panels<Isa>(transposed_[j], dim_), tile,
                                          block);
    const double total = cosines_to_potentials(tile, i, j);
    matrix_product<Store::add, Isa>(block, dim, block, {tile, block, 1},
                                    Right::template panels<Isa>(panels_[j], block),
                                    sums_[i * block], dim);
    matrix_product<Store::add, Isa>(block, dim, block, {tile, 1, block},
                                    Right::template panels<Isa>(panels_[i], block),
                                    sums_[j * block], dim);
    return total;
  }

  /// gradient += factor * sums
  template <HostExecution X>
  void add_sums(const X& exec, T factor, Rows<T> gradient) const {
    constexpr std::size_t grain = 256;
    parallel_chunks(exec, size_, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        add_scaled<Isa>(gradient[r], factor, sums_[r], dim_);
      }
    });
  }

 private:
  [[nodiscard]] std::size_t rows_of(std::size_t b) const noexcept {
    return std::min(block, size_ - b * block);
  }

  void pack_block(std::size_t b) noexcept {
    constexpr std::size_t panel = panel_columns<T, Isa>;
    static_assert(block % panel == 0);
    const Rows<const T> rows(unit_[b * block], rows_of(b), dim_);
    for (std::size_t c = 0; c < sums_.dim(); c += panel) {
      pack_panel<Isa>(rows, c, false, block, panels_[b] + panel_offset<T, Isa>(block, 0, c));
    }
    for (std::size_t r = 0; r < block; r += panel) {
      pack_panel<Isa>(rows, r, true, dim_, transposed_[b] + panel_offset<T, Isa>(dim_, 0, r));
    }
  }

  /// Replaces cosines by potentials exp(rate (cos - 1)), and by zero on and below the diagonal and
  /// in padding; returns their sum.
  double cosines_to_potentials(T* tile, std::size_t i, std::size_t j) const noexcept {
    using P = Pack<T, Isa>;
    static_assert(block % P::width == 0);
    const P rate = P::broadcast(rate_);
    const std::size_t rows = rows_of(i), columns = rows_of(j);
    P total = P::broadcast(0);
    for (std::size_t r = 0; r < block; ++r) {
      T* const tile_row = tile + r * block;
      if (r >= rows) {
        std::fill_n(tile_row, block, T{0});
        continue;
      }
      for (std::size_t c = 0; c < block; c += P::width) {
        exp(rate * (P::load(tile_row + c) - P::broadcast(1))).store(tile_row + c);
      }
      if (i == j) std::fill_n(tile_row, r + 1, T{0});
      std::fill(tile_row + columns, tile_row + block, T{0});
      for (std::size_t c = 0; c < block; c += P::width) total = total + P::load(tile_row + c);
    }
    return static_cast<double>(sum(total));
  }

  std::size_t size_;
  std::size_t dim_;
  T rate_;
  std::size_t blocks_;
  Rows<const T> unit_;
  Rows<T> panels_;
  Rows<T> transposed_;
  Rows<T> sums_;
};

}  // namespace prism::inline PRISM_ISA::detail
