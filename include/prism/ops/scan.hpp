// SPDX-License-Identifier: BSD-3-Clause
// Exclusive prefix sums on a device. They do not use CUB, whose headers declare a namespace ::cuda
// that makes cuda::device() ambiguous in a file with `using namespace prism`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/thread_memory.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How many numbers a warp scans.
inline constexpr std::size_t scan_tile = 1024;

struct ScanOwner;  // of working memory

/// Calls store(i, number(0) + ... + number(i - 1)) for each i in [0, n), with sums modulo 2^32.
/// Returns before the device is done.
/// @param number  a function of i, called once or twice for each
/// @param store   may overwrite what number(i) reads for the same i
template <DeviceExecution X, class Number, class Store>
void exclusive_scan(const X& exec, std::size_t n, const Number& number, const Store& store) {
  constexpr std::size_t tile_size = scan_tile;
  const std::size_t tiles = (n + tile_size - 1) / tile_size;
  const std::span<Index> sums = thread_memory<ScanOwner>(exec, tiles);
  for_each_row(exec, tiles > 1 ? tiles - 1 : 0, [=] PRISM_HOST_DEVICE(std::size_t tile) {
    using Isa = typename X::isa;
    const std::size_t begin = tile * tile_size, end = begin + tile_size;
    Index sum = 0;
    for (std::size_t i = begin + Lanes<Isa>::first(); i < end; i += Lanes<Isa>::step()) {
      sum += number(i);
    }
    sum = Lanes<Isa>::sum(sum);
    Lanes<Isa>::once([&] { sums[tile] = sum; });
  });
  // Each warp adds up the sums of the tiles before its own: they are few, and scanning them would
  // take another loop.
  for_each_row(exec, tiles, [=] PRISM_HOST_DEVICE(std::size_t tile) {
    using Isa = typename X::isa;
    const std::size_t begin = tile * tile_size, end = std::min(begin + tile_size, n);
    Index before = 0;
    for (std::size_t t = Lanes<Isa>::first(); t < tile; t += Lanes<Isa>::step()) {
      before += sums[t];
    }
    before = Lanes<Isa>::sum(before);
    for (std::size_t next = begin; next < end; next += Lanes<Isa>::step()) {
      const std::size_t i = next + Lanes<Isa>::first();
      const Index own = i < end ? number(i) : 0;
      const Index earlier_lanes = Lanes<Isa>::sum_before(own);
      if (i < end) store(i, before + earlier_lanes);
      before += Lanes<Isa>::sum(own);
    }
  });
}

/// Exclusive prefix sums of a list: to[i] = from[0] + ... + from[i - 1].
/// @param from, to  of equal length, in the device's memory; the same list, or lists that do not
///     overlap
template <DeviceExecution X>
void exclusive_scan(const X& exec, std::span<const Index> from, std::span<Index> to) {
  exclusive_scan(
      exec, from.size(), [=] PRISM_HOST_DEVICE(std::size_t i) -> Index { return from[i]; },
      [=] PRISM_HOST_DEVICE(std::size_t i, Index before) { to[i] = before; });
}

}  // namespace prism::inline PRISM_ISA::detail
