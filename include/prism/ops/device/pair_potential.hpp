// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian potential of all pairs of unit rows on a device. A block computes the cosines of 128
// rows (64 of double) with 64 others, their potentials, and the weighted sums of the others; the
// matrix of pairs is never stored. Each pair is computed twice, once for each of its rows, so that
// a row's sum has a fixed order.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/ops/device/tile.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// How the work is divided into blocks: by tiles of rows a, by parts of the tiles of rows b, and by
/// columns of the sums. Depends only on the shape.
struct PotentialGrid {
  std::size_t row_tiles;
  std::size_t tiles_of_part;
  std::size_t parts;
  std::size_t passes;

  /// @param columns  of the sums that a block computes
  template <class Shape>
  [[nodiscard]] static PotentialGrid of(std::size_t n, std::size_t dim,
                                        std::size_t columns) noexcept {
    constexpr std::size_t blocks = 512;  // keep a device busy
    const std::size_t row_tiles = tiles_of(n, Shape::rows), tiles = tiles_of(n, Shape::columns);
    const std::size_t wanted = std::clamp<std::size_t>(blocks / std::max<std::size_t>(row_tiles, 1),
                                                       1, std::max<std::size_t>(tiles, 1));
    const std::size_t tiles_of_part = std::max<std::size_t>((tiles + wanted - 1) / wanted, 1);
    return {row_tiles, tiles_of_part, (tiles + tiles_of_part - 1) / tiles_of_part,
            tiles_of(dim, columns)};
  }
  [[nodiscard]] constexpr std::size_t blocks_of_pass() const noexcept { return row_tiles * parts; }
};

/// @tparam Chunks  of 64 columns of the sums, which a block holds in registers
template <class T, std::size_t Chunks>
struct PotentialKernel {
  // As large as shared memory allows.
  using Shape = TileShape<sizeof(T) == sizeof(float) ? 8 : 4, 4>;
  static constexpr std::size_t columns_of_block = Chunks * Shape::columns;
  static constexpr unsigned resident_blocks = Chunks == 1 ? 2 : 1;

  struct Shared {
    Slab<T, Shape::rows> left;
    Slab<T, Shape::columns> right;
    alignas(16) TileLine<T, Shape::rows> potentials[Shape::columns];  // [b][a]
    double totals[block_threads];
  };

  PotentialGrid grid;
  Rows<const T> unit;
  T rate;
  Rows<T> sums;    // one part's for all rows, then the next part's
  double* totals;  // of the blocks of the first pass

  template <class Block>
  PRISM_HOST_DEVICE void operator()(const Block& block, Shared& shared, std::size_t index) const {
    const std::size_t n = unit.size(), dim = unit.dim();
    const std::size_t in_pass = index % grid.blocks_of_pass();
    const std::size_t first_of_sums = index / grid.blocks_of_pass() * columns_of_block;
    const std::size_t part = in_pass / grid.row_tiles;
    const TileRange a{in_pass % grid.row_tiles * Shape::rows, n};
    const std::size_t after_part = (part + 1) * grid.tiles_of_part;
    const std::size_t end = std::min(after_part, tiles_of(n, Shape::columns));
    const ByLine<Rows<const T>> lines{unit};
    typename Block::template PerThread<Sums> sums_of(Sums{});
    typename Block::template PerThread<double> total(0.0);

    for (std::size_t tile = part * grid.tiles_of_part; tile < end; ++tile) {
      const TileRange b{tile * Shape::columns, n};
      typename Block::template PerThread<Tile> cosines(Tile{});
      multiply_tile<Shape, T>(block, lines, a, lines, b, {0, dim}, shared.left, shared.right,
                              cosines);
      block.for_each_thread([&](unsigned thread) {
        total[thread] +=
            static_cast<double>(store_potentials(thread, cosines[thread], a, b, shared));
      });
      PRISM_UNROLL
      for (std::size_t c = 0; c < Chunks; ++c) {
        const TileRange columns{first_of_sums + c * Shape::columns, dim};
        if (columns.begin < dim) add_weighted_rows(block, c, b, columns, shared, sums_of);
      }
    }

    block.for_each_thread([&](unsigned thread) {
      PRISM_UNROLL
      for (std::size_t c = 0; c < Chunks; ++c) {
        for_each_of_thread(thread, sums_of[thread].chunk[c], a,
                           {first_of_sums + c * Shape::columns, dim},
                           [&](std::size_t row, std::size_t column, T number) {
                             sums[part * n + row][column] = number;
                           });
      }
      shared.totals[thread] = total[thread];
    });
    if (first_of_sums > 0) return;
    for (unsigned distance = block_threads / 2; distance > 0; distance /= 2) {
      block.for_each_thread([&](unsigned thread) {
        if (thread < distance) shared.totals[thread] += shared.totals[thread + distance];
      });
    }
    block.for_each_thread([&](unsigned thread) {
      if (thread == 0) totals[in_pass] = shared.totals[0];
    });
  }

