// SPDX-License-Identifier: BSD-3-Clause
// What a softmax is the shares of.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// x[j] = exp(sharpness * (x[j] - greatest)), in place; returns their sum.
/// @param greatest  of all x, so that no exponential overflows
template <class Isa = isa::native, class T>
inline T softmax_terms(T* x, T sharpness, T greatest, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  const auto take = [&](T* at) {
    exp(P::broadcast(sharpness) * (P::load(at) - P::broadcast(greatest))).store(at);
    return P::load(at);
  };
  P total = P::broadcast(0);
  const std::size_t packs = n - n % P::width;
  for (std::size_t j = 0; j < packs; j += P::width) total = total + take(x + j);
  if (packs < n) {
    // A softmax is often over a dozen scores, fewer than a pack: the rest is taken as one, filled
    // up, rather than number by number.
    T rest[P::width];
    std::fill_n(rest, P::width, greatest);
    std::copy(x + packs, x + n, rest);
    take(rest);
    std::copy_n(rest, n - packs, x + packs);
    std::fill(rest + (n - packs), rest + P::width, T{0});
    total = total + P::load(rest);
  }
  return sum(total);
}

}  // namespace prism::inline PRISM_ISA
