// SPDX-License-Identifier: BSD-3-Clause
// A tile of a matrix product. Each thread of a block computes a few of its numbers: the sums over k
// of left(i, k) * right(j, k), one slab of k at a time. A number's sum has the same order in tiles
// of any shape.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/thread_block.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr unsigned threads_across = 16;
static_assert(threads_across * threads_across == block_threads);

/// The shape of a tile. A thread's numbers form groups of 4 x 4; adjacent groups belong to
/// neighbouring threads, which thus read adjacent shared memory.
/// @tparam Rows, Columns  of a thread
template <unsigned Rows, unsigned Columns>
struct TileShape {
  static_assert(Rows % 4 == 0 && Columns % 4 == 0);
  static constexpr unsigned rows_of_thread = Rows, columns_of_thread = Columns;
  static constexpr std::size_t rows = threads_across * Rows, columns = threads_across * Columns;

  [[nodiscard]] static constexpr unsigned row(unsigned thread, unsigned i) noexcept {
    return line(thread / threads_across, i);
  }
  [[nodiscard]] static constexpr unsigned column(unsigned thread, unsigned j) noexcept {
    return line(thread % threads_across, j);
  }

 private:
  [[nodiscard]] static constexpr unsigned line(unsigned place, unsigned i) noexcept {
    return (i / 4 * threads_across + place) * 4 + i % 4;
  }
};

/// The number of tiles of this many lines that n lines take.
[[nodiscard]] constexpr std::size_t tiles_of(std::size_t n, std::size_t lines) noexcept {
  return (n + lines - 1) / lines;
}

/// The number of k for which both factors are in shared memory at a time.
template <class T>
inline constexpr std::size_t slab_depth = 64 / sizeof(T);

/// The numbers of a tile's lines for one k. The padding keeps threads that store 8 successive k of
/// 4 lines out of the same bank of shared memory, and lines aligned to 16 bytes.
template <class T, std::size_t Lines>
using TileLine = T[Lines + 4];

/// A factor's part for a tile: at[k][line].
template <class T, std::size_t Lines>
struct Slab {
  alignas(16) TileLine<T, Lines> at[slab_depth<T>];
};

/// The numbers of a slab that a thread loads.
template <class T, std::size_t Lines>
struct SlabShare {
  static constexpr unsigned size = Lines * slab_depth<T> / block_threads;
  T numbers[size];
};

/// The numbers of a thread.
template <class T, class Shape>
struct ThreadTile {
  T at[Shape::rows_of_thread][Shape::columns_of_thread];
};

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

/// A range of a factor's lines or of k.
struct TileRange {
  std::size_t begin, end;
};

/// The place in a slab of a thread's n-th number. Neighbouring threads have neighbouring numbers in
/// memory, at least whole sectors of 32 bytes.
template <class Factor, std::size_t Lines>
struct SlabPlace {
  unsigned line, k;

  PRISM_HOST_DEVICE constexpr SlabPlace(unsigned thread, unsigned n) noexcept {
    constexpr unsigned run = 8, lines = Lines;
    const unsigned e = thread + n * block_threads;
    line = Factor::depth_is_contiguous ? e / run % lines : e % lines;
    k = Factor::depth_is_contiguous ? e % run + e / (run * lines) * run : e / lines;
  }
};

/// Reads a thread's share of a slab; zeros beyond the ends of lines and k.
template <std::size_t Lines, class T, class Factor>
[[nodiscard]] PRISM_HOST_DEVICE inline SlabShare<T, Lines> read_slab(unsigned thread,
                                                                     const Factor& from,
                                                                     TileRange lines,
                                                                     TileRange depth) noexcept {
  SlabShare<T, Lines> share;
  PRISM_UNROLL
  for (unsigned n = 0; n < share.size; ++n) {
    const SlabPlace<Factor, Lines> place(thread, n);
    const std::size_t line = lines.begin + place.line, k = depth.begin + place.k;
    share.numbers[n] = line < lines.end && k < depth.end ? from(line, k) : T{0};
  }
  return share;
}

