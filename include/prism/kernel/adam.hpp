// SPDX-License-Identifier: BSD-3-Clause
// One Adam step of one row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "prism/core/config.hpp"
#include "prism/kernel/simd.hpp"

namespace prism::inline PRISM_ISA {

/// What is the same for every row of a step. Kingma, Ba: "Adam", ICLR 2015, with the bias
/// corrections folded into two numbers.
template <class T>
struct AdamStep {
  T beta1, one_minus_beta1;
  T beta2, one_minus_beta2;
  T epsilon;
  T step_size;                // learning rate / (1 - beta1^t)
  T inverse_root_correction;  // 1 / sqrt(1 - beta2^t)

  /// @param step  t, from 1
  AdamStep(double learning_rate, double b1, double b2, double eps, std::uint64_t step)
      : beta1(static_cast<T>(b1)),
        one_minus_beta1(static_cast<T>(1 - b1)),
        beta2(static_cast<T>(b2)),
        one_minus_beta2(static_cast<T>(1 - b2)),
        epsilon(static_cast<T>(eps)),
        step_size(static_cast<T>(learning_rate / (1 - std::pow(b1, static_cast<double>(step))))),
        inverse_root_correction(
            static_cast<T>(1 / std::sqrt(1 - std::pow(b2, static_cast<double>(step))))) {}
};

/// Steps a row w with moments m and v; the gradient is g + decay * w, where a null g counts as
/// zero.
template <class Isa = isa::native, class T>
inline void adam_row(T* w, T* m, T* v, const T* g, T decay, const AdamStep<T>& step,
                     std::size_t n) noexcept {
  const auto sweep = [&](const auto& gradient_at) {
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P> tag, std::size_t i) {
      const P weight = P::load(w + i);
      const P gradient = fused_multiply_add(P::broadcast(decay), weight, gradient_at(tag, i));
      const P first = fused_multiply_add(P::broadcast(step.beta1), P::load(m + i),
                                         P::broadcast(step.one_minus_beta1) * gradient);
      const P second = fused_multiply_add(P::broadcast(step.beta2), P::load(v + i),
                                          P::broadcast(step.one_minus_beta2) * gradient * gradient);
      first.store(m + i);
      second.store(v + i);
      const P root = fused_multiply_add(sqrt(second), P::broadcast(step.inverse_root_correction),
                                        P::broadcast(step.epsilon));
      (weight - P::broadcast(step.step_size) * first / root).store(w + i);
    });
  };
  if (g != nullptr) {
    sweep([g]<class P>(std::type_identity<P>, std::size_t i) { return P::load(g + i); });
  } else {
    sweep([]<class P>(std::type_identity<P>, std::size_t) { return P::broadcast(0); });
  }
}

}  // namespace prism::inline PRISM_ISA
