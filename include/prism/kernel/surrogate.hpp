// SPDX-License-Identifier: BSD-3-Clause
// The activations that pairwise softmax losses use in place of the exponential.
#pragma once

#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/kernel/angles.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// sigma(d): tanh(d) + 1, atan(d) + 1 or max(0, d + 1).
enum class Surrogate { tanh, atan, relu };

namespace detail {

/// log_surrogate() for one sigma and its log's slope. Non-finite numbers, which -ffast-math does
/// not support, do not arise: d is clamped to the range of differences of cosines, and a masked
/// score is added at the end.
template <class Isa, class T, class Sigma>
PRISM_HOST_DEVICE inline void log_surrogate(T* cosine, T* slope, T positive, std::size_t n,
                                            const Sigma& sigma_with_slope) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    const P c = P::load(cosine + i);
    const P d = clamp(P::broadcast(T(0.5)) * (c - P::broadcast(positive)), P::broadcast(T(-1.25)),
                      P::broadcast(T(1.25)));
    P sigma, log_slope;
    sigma_with_slope(d, sigma, log_slope);
    // 0 for every cosine
    const P mask_term = clamp(c + P::broadcast(2), P::broadcast(masked_score<T>), P::broadcast(0));
    (log(sigma) + mask_term).store(cosine + i);
    log_slope.store(slope + i);
  });
}

}  // namespace detail

/// Replaces n cosines c by log sigma(d), d = (c - positive) / 2, and sets slope[j] to the
/// derivative of log sigma(d) with respect to d.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void log_surrogate(Surrogate surrogate, T* cosine, T* slope, T positive,
                                            std::size_t n) noexcept {
  switch (surrogate) {
    case Surrogate::tanh:
      // With e = exp(-2 d), tanh(d) + 1 = 2 / (1 + e), and its logarithm has the slope
      // 2 e / (1 + e).
      return detail::log_surrogate<Isa>(cosine, slope, positive, n,
                                        []<class P>(P d, P& sigma, P& log_slope) {
                                          const P e = exp(P::broadcast(T(-2)) * d);
                                          sigma = P::broadcast(2) / (P::broadcast(1) + e);
                                          log_slope = e * sigma;
                                        });
    case Surrogate::atan:
      return detail::log_surrogate<Isa>(
          cosine, slope, positive, n, []<class P>(P d, P& sigma, P& log_slope) {
            sigma = atan(d) + P::broadcast(1);
            log_slope = P::broadcast(1) / (sigma * fused_multiply_add(d, d, P::broadcast(1)));
          });
    case Surrogate::relu:
      return detail::log_surrogate<Isa>(
          cosine, slope, positive, n, []<class P>(P d, P& sigma, P& log_slope) {
            // Its logarithm is finite, and where sigma is clamped, its slope is 0.
            const P least = P::broadcast(sizeof(T) == 8 ? T(1e-15) : T(1e-12));
            sigma = clamp(d + P::broadcast(1), least, P::broadcast(T(4)));
            log_slope = (sigma - least) / (sigma * sigma);
          });
  }
}

}  // namespace prism::inline PRISM_ISA
