// SPDX-License-Identifier: BSD-3-Clause
// A random permutation, the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"

namespace prism::inline PRISM_ISA {

/// Fisher-Yates shuffle, one draw per element. The draws, which take longer than the swaps, are
/// made in parallel.
/// @param values  fewer than 2^32
template <Execution X, class T>
void shuffle(const X& exec, std::span<T> values, const Random& random) {
  std::vector<std::uint32_t> swap_index(values.size());
  constexpr std::size_t grain = std::size_t{1} << 14;
  parallel_chunks(exec, values.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      swap_index[i] = random.uniform_int(i + 1, static_cast<std::uint32_t>(i + 1));
    }
  });
  for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[swap_index[i]]);
}

}  // namespace prism::inline PRISM_ISA
