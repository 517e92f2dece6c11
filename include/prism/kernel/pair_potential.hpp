// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian potential of all pairs of a batch's unit rows, with its gradient: the uniformity of
// DirectAU and MAWU, and nearly all of their arithmetic. The matrix of pairs is symmetric and is
// never stored: a tile of it is made, weighed and spent while it lies in cache.
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
#include "prism/kernel/pack.hpp"
#include "prism/kernel/product.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Meetings of an even number of teams, each round a perfect matching (the circle method): tiles of
/// one round share no rows, so they run side by side without conflict, and every row meets the
/// others in an order that does not depend on the threads.
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t> meeting(std::size_t teams,
                                                                    std::size_t round,
                                                                    std::size_t table) noexcept {
  const std::size_t circle = teams - 1;
  if (table == 0) return {round, circle};
  const std::size_t a = (round + table) % circle;
  const std::size_t b = (round + circle - table) % circle;
  return {std::min(a, b), std::max(a, b)};
}

/// Unit rows laid out for tiles: padded with zeros, and transposed block by block.
template <class T, class Isa>
class PairTiles {
 public:
  static constexpr std::size_t block = 64;

  template <Execution X>
  PairTiles(const X& exec, Rows<const T> unit, T sharpness, Scratch& scratch)
      : size_(unit.size()),
        dim_(unit.dim()),
        sharpness_(sharpness),
        blocks_((unit.size() + block - 1) / block) {
    const std::size_t width = pack_width<T, Isa>;
    const std::size_t padded_dim = (dim_ + width - 1) / width * width;
    unit_ = scratch.take<T>(blocks_ * block, padded_dim);
    transposed_ = scratch.take<T>(blocks_ * dim_, block);
    sums_ = scratch.take_zeros<T>(exec, blocks_ * block, padded_dim);
    parallel_tasks(exec, blocks_, [&](std::size_t b) { lay_out(unit, b); });
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// Adds the potential of rows of block i with rows of block j, i <= j, to the rows' sums;
  /// returns its total.
  double meet(std::size_t i, std::size_t j) const noexcept {
    alignas(64) T tile[block * block];
    const std::size_t dim = unit_.dim();
    const T* const rows_i = unit_[i * block];
    const T* const rows_j = unit_[j * block];
    product<Store::overwrite, Isa>(block, block, dim_, {rows_i, dim, 1}, transposed_[j * dim_],
                                   block, tile, block);
    const double total = weigh(tile, i, j);
    product<Store::add, Isa>(block, dim, block, {tile, block, 1}, rows_j, dim, sums_[i * block],
                             dim);
    product<Store::add, Isa>(block, dim, block, {tile, 1, block}, rows_i, dim, sums_[j * block],
                             dim);
    return total;
  }

  [[nodiscard]] Rows<const T> sums() const noexcept { return sums_; }

 private:
  void lay_out(Rows<const T> from, std::size_t b) noexcept {
    for (std::size_t r = b * block; r < (b + 1) * block; ++r) {
      T* const to = unit_[r];
      const std::size_t filled = r < size_ ? dim_ : 0;
      if (filled > 0) std::copy_n(from[r], dim_, to);
      std::fill(to + filled, to + unit_.dim(), T{0});
      for (std::size_t c = 0; c < dim_; ++c) transposed_[b * dim_ + c][r - b * block] = to[c];
    }
  }

  /// Turns cosines into potentials exp(sharpness (cos - 1)), zero where a row would meet itself, a
  /// pair twice, or padding.
  double weigh(T* tile, std::size_t i, std::size_t j) const noexcept {
    using P = Pack<T, Isa>;
    static_assert(block % P::width == 0);
    const P sharpness = P::broadcast(sharpness_);
    const std::size_t rows = std::min(block, size_ - i * block);
    const std::size_t columns = std::min(block, size_ - j * block);
    P total = P::broadcast(0);
    for (std::size_t r = 0; r < block; ++r) {
      T* const line = tile + r * block;
      if (r >= rows) {
        std::fill_n(line, block, T{0});
        continue;
      }
      for (std::size_t c = 0; c < block; c += P::width) {
        exp(sharpness * (P::load(line + c) - P::broadcast(1))).store(line + c);
      }
      if (i == j) std::fill_n(line, r + 1, T{0});
      std::fill(line + columns, line + block, T{0});
      for (std::size_t c = 0; c < block; c += P::width) total = total + P::load(line + c);
    }
    return static_cast<double>(sum(total));
  }

  std::size_t size_;
  std::size_t dim_;
  T sharpness_;
  std::size_t blocks_;
  Rows<T> unit_;
  Rows<T> transposed_;
  Rows<T> sums_;
};

}  // namespace detail

/// Sum over pairs a < b of w_ab = exp(sharpness * (x_a . x_b - 1)), for unit rows x; that is
/// exp(-t |x_a - x_b|^2) at sharpness 2t. Adds factor(total) * sum_{b != a} w_ab x_b to
/// gradient[a], where total is the returned sum.
///
/// @param unit      n x d rows of length 1
/// @param gradient  n x d, added to
template <Execution X, class T, class Factor>
double pair_potential(const X& exec, Rows<const T> unit, double sharpness, const Factor& factor,
                      Rows<T> gradient, Scratch& scratch) {
  using Isa = typename X::isa;
  const detail::PairTiles<T, Isa> tiles(exec, unit, static_cast<T>(sharpness), scratch);
  const std::size_t blocks = tiles.blocks();
  std::vector<double> totals(blocks);
  parallel_tasks(exec, blocks, [&](std::size_t b) { totals[b] = tiles.meet(b, b); });
  double total = std::accumulate(totals.begin(), totals.end(), 0.0);

  const std::size_t teams = blocks + blocks % 2;  // with an odd number, one sits out each round
  for (std::size_t round = 0; round + 1 < teams; ++round) {
    totals.assign(teams / 2, 0.0);
    parallel_tasks(exec, teams / 2, [&](std::size_t table) {
      const auto [i, j] = detail::meeting(teams, round, table);
      if (j < blocks) totals[table] = tiles.meet(i, j);
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
