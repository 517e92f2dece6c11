// SPDX-License-Identifier: BSD-3-Clause
// A tile of a product of matrices, 64 x 64 numbers of which each thread of a block has 4 x 4: the
// sum over k of left(i, k) * right(j, k), slab by slab of k.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/thread_block.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t tile_size = 64;
inline constexpr unsigned tile_of_thread = 4;
inline constexpr unsigned threads_across = 16;
static_assert(threads_across * tile_of_thread == tile_size);
static_assert(threads_across * threads_across == block_threads);

[[nodiscard]] constexpr std::size_t tiles_of(std::size_t n) noexcept {
  return (n + tile_size - 1) / tile_size;
}

/// How many k of both factors are in shared memory at a time.
template <class T>
inline constexpr std::size_t slab_depth = 64 / sizeof(T);

/// The numbers of a tile's 64 lines for one k. The end keeps threads that store 8 successive k of 4
/// lines from the same bank of shared memory, and lines on 16 bytes.
template <class T>
using TileLine = T[tile_size + 4];

/// A factor's part for a tile: at[k][line].
template <class T>
struct Slab {
  alignas(16) TileLine<T> at[slab_depth<T>];
};

/// The 4 x 4 numbers of a thread.
template <class T>
struct ThreadTile {
  T at[tile_of_thread][tile_of_thread];
};

/// A thread's first row and column in its block's tile.
[[nodiscard]] constexpr unsigned first_row(unsigned thread) noexcept {
  return thread / threads_across * tile_of_thread;
}
[[nodiscard]] constexpr unsigned first_column(unsigned thread) noexcept {
  return thread % threads_across * tile_of_thread;
}

/// A factor of a product: element (line, k) is rows[line][k].
/// @tparam Source  rows: rows[r] points at the first element of row r
template <class Source>
struct ByLine {
  Source rows;
  static constexpr bool depth_is_contiguous = true;

  [[nodiscard]] PRISM_HOST_DEVICE auto operator()(std::size_t line, std::size_t k) const noexcept {
    return rows[line][k];
  }
};

/// A factor of a product: element (line, k) is rows[k][line].
template <class Source>
struct ByDepth {
  Source rows;
  static constexpr bool depth_is_contiguous = false;

  [[nodiscard]] PRISM_HOST_DEVICE auto operator()(std::size_t line, std::size_t k) const noexcept {
    return rows[k][line];
  }
};

/// A range of numbers, of a factor's lines or of k.
struct TileRange {
  std::size_t begin, end;
};

/// Loads a thread's share of a slab; zeros beyond the ends of lines and k.
template <class T, class Factor>
PRISM_HOST_DEVICE inline void load_slab(unsigned thread, const Factor& from, TileRange lines,
                                        TileRange depth, Slab<T>& to) noexcept {
  constexpr unsigned lines_of_tile = tile_size, run = 8;
  constexpr unsigned count = lines_of_tile * slab_depth<T> / block_threads;
  PRISM_UNROLL
  for (unsigned n = 0; n < count; ++n) {
    const unsigned e = thread + n * block_threads;
    // Neighbouring threads read neighbouring numbers: whole sectors of 32 bytes at least.
    const unsigned line = Factor::depth_is_contiguous ? e / run % lines_of_tile : e % lines_of_tile;
    const unsigned k =
        Factor::depth_is_contiguous ? e % run + e / (run * lines_of_tile) * run : e / lines_of_tile;
    const bool inside = lines.begin + line < lines.end && depth.begin + k < depth.end;
    to.at[k][line] = inside ? from(lines.begin + line, depth.begin + k) : T{0};
  }
}

/// Adds the products of a slab to a thread's sums.
/// @param left, right  slab_depth<T> lines each
template <class T>
PRISM_HOST_DEVICE inline void multiply_slab(unsigned thread, const TileLine<T>* left,
                                            const TileLine<T>* right,
                                            ThreadTile<T>& sums) noexcept {
  const unsigned row = first_row(thread), column = first_column(thread);
  PRISM_UNROLL
  for (std::size_t k = 0; k < slab_depth<T>; ++k) {
    T a[tile_of_thread], b[tile_of_thread];
    PRISM_UNROLL
    for (unsigned i = 0; i < tile_of_thread; ++i) {
      a[i] = left[k][row + i];
      b[i] = right[k][column + i];
    }
    PRISM_UNROLL
    for (unsigned i = 0; i < tile_of_thread; ++i) {
      PRISM_UNROLL
      for (unsigned j = 0; j < tile_of_thread; ++j) sums.at[i][j] += a[i] * b[j];
    }
  }
}

/// Adds the products of all k in `depth` to the sums of a block's threads.
/// @param shared_left, shared_right  the block's, overwritten
template <class T, class Block, class Left, class Right, class Sums>
PRISM_HOST_DEVICE inline void multiply_tile(const Block& block, const Left& left, TileRange rows,
                                            const Right& right, TileRange columns, TileRange depth,
                                            Slab<T>& shared_left, Slab<T>& shared_right,
                                            Sums& sums) {
  for (std::size_t k = depth.begin; k < depth.end; k += slab_depth<T>) {
    block.for_each_thread([&](unsigned thread) {
      load_slab(thread, left, rows, {k, depth.end}, shared_left);
      load_slab(thread, right, columns, {k, depth.end}, shared_right);
    });
    block.for_each_thread([&](unsigned thread) {
      multiply_slab<T>(thread, shared_left.at, shared_right.at, sums[thread]);
    });
  }
}

/// Calls visit(row, column, number) for each number of a thread's tile that lies inside the matrix.
template <class T, class Visit>
PRISM_HOST_DEVICE inline void for_each_of_thread(unsigned thread, const ThreadTile<T>& tile,
                                                 TileRange rows, TileRange columns,
                                                 const Visit& visit) {
  PRISM_UNROLL
  for (unsigned i = 0; i < tile_of_thread; ++i) {
    const std::size_t row = rows.begin + first_row(thread) + i;
    PRISM_UNROLL
    for (unsigned j = 0; j < tile_of_thread; ++j) {
      const std::size_t column = columns.begin + first_column(thread) + j;
      if (row < rows.end && column < columns.end) visit(row, column, tile.at[i][j]);
    }
  }
}

}  // namespace prism::inline PRISM_ISA::detail
