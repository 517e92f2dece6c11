// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian potential of all pairs of a batch's unit rows, with its gradient: the uniformity of
// DirectAU and MAWU, and nearly all of their arithmetic. The matrix of pairs is symmetric and never
// stored: each tile is computed and used while it is in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/device/pair_potential.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The round-robin schedule of an even number of blocks (the circle method): each round is a
/// perfect matching, so that its tiles share no rows and run in parallel without conflict, and the
/// order in which a row's sum is added up does not depend on the threads.
/// @return blocks i < j of a round's pair
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t> round_robin_pair(
    std::size_t even_blocks, std::size_t round, std::size_t pair) noexcept {
  const std::size_t circle = even_blocks - 1;
  if (pair == 0) return {round, circle};
  const std::size_t a = (round + pair) % circle;
  const std::size_t b = (round + circle - pair) % circle;
  return {std::min(a, b), std::max(a, b)};
}

/// Unit rows laid out for tiles: each block of rows in panels, and transposed.
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

  [[nodiscard]] Rows<const T> sums() const noexcept { return sums_; }

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

}  // namespace detail

/// Sum over pairs a < b of w_ab = exp(rate * (x_a . x_b - 1)), for unit rows x, which is
/// exp(-t |x_a - x_b|^2) for rate = 2t. Adds factor(total) * sum_{b != a} w_ab x_b to gradient[a],
/// where total is the returned sum.
///
/// @param unit      n x d unit rows
/// @param gradient  n x d, added to
template <HostExecution X, class T, class Factor>
double pair_potential(const X& exec, Rows<const T> unit, double rate, const Factor& factor,
                      Rows<T> gradient, Scratch& scratch) {
  using Isa = typename X::isa;
  const detail::PairTiles<T, Isa> tiles(exec, unit, static_cast<T>(rate), scratch);
  const std::size_t blocks = tiles.blocks();
  std::vector<double> totals(blocks);
  parallel_tasks(exec, blocks, [&](std::size_t b) { totals[b] = tiles.accumulate_tile(b, b); });
  double total = std::accumulate(totals.begin(), totals.end(), 0.0);

  const std::size_t even_blocks =
      blocks + blocks % 2;  // with an odd number, one block is idle in each round
  for (std::size_t round = 0; round + 1 < even_blocks; ++round) {
    totals.assign(even_blocks / 2, 0.0);
    parallel_tasks(exec, even_blocks / 2, [&](std::size_t pair) {
      const auto [i, j] = detail::round_robin_pair(even_blocks, round, pair);
      if (j < blocks) totals[pair] = tiles.accumulate_tile(i, j);
    });
    total = std::accumulate(totals.begin(), totals.end(), total);
  }

  const T scaled = static_cast<T>(factor(total));
  constexpr std::size_t grain = 256;
  parallel_chunks(exec, unit.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      add_scaled<Isa>(gradient[r], scaled, tiles.sums()[r], unit.dim());
    }
  });
  return total;
}

}  // namespace prism::inline PRISM_ISA
