// SPDX-License-Identifier: BSD-3-Clause
// The activations that pairwise softmax losses put in the place of the exponential.
#pragma once

#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// sigma(d): tanh(d) + 1, atan(d) + 1 or max(0, d + 1).
enum class Surrogate { tanh, atan, relu };

namespace detail {

/// As below; sigma of at most 1e-30, as of a masked score, counts as that, with a slope of 0.
template <class Isa, class T, class Sigma>
inline void log_surrogate(T* cosine, T* slope, T positive, std::size_t n,
                          const Sigma& sigma_with_derivative) noexcept {
  for_each_pack<Isa, T>(n, [=]<class P>(std::type_identity<P>, std::size_t i) {
    const P d = P::broadcast(T(0.5)) * (P::load(cosine + i) - P::broadcast(positive));
    P sigma, derivative;
    sigma_with_derivative(d, sigma, derivative);
    const P least = P::broadcast(T(1e-30));
    sigma = max(sigma, least);
    log(sigma).store(cosine + i);
    (derivative * ((sigma - least) / sigma) / sigma).store(slope + i);
  });
}

}  // namespace detail

/// Replaces n cosines c by log sigma(d), d = (c - positive) / 2, and sets slope[j] to the
/// derivative of log sigma(d) by d.
template <class Isa = isa::native, class T>
inline void log_surrogate(Surrogate surrogate, T* cosine, T* slope, T positive,
                          std::size_t n) noexcept {
  switch (surrogate) {
    case Surrogate::tanh:
      // tanh(d) + 1 = 2 / (1 + exp(-2 d)), whose derivative is sigma (2 - sigma)
      return detail::log_surrogate<Isa>(
          cosine, slope, positive, n, []<class P>(P d, P& sigma, P& derivative) {
            // Of a masked score, exp(-2 d) would overflow.
            const P bounded = max(d, P::broadcast(T(-40)));
            sigma = P::broadcast(2) / (P::broadcast(1) + exp(P::broadcast(T(-2)) * bounded));
            derivative = sigma * (P::broadcast(2) - sigma);
          });
    case Surrogate::atan:
      return detail::log_surrogate<Isa>(
          cosine, slope, positive, n, []<class P>(P d, P& sigma, P& derivative) {
            sigma = atan(d) + P::broadcast(1);
            derivative = P::broadcast(1) / fused_multiply_add(d, d, P::broadcast(1));
          });
    case Surrogate::relu:
      return detail::log_surrogate<Isa>(cosine, slope, positive, n,
                                        []<class P>(P d, P& sigma, P& derivative) {
                                          sigma = d + P::broadcast(1);
                                          derivative = P::broadcast(1);
                                        });
  }
}

}  // namespace prism::inline PRISM_ISA
