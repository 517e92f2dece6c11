// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of any size on a device, by tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/ops/device/tile.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How to store a product's numbers: overwrite those of `to`, or add to them.
template <class T>
struct OverwriteWith {
  Rows<T> to;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][column] = number;
  }
};
template <class T>
struct AddTo {
  Rows<T> to;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][column] += number;
  }
};

struct ProductShape {
  std::size_t rows, columns, depth;
};

/// Calls store(chunk * rows + row, column, sum over the k of a chunk), with a block of threads for
/// each tile and chunk of k.
template <class T, class Shape, class Left, class Right, class Store>
struct ProductKernel {
  static constexpr unsigned resident_blocks = Shape::rows_of_thread > 4 ? 2 : 3;
  struct Shared {
    Slab<T, Shape::rows> left;
    Slab<T, Shape::columns> right;
  };

  ProductShape shape;
  std::size_t chunk_depth;
  Left left;
  Right right;
  Store store;

  [[nodiscard]] static constexpr std::size_t tiles(ProductShape shape) noexcept {
    return tiles_of(shape.rows, Shape::rows) * tiles_of(shape.columns, Shape::columns);
  }

  template <class Block>
  PRISM_HOST_DEVICE void operator()(const Block& block, Shared& shared, std::size_t index) const {
    const std::size_t across = tiles_of(shape.columns, Shape::columns),
                      tiles_of_chunk = tiles(shape);
    const std::size_t tile = index % tiles_of_chunk, chunk = index / tiles_of_chunk;
    const TileRange rows{tile / across * Shape::rows, shape.rows};
    const TileRange columns{tile % across * Shape::columns, shape.columns};
    const std::size_t first = chunk * chunk_depth, last = first + chunk_depth;
    using Sums = ThreadTile<T, Shape>;
    typename Block::template PerThread<Sums> sums(Sums{});
    multiply_tile<Shape, T>(block, left, rows, right, columns,
                            {first, last < shape.depth ? last : shape.depth}, shared.left,
                            shared.right, sums);
    block.for_each_thread([&](unsigned thread) {
      for_each_of_thread(thread, sums[thread], rows, columns,
                         [&](std::size_t row, std::size_t column, T number) {
                           store(chunk * shape.rows + row, column, number);
                         });
    });
  }
};

/// A thread uses a number loaded from shared memory for two products in a small tile, for four in a
/// large one; but a product needs enough tiles to keep a device busy.
using SmallTile = TileShape<4, 4>;
using LargeTile = TileShape<8, 8>;

inline constexpr std::size_t busy_blocks = 256;

/// The number of chunks into which k is divided, so that a product of few tiles keeps a device
/// busy. It depends only on the product's shape, so the order of sums is the same everywhere.
[[nodiscard]] constexpr std::size_t depth_chunks(ProductShape shape, std::size_t tiles) noexcept {
  constexpr std::size_t smallest_depth = 128;
  if (tiles == 0) return 1;
  return std::clamp<std::size_t>((busy_blocks + tiles - 1) / tiles, 1,
                                 std::max<std::size_t>(shape.depth / smallest_depth, 1));
}

/// Adds up the chunks in order and stores the sums.
template <class T, DeviceExecution X, class Store>
void store_sums(const X& exec, ProductShape shape, std::size_t chunks, Rows<const T> parts,
                const Store& store) {
  for_each_element(exec, shape.rows * shape.columns, 0, [=] PRISM_HOST_DEVICE(std::size_t e) {
    const std::size_t row = e / shape.columns, column = e % shape.columns;
    T sum = parts[row][column];
    for (std::size_t c = 1; c < chunks; ++c) sum += parts[c * shape.rows + row][column];
    store(row, column, sum);
  });
}

/// Calls store(i, j, sum over k < depth of left(i, k) * right(j, k)) once for each row i and column
/// j.
/// @param left   ByLine or ByDepth: a matrix of rows x depth, or the transpose of depth x rows
/// @param right  ByLine or ByDepth: the transpose of columns x depth, or a matrix of
///     depth x columns
/// @param store  a functor that the device can run: OverwriteWith, AddTo
template <class T, DeviceExecution X, class Left, class Right, class Store>
void multiply(const X& exec, ProductShape shape, const Left& left, const Right& right,
              const Store& store, Scratch& scratch) {
  using Large = ProductKernel<T, LargeTile, Left, Right, Store>;
  using Small = ProductKernel<T, SmallTile, Left, Right, Store>;
  if constexpr (sizeof(T) == sizeof(float)) {  // the sums of doubles take all registers
    if (Large::tiles(shape) >= busy_blocks && shape.rows >= LargeTile::rows &&
        shape.columns >= LargeTile::columns) {
      for_each_block(exec, Large::tiles(shape), Large{shape, shape.depth, left, right, store});
      return;
    }
  }
  const std::size_t tiles = Small::tiles(shape), wanted = depth_chunks(shape, tiles);
  if (wanted == 1) {
    for_each_block(exec, tiles, Small{shape, shape.depth, left, right, store});
    return;
  }
  // Whole slabs.
  const std::size_t slabs = (shape.depth + slab_depth<T> - 1) / slab_depth<T>;
  const std::size_t chunk_depth = (slabs + wanted - 1) / wanted * slab_depth<T>;
  const std::size_t chunks = (shape.depth + chunk_depth - 1) / chunk_depth;
  const Rows<T> parts = scratch.allocate<T>(chunks * shape.rows, shape.columns);
  for_each_block(exec, tiles * chunks,
                 ProductKernel<T, SmallTile, Left, Right, OverwriteWith<T>>{
                     shape, chunk_depth, left, right, OverwriteWith<T>{parts}});
  store_sums<T>(exec, shape, chunks, parts, store);
}

}  // namespace prism::inline PRISM_ISA::detail
