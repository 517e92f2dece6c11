// SPDX-License-Identifier: BSD-3-Clause
// A device's scans and sorts, against the standard library's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <prism/core/random.hpp>
#include <prism/execution/serial_grid.hpp>
#include <prism/ops/scan.hpp>
#include <prism/ops/sort_pairs.hpp>
#include <utility>
#include <vector>

#include "reversed_grid.hpp"

using namespace prism;

namespace {

/// Around whole tiles, and tiles of tiles.
constexpr std::size_t sizes[] = {0, 1, 2, 31, 255, 256, 257, 700, 65535, 65536, 65537, 70000, 300};

std::vector<Index> numbers(std::size_t n, Index below) {
  const Random random(3, Stream::synthetic);
  std::vector<Index> drawn(n);
  for (std::size_t i = 0; i < n; ++i) drawn[i] = random.uniform_int(i, below);
  return drawn;
}

template <class X>
void check_scan(const X& exec) {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<Index> from = numbers(n, absent);  // the sums overflow
    std::vector<Index> expected(n), to(n);
    std::exclusive_scan(from.begin(), from.end(), expected.begin(), Index{0});
    detail::exclusive_scan(exec, from, to);
    CHECK(to == expected);
    to = from;
    detail::exclusive_scan(exec, to, to);  // in place
    CHECK(to == expected);
  }
}

template <class X>
void check_sort(const X& exec) {
  for (const std::size_t n : sizes) {
    for (const std::size_t key_end :
         {std::size_t{1}, std::size_t{2}, std::size_t{256}, std::size_t{257}, std::size_t{70000},
          std::size_t{1} << 24, std::size_t{absent}}) {
      if (n > 1000 && key_end > 257 && key_end < absent) continue;
      CAPTURE(n);
      CAPTURE(key_end);
      const std::vector<Index> keys = numbers(n, static_cast<Index>(key_end));
      std::vector<Index> values(n), expected_keys(n), expected_values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<Index>(7 * i + 3);
      std::vector<std::size_t> order(n);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
      for (std::size_t i = 0; i < n; ++i) {
        expected_keys[i] = keys[order[i]];
        expected_values[i] = values[order[i]];
      }
      std::vector<Index> sorted_keys(n), sorted_values(n);
      detail::sort_pairs(exec, key_end, keys, values, sorted_keys, sorted_values);
      CHECK(sorted_keys == expected_keys);
      CHECK(sorted_values == expected_values);
    }
  }
}

}  // namespace

TEST_CASE("a device's exclusive scan is the standard library's, in any order of its warps") {
  check_scan(serial_grid);
  check_scan(test::reversed_grid);
}

TEST_CASE("a device's sort of pairs is stable, in any order of its lanes") {
  check_sort(serial_grid);
  check_sort(test::reversed_grid);
}
