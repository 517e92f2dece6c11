// SPDX-License-Identifier: BSD-3-Clause
// A stable sort, on a device.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/thread_memory.hpp"
#include "prism/ops/scan.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Pairs, in two lists.
template <class T>
struct PairLists {
  std::span<T> keys;
  std::span<T> values;
};

/// Sorts pairs stably by one digit of the keys: each lane counts on its own how often a digit
/// occurs in a tile, so the result does not depend on the order of the lanes.
/// @tparam digits  also the number of pairs in a tile
/// @param shift  the digit's lowest bit
/// @param rank    working memory: pairs
/// @param counts  working memory: digits x tiles
template <std::size_t digits, DeviceExecution X>
void sort_by_digit(const X& exec, PairLists<const Index> from, PairLists<Index> to, unsigned shift,
                   std::span<Index> rank, std::span<Index> counts) {
  const std::size_t n = from.keys.size(), tiles = counts.size() / digits;
  const std::span<const Index> keys = from.keys;
  // Place i of a tile counts the earlier pairs of the tile that have its digit, and all pairs of
  // the tile that have digit i.
  for_each_element(exec, counts.size(), [=] PRISM_HOST_DEVICE(std::size_t lane) {
    const std::size_t tile = lane / digits, place = lane % digits, begin = tile * digits;
    const std::size_t size = std::min(n - begin, digits);
    const std::size_t own = place < size ? keys[lane] >> shift & (digits - 1) : digits;
    Index digit_count = 0, earlier_count = 0;
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t digit = keys[begin + j] >> shift & (digits - 1);
      digit_count += digit == place;
      earlier_count += digit == own && j < place;
    }
    counts[place * tiles + tile] = digit_count;
    if (place < size) rank[lane] = earlier_count;
  });
  exclusive_scan(exec, counts, counts);
  for_each_element(exec, n, [=] PRISM_HOST_DEVICE(std::size_t i) {
    const std::size_t digit = keys[i] >> shift & (digits - 1);
    const std::size_t place = counts[digit * tiles + i / digits] + rank[i];
    to.keys[place] = keys[i];
    to.values[place] = from.values[i];
  });
}

/// Sorts the pairs (keys[i], values[i]) by key, ascending; pairs with equal keys keep their order.
/// Returns before the device is done.
/// @param key_end  greater than every key
/// @param keys, values, sorted_keys, sorted_values  of equal length below 2^32, in the device's
///     memory; the sorted lists overlap no other list
template <DeviceExecution X>
void sort_pairs(const X& exec, std::size_t key_end, std::span<const Index> keys,
                std::span<const Index> values, std::span<Index> sorted_keys,
                std::span<Index> sorted_values) {
  constexpr unsigned digit_bits = 8;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  struct Rank;
  struct Counts;
  struct Keys;
  struct Values;
  const std::size_t n = keys.size(), tiles = (n + digits - 1) / digits;
  const std::span<Index> rank = thread_memory<Rank>(exec, n),
                         counts = thread_memory<Counts>(exec, tiles * digits);
  const PairLists<Index> sorted{sorted_keys, sorted_values};
  const PairLists<Index> between{thread_memory<Keys>(exec, n), thread_memory<Values>(exec, n)};
  const unsigned bits = key_end > 1 ? static_cast<unsigned>(std::bit_width(key_end - 1)) : 1;
  const unsigned passes = (bits + digit_bits - 1) / digit_bits;
  PairLists<const Index> from{keys, values};
  for (unsigned pass = 0; pass < passes; ++pass) {
    const auto& to = (passes - pass) % 2 == 1 ? sorted : between;  // the last pass writes `sorted`
    sort_by_digit<digits>(exec, from, to, pass * digit_bits, rank, counts);
    from = {to.keys, to.values};
  }
}

}  // namespace prism::inline PRISM_ISA::detail
