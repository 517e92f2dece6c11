// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian potential of all pairs of a batch's unit rows, with its gradient: the uniformity of
// DirectAU and MAWU, and nearly all of their arithmetic. The matrix of pairs is symmetric and never
// stored: each tile is computed and used while it is in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/bfloat16_tile_amx.hpp"
#include "prism/ops/device/pair_potential.hpp"
#include "prism/ops/pair_tiles.hpp"
#include "prism/ops/split_pair_tiles.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The round-robin schedule of an even number of blocks (the circle method): each round is a
/// perfect matching, so its tiles share no rows and run in parallel without conflicts, and the
/// order of each row's sum does not depend on the threads.
/// @return blocks i < j of a round's pair
[[nodiscard]] constexpr std::pair<std::size_t, std::size_t> round_robin_pair(
    std::size_t even_blocks, std::size_t round, std::size_t pair) noexcept {
  const std::size_t circle = even_blocks - 1;
  if (pair == 0) return {round, circle};
  const std::size_t a = (round + pair) % circle;
  const std::size_t b = (round + circle - pair) % circle;
  return {std::min(a, b), std::max(a, b)};
}

/// pair_potential, computed with the given kind of tiles.
template <class Tiles, HostExecution X, class T, class Factor>
double pair_potential_by(const X& exec, Rows<const T> unit, double rate, const Factor& factor,
                         Rows<T> gradient, Scratch& scratch) {
  const Tiles tiles(exec, unit, static_cast<T>(rate), scratch);
  const std::size_t blocks = tiles.blocks();
  std::vector<double> totals(blocks);
  parallel_tasks(exec, blocks, [&](std::size_t b) { totals[b] = tiles.accumulate_tile(b, b); });
  double total = std::accumulate(totals.begin(), totals.end(), 0.0);

  const std::size_t even_blocks =
      blocks + blocks % 2;  // with an odd number, one block is idle in each round
  for (std::size_t round = 0; round + 1 < even_blocks; ++round) {
    totals.assign(even_blocks / 2, 0.0);
    parallel_tasks(exec, even_blocks / 2, [&](std::size_t pair) {
      const auto [i, j] = round_robin_pair(even_blocks, round, pair);
      if (j < blocks) totals[pair] = tiles.accumulate_tile(i, j);
    });
    total = std::accumulate(totals.begin(), totals.end(), total);
  }
  tiles.add_sums(exec, static_cast<T>(factor(total)), gradient);
  return total;
}

}  // namespace detail

/// Sum over pairs a < b of w_ab = exp(rate * (x_a . x_b - 1)), for unit rows x, which is
/// exp(-t |x_a - x_b|^2) for rate = 2t. Adds factor(total) * sum_{b != a} w_ab x_b to gradient[a],
/// where total is the returned sum. With a tile unit (isa::amx), at least 256 rows of at least 32
/// floats are multiplied as bfloat16 parts (kernel/bfloat16_tile.hpp).
///
/// @param unit      n x d unit rows
/// @param gradient  n x d, added to
template <HostExecution X, class T, class Factor>
double pair_potential(const X& exec, Rows<const T> unit, double rate, const Factor& factor,
                      Rows<T> gradient, Scratch& scratch) {
  using Isa = typename X::isa;
  if constexpr (std::is_same_v<T, float> && detail::HasTileUnit<Isa>) {
    using Unit = typename detail::TileUnit<Isa>::type;
    // Fewer gain little, and errors do not cancel in a sum of few products.
    constexpr std::size_t many_rows = 256, many_dimensions = 32;
    if (unit.size() >= many_rows && unit.dim() >= many_dimensions && Unit::permitted()) {
      return detail::pair_potential_by<detail::SplitPairTiles<Unit, Isa>>(exec, unit, rate, factor,
                                                                          gradient, scratch);
    }
  }
  return detail::pair_potential_by<detail::PairTiles<T, Isa>>(exec, unit, rate, factor, gradient,
                                                              scratch);
}

}  // namespace prism::inline PRISM_ISA
