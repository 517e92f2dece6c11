// SPDX-License-Identifier: BSD-3-Clause
// The terms of a softmax.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// The largest of n numbers, n >= 1.
template <class Isa = isa::native, class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T largest_element(const T* x, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  T result = x[0];
  std::size_t j = 1;
  if (n >= 2 * P::width) {
    // Two at a time: otherwise each comparison would wait for the previous one.
    P even = P::load(x), odd = P::load(x + P::width);
    for (j = 2 * P::width; j + 2 * P::width <= n; j += 2 * P::width) {
      even = max(even, P::load(x + j));
      odd = max(odd, P::load(x + j + P::width));
    }
    result = PackTraits<P>::template largest<T>(max(even, odd));
  }
  for (; j < n; ++j) result = std::max(result, x[j]);
  return result;
}

/// x[j] = exp(inverse_temperature * (x[j] - maximum)), in place; returns their sum.
/// @param maximum  of all x, so that no exponential overflows
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline T softmax_terms(T* x, T inverse_temperature, T maximum,
                                         std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  const auto exponential = [&](P score) {
    return exp(P::broadcast(inverse_temperature) * (score - P::broadcast(maximum)));
  };
  P total = P::broadcast(0);
  const std::size_t pack_end = n - n % P::width;
  for (std::size_t j = 0; j < pack_end; j += P::width) {
    const P term = exponential(P::load(x + j));
    term.store(x + j);
    total = total + term;
  }
  if (const std::size_t left = n - pack_end; left > 0) {
    // A softmax is often over a dozen scores, fewer than a pack: the tail is padded to a pack
    // rather than computed one number at a time.
    const P term = exponential(PackTraits<P>::load_first(x + pack_end, left, maximum));
    PackTraits<P>::store_first(term, x + pack_end, left);
    total = total + PackTraits<P>::load_first(x + pack_end, left, T{0});
  }
  Lanes<Isa>::synchronise();
  return sum(total);
}

}  // namespace prism::inline PRISM_ISA
