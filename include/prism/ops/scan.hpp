// SPDX-License-Identifier: BSD-3-Clause
// Sums of all that precedes, on a device. Not CUB's: its headers declare a namespace ::cuda, which
// makes cuda::device() ambiguous in a file that is using namespace prism.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/thread_memory.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// How many numbers a warp scans.
inline constexpr std::size_t scan_tile = 256;

/// @param memory  of scan_memory_size(from.size()) numbers
template <DeviceExecution X>
void scan_tiles(const X& exec, std::span<const Index> from, std::span<Index> to,
                std::span<Index> memory) {
  const std::size_t n = from.size(), tiles = (n + scan_tile - 1) / scan_tile;
  const std::span<Index> before = tiles > 1 ? memory.first(tiles) : std::span<Index>();
  if (tiles > 1) {
    for_each_row(exec, tiles, [=] PRISM_HOST_DEVICE(std::size_t tile) {
      using Isa = typename X::isa;
      const std::size_t begin = tile * scan_tile, end = std::min(begin + scan_tile, n);
      Index total = 0;
      for (std::size_t i = begin + Lanes<Isa>::first(); i < end; i += Lanes<Isa>::step()) {
        total += from[i];
      }
      total = Lanes<Isa>::sum(total);
      Lanes<Isa>::once([&] { before[tile] = total; });
    });
    scan_tiles(exec, before, before, memory.subspan(tiles));
  }
  for_each_row(exec, tiles, [=] PRISM_HOST_DEVICE(std::size_t tile) {
    using Isa = typename X::isa;
    const std::size_t begin = tile * scan_tile, end = std::min(begin + scan_tile, n);
    Index total = before.empty() ? 0 : before[tile];
    for (std::size_t next = begin; next < end; next += Lanes<Isa>::step()) {
      const std::size_t i = next + Lanes<Isa>::first();
      const Index number = i < end ? from[i] : 0;
      const Index of_lanes_before = Lanes<Isa>::sum_before(number);
      if (i < end) to[i] = total + of_lanes_before;
      total += Lanes<Isa>::sum(number);
    }
  });
}

/// A sum for each tile, for each tile of these, and so on down to one tile.
[[nodiscard]] constexpr std::size_t scan_memory_size(std::size_t n) noexcept {
  std::size_t size = 0;
  while (n > scan_tile) {
    n = (n + scan_tile - 1) / scan_tile;
    size += n;
  }
  return size;
}

}  // namespace detail

/// to[i] = from[0] + ... + from[i - 1], modulo 2^32. Returns before the device is done.
/// @param from, to  as long as each other, in the device's memory; the same list, or lists that do
///     not overlap
template <DeviceExecution X>
void exclusive_scan(const X& exec, std::span<const Index> from, std::span<Index> to) {
  struct Owner;
  detail::scan_tiles(exec, from, to,
                     detail::thread_memory<Owner>(exec, detail::scan_memory_size(from.size())));
}

}  // namespace prism::inline PRISM_ISA
