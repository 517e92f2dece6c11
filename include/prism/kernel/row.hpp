// SPDX-License-Identifier: BSD-3-Clause
// Loops over one row: dot products, sums, unit rows and the gradient through the normalisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// Divisions by a norm use this one in place of a smaller norm.
inline constexpr double min_norm = 1e-12;

/// Prefetches a row of n elements that is about to be read and written: the hardware does not
/// predict rows that are selected by index.
template <class T>
PRISM_HOST_DEVICE inline void prefetch([[maybe_unused]] const T* row,
                                       [[maybe_unused]] std::size_t n) noexcept {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  constexpr std::size_t cache_line = 64;
  const auto* const from = reinterpret_cast<const char*>(row);
  for (std::size_t at = 0; at < n * sizeof(T); at += cache_line) __builtin_prefetch(from + at);
#endif
}

namespace detail {

/// total + sum_i a[i] * b[i], one number after another, or one for each lane
template <class Isa, class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T add_products(T total, const T* a, const T* b,
                                                      std::size_t n) noexcept {
  if constexpr (Lanes<Isa>::are_threads) {
    T product = 0;
    for (std::size_t i = Lanes<Isa>::first(); i < n; i += Lanes<Isa>::step())
      product = multiply_add(a[i], b[i], product);
    return total + Lanes<Isa>::sum(product);
  } else {
    for (std::size_t i = 0; i < n; ++i) total = multiply_add(a[i], b[i], total);
    return total;
  }
}

}  // namespace detail

/// sum_i a[i] * b[i]
template <class Isa = isa::native, class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T dot(const T* a, const T* b, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t w = P::width;
  // Four sums hide the latency of the multiply-add.
  P s0 = P::broadcast(0), s1 = s0, s2 = s0, s3 = s0;
  const std::size_t quad_end = n - n % (4 * w), pack_end = n - n % w;
  for (std::size_t i = 0; i < quad_end; i += 4 * w) {
    s0 = fused_multiply_add(P::load(a + i), P::load(b + i), s0);
    s1 = fused_multiply_add(P::load(a + i + w), P::load(b + i + w), s1);
    s2 = fused_multiply_add(P::load(a + i + 2 * w), P::load(b + i + 2 * w), s2);
    s3 = fused_multiply_add(P::load(a + i + 3 * w), P::load(b + i + 3 * w), s3);
  }
  for (std::size_t i = quad_end; i < pack_end; i += w) {
    s0 = fused_multiply_add(P::load(a + i), P::load(b + i), s0);
  }
  const T pack_sum = sum((s0 + s1) + (s2 + s3));
  if (pack_end == n) return pack_sum;
  return detail::add_products<Isa>(pack_sum, a + pack_end, b + pack_end, n - pack_end);
}

/// sum_i (g[i] + factor * w[i])^2
template <class Isa = isa::native, class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T squared_length_of_sum(const T* g, T factor, const T* w,
                                                               std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  P packs = P::broadcast(0);
  const std::size_t pack_end = n - n % P::width;
  for (std::size_t i = 0; i < pack_end; i += P::width) {
    const P number = fused_multiply_add(P::broadcast(factor), P::load(w + i), P::load(g + i));
    packs = fused_multiply_add(number, number, packs);
  }
  T rest = 0;
  for (std::size_t i = pack_end + Lanes<Isa>::first(); i < n; i += Lanes<Isa>::step()) {
    const T number = detail::multiply_add(factor, w[i], g[i]);
    rest = detail::multiply_add(number, number, rest);
  }
  return sum(packs) + Lanes<Isa>::sum(rest);
}

/// y[i] += factor * x[i]
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void add_scaled(T* y, T factor, const T* x, std::size_t n) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    fused_multiply_add(P::broadcast(factor), P::load(x + i), P::load(y + i)).store(y + i);
  });
}

/// w[i] -= rate * (g[i] + decay * w[i]). A decay too small to change w on its own still counts when
/// added to the gradient.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void descend(T* w, T rate, const T* g, T decay, std::size_t n) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    const P old = P::load(w + i);
    const P direction = fused_multiply_add(P::broadcast(decay), old, P::load(g + i));
    fused_multiply_add(P::broadcast(-rate), direction, old).store(w + i);
  });
}

/// y[i] = x[i]
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void copy(T* y, const T* x, std::size_t n) noexcept {
  if (y == x) return;
  for_each_pack<Isa, T>(
      n, [=]<class P>(std::type_identity<P>, std::size_t i) { P::load(x + i).store(y + i); });
}

/// y[i] = factor * x[i]
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void scale(T* y, T factor, const T* x, std::size_t n) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    (P::broadcast(factor) * P::load(x + i)).store(y + i);
  });
}

/// Clamps x[i] to [lowest, highest].
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void clamp(T* x, T lowest, T highest, std::size_t n) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    clamp(P::load(x + i), P::broadcast(lowest), P::broadcast(highest)).store(x + i);
  });
}

/// |x|, the Euclidean norm.
template <class Isa = isa::native, class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T norm(const T* x, std::size_t n) noexcept {
  return std::sqrt(dot<Isa>(x, x, n));
}

/// unit = x / max(|x|, min_norm); returns max(|x|, min_norm).
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline T normalise(T* unit, const T* x, std::size_t n) noexcept {
  const T magnitude = std::max(norm<Isa>(x, n), static_cast<T>(min_norm));
  scale<Isa>(unit, T{1} / magnitude, x, n);
  return magnitude;
}

namespace detail {

/// Calls visit(i, 1 / magnitude, g - unit (unit . g)) for each pack: the two factors of the
/// gradient through normalise. Where normalise divided by min_norm, it was linear: the second
/// factor is g.
template <class Isa, class T, class Visit>
PRISM_HOST_DEVICE inline void for_each_normalise_gradient(const T* g, const T* unit, T magnitude,
                                                          std::size_t n,
                                                          const Visit& visit) noexcept {
  const T radial = magnitude > static_cast<T>(min_norm) ? dot<Isa>(unit, g, n) : T{0};
  const T inverse = T{1} / magnitude;
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    const P tangent = P::load(g + i) - P::broadcast(radial) * P::load(unit + i);
    visit(i, P::broadcast(inverse), tangent);
  });
}

}  // namespace detail

/// The gradient through normalise: gradient = (g - unit (unit . g)) / magnitude, for the `unit` and
/// `magnitude` from normalise and the gradient g with respect to `unit`.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void normalise_gradient(T* gradient, const T* g, const T* unit,
                                                 T magnitude, std::size_t n) noexcept {
  detail::for_each_normalise_gradient<Isa>(
      g, unit, magnitude, n, [gradient]<class P>(std::size_t i, P inverse, P tangent) {
        (inverse * tangent).store(gradient + i);
      });
}

/// Adds the gradient through normalise to `gradient`; otherwise as normalise_gradient.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void add_normalise_gradient(T* gradient, const T* g, const T* unit,
                                                     T magnitude, std::size_t n) noexcept {
  detail::for_each_normalise_gradient<Isa>(
      g, unit, magnitude, n, [gradient]<class P>(std::size_t i, P inverse, P tangent) {
        fused_multiply_add(inverse, tangent, P::load(gradient + i)).store(gradient + i);
      });
}

}  // namespace prism::inline PRISM_ISA
