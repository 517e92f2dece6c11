// SPDX-License-Identifier: BSD-3-Clause
// The terms of a softmax.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// The largest of n numbers, n >= 1.
template <class Isa = isa::native, class T>
[[nodiscard]] inline T largest_element(const T* x, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  T result = x[0];
  std::size_t j = 1;
  if (n >= 2 * P::width) {
    // Two at a time: each comparison would wait for the one before.
    P even = P::load(x), odd = P::load(x + P::width);
    for (j = 2 * P::width; j + 2 * P::width <= n; j += 2 * P::width) {
      even = max(even, P::load(x + j));
      odd = max(odd, P::load(x + j + P::width));
    }
    T lanes[P::width];
    max(even, odd).store(lanes);
    result = *std::max_element(lanes, lanes + P::width);
  }
  for (; j < n; ++j) result = std::max(result, x[j]);
  return result;
}

/// x[j] = exp(inverse_temperature * (x[j] - maximum)), in place; returns their sum.
/// @param maximum  of all x, so that no exponential overflows
template <class Isa = isa::native, class T>
inline T softmax_terms(T* x, T inverse_temperature, T maximum, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  const auto exponentiate = [&](T* at) {
    // Of a masked score the exponential is 0, as that of -1000; packs of doubles would convert what
    // is far below to an integer that cannot hold it.
    const P argument = P::broadcast(inverse_temperature) * (P::load(at) - P::broadcast(maximum));
    exp(clamp(argument, P::broadcast(T(-1000)), P::broadcast(0))).store(at);
    return P::load(at);
  };
  P total = P::broadcast(0);
  const std::size_t pack_end = n - n % P::width;
  for (std::size_t j = 0; j < pack_end; j += P::width) total = total + exponentiate(x + j);
  if (pack_end < n) {
    // A softmax is often over a dozen scores, fewer than a pack: the tail is padded to a pack
    // rather than computed one number at a time.
    T tail[P::width];
    std::fill_n(tail, P::width, maximum);
    std::copy(x + pack_end, x + n, tail);
    exponentiate(tail);
    std::copy_n(tail, n - pack_end, x + pack_end);
    std::fill(tail + (n - pack_end), tail + P::width, T{0});
    total = total + P::load(tail);
  }
  return sum(total);
}

}  // namespace prism::inline PRISM_ISA