 private:
  using Tile = ThreadTile<T, Shape>;
  /// The sums of a thread.
  struct Sums {
    Tile chunk[Chunks];
  };

  /// Replaces cosines by potentials, in shared memory; returns their sum.
  PRISM_HOST_DEVICE T store_potentials(unsigned thread, const Tile& cosines, TileRange a,
                                       TileRange b, Shared& shared) const noexcept {
    T total = 0;
    PRISM_UNROLL
    for (unsigned j = 0; j < Shape::columns_of_thread; ++j) {
      const unsigned column = Shape::column(thread, j);
      PRISM_UNROLL
      for (unsigned i = 0; i < Shape::rows_of_thread; ++i) {
        const unsigned row = Shape::row(thread, i);
        const std::size_t row_a = a.begin + row, row_b = b.begin + column;
        const bool is_pair = row_a < a.end && row_b < b.end && row_a != row_b;
        const T potential = is_pair ? elementary::exp(rate * (cosines.at[i][j] - T{1})) : T{0};
        shared.potentials[column][row] = potential;
        total += potential;
      }
    }
    return total;
  }

  template <class Block>
  PRISM_HOST_DEVICE void add_weighted_rows(
      const Block& block, std::size_t chunk, TileRange b, TileRange columns, Shared& shared,
      typename Block::template PerThread<Sums>& sums_of) const {
    using Factor = ByDepth<Rows<const T>>;
    const Factor rows{unit};
    typename Block::template PerThread<SlabShare<T, Shape::columns>> next({});
    const auto read = [&](unsigned thread, std::size_t k) {
      next[thread] = read_slab<Shape::columns, T>(thread, rows, columns, {b.begin + k, b.end});
    };
    block.for_each_thread([&](unsigned thread) { read(thread, 0); });
    for (std::size_t k = 0; k < Shape::columns; k += slab_depth<T>) {
      block.for_each_thread(
          [&](unsigned thread) { store_slab<Factor>(thread, next[thread], shared.right); });
      block.for_each_thread([&](unsigned thread) {
        if (k + slab_depth<T> < Shape::columns) read(thread, k + slab_depth<T>);
        multiply_slab<Shape, T>(thread, shared.potentials + k, shared.right.at,
                                sums_of[thread].chunk[chunk]);
      });
    }
  }
};

/// The sums of w_ab x_b over all b other than a, in parts that must be added up in order.
template <class T>
struct PotentialSums {
  double total;  // the sum of w_ab over all a and b
  std::size_t parts;
  Rows<const T> sums;  // parts x n rows
};

template <std::size_t Chunks, class T, DeviceExecution X>
[[nodiscard]] PotentialSums<T> potential_sums(const X& exec, Rows<const T> unit, T rate,
                                              Scratch& scratch) {
  using Kernel = PotentialKernel<T, Chunks>;
  const PotentialGrid grid =
      PotentialGrid::of<typename Kernel::Shape>(unit.size(), unit.dim(), Kernel::columns_of_block);
  const Rows<T> sums = scratch.allocate<T>(grid.parts * unit.size(), unit.dim());
  double* const totals = scratch.allocate<double>(grid.blocks_of_pass(), 1).data();
  for_each_block(exec, grid.blocks_of_pass() * grid.passes, Kernel{grid, unit, rate, sums, totals});
  const double total =
      sum_over_rows(exec, grid.blocks_of_pass(), 0,
                    [=] PRISM_HOST_DEVICE(std::size_t i) -> double { return totals[i]; });
  return {total, grid.parts, sums};
}

/// to += factor * the sum of the parts
template <class T, DeviceExecution X>
void add_scaled_parts(const X& exec, T factor, PotentialSums<T> from, Rows<T> to) {
  const std::size_t numbers = to.num_elements(), parts = from.parts;
  const T* const sums = from.sums.data();
  T* const gradient = to.data();
  for_each_element(exec, numbers, 0, [=] PRISM_HOST_DEVICE(std::size_t i) {
    T sum = sums[i];
    for (std::size_t part = 1; part < parts; ++part) sum += sums[part * numbers + i];
    gradient[i] += factor * sum;
  });
}

}  // namespace detail

/// pair_potential on a device: see ops/pair_potential.hpp.
/// @param unit      n x d unit rows
/// @param gradient  n x d, added to
template <DeviceExecution X, class T, class Factor>
double pair_potential(const X& exec, Rows<const T> unit, double rate, const Factor& factor,
                      Rows<T> gradient, Scratch& scratch) {
  const T exponent_rate = static_cast<T>(rate);
  const detail::PotentialSums<T> sums =
      unit.dim() <= detail::PotentialKernel<T, 1>::columns_of_block
          ? detail::potential_sums<1>(exec, unit, exponent_rate, scratch)
          : detail::potential_sums<2>(exec, unit, exponent_rate, scratch);
  const double total = sums.total / 2;
  detail::add_scaled_parts<T>(exec, static_cast<T>(factor(total)), sums, gradient);
  return total;
}

}  // namespace prism::inline PRISM_ISA