template <class Factor, std::size_t Lines, class T>
PRISM_HOST_DEVICE inline void store_slab(unsigned thread, const SlabShare<T, Lines>& share,
                                         Slab<T, Lines>& to) noexcept {
  PRISM_UNROLL
  for (unsigned n = 0; n < share.size; ++n) {
    const SlabPlace<Factor, Lines> place(thread, n);
    to.at[place.k][place.line] = share.numbers[n];
  }
}

/// Adds the products of a slab to a thread's sums.
/// @param left, right  slab_depth<T> lines each
template <class Shape, class T>
PRISM_HOST_DEVICE inline void multiply_slab(unsigned thread, const TileLine<T, Shape::rows>* left,
                                            const TileLine<T, Shape::columns>* right,
                                            ThreadTile<T, Shape>& sums) noexcept {
  constexpr unsigned rows = Shape::rows_of_thread, columns = Shape::columns_of_thread;
  PRISM_UNROLL
  for (std::size_t k = 0; k < slab_depth<T>; ++k) {
    T a[rows], b[columns];
    PRISM_UNROLL
    for (unsigned i = 0; i < rows; ++i) a[i] = left[k][Shape::row(thread, i)];
    PRISM_UNROLL
    for (unsigned j = 0; j < columns; ++j) b[j] = right[k][Shape::column(thread, j)];
    PRISM_UNROLL
    for (unsigned i = 0; i < rows; ++i) {
      PRISM_UNROLL
      for (unsigned j = 0; j < columns; ++j) sums.at[i][j] += a[i] * b[j];
    }
  }
}

/// Adds the products of all k in `depth` to the sums of a block's threads. Each slab is read while
/// the previous one is multiplied.
/// @param shared_left, shared_right  the block's, overwritten
template <class Shape, class T, class Block, class Left, class Right, class Sums>
PRISM_HOST_DEVICE inline void multiply_tile(const Block& block, const Left& left, TileRange rows,
                                            const Right& right, TileRange columns, TileRange depth,
                                            Slab<T, Shape::rows>& shared_left,
                                            Slab<T, Shape::columns>& shared_right, Sums& sums) {
  typename Block::template PerThread<SlabShare<T, Shape::rows>> next_left({});
  typename Block::template PerThread<SlabShare<T, Shape::columns>> next_right({});
  const auto read = [&](unsigned thread, std::size_t k) {
    next_left[thread] = read_slab<Shape::rows, T>(thread, left, rows, {k, depth.end});
    next_right[thread] = read_slab<Shape::columns, T>(thread, right, columns, {k, depth.end});
  };
  block.for_each_thread([&](unsigned thread) { read(thread, depth.begin); });
  for (std::size_t k = depth.begin; k < depth.end; k += slab_depth<T>) {
    block.for_each_thread([&](unsigned thread) {
      store_slab<Left>(thread, next_left[thread], shared_left);
      store_slab<Right>(thread, next_right[thread], shared_right);
    });
    block.for_each_thread([&](unsigned thread) {
      if (k + slab_depth<T> < depth.end) read(thread, k + slab_depth<T>);
      multiply_slab<Shape, T>(thread, shared_left.at, shared_right.at, sums[thread]);
    });
  }
}

/// Calls visit(row, column, number) for each number of a thread's tile that lies inside the matrix.
template <class T, class Shape, class Visit>
PRISM_HOST_DEVICE inline void for_each_of_thread(unsigned thread, const ThreadTile<T, Shape>& tile,
                                                 TileRange rows, TileRange columns,
                                                 const Visit& visit) {
  PRISM_UNROLL
  for (unsigned i = 0; i < Shape::rows_of_thread; ++i) {
    const std::size_t row = rows.begin + Shape::row(thread, i);
    PRISM_UNROLL
    for (unsigned j = 0; j < Shape::columns_of_thread; ++j) {
      const std::size_t column = columns.begin + Shape::column(thread, j);
      if (row < rows.end && column < columns.end) visit(row, column, tile.at[i][j]);
    }
  }
}

}  // namespace prism::inline PRISM_ISA::detail
