// SPDX-License-Identifier: BSD-3-Clause
// Adam steps of rows with one second moment per row, the mean of its columns' squares.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// One step of a row w with first moments m, n elements each, and a second moment v, where the
/// moments are multiplied by `moment_decay` first:
///   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) |g|^2 / n,
/// with the bias corrections and the update of Adam. The gradient is g + decay * w, where a null g
/// counts as zero.
/// @return v after the step
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline T row_wise_adam_row(T* w, T* m, T v, const T* g, T decay,
                                             const AdamConstants<T>& constant,
                                             const AdamStep<T>& step, std::size_t n,
                                             MomentDecay<T> moment_decay = {}) noexcept {
  T squares = 0;
  if (g != nullptr) {
    squares = decay == 0 ? dot<Isa>(g, g, n) : squared_length_of_sum<Isa>(g, decay, w, n);
  } else if (decay != 0) {
    squares = decay * decay * dot<Isa>(w, w, n);
  }
  v = constant.beta2 * (moment_decay.second * v) +
      constant.one_minus_beta2 * squares / static_cast<T>(n);
  const T scale = step.step_size / (std::sqrt(v) * step.inverse_root_correction + constant.epsilon);
  const auto step_packs = [&](const auto& gradient_at) {
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P> tag, std::size_t i) {
      const P weight = P::load(w + i);
      const P gradient = fused_multiply_add(P::broadcast(decay), weight, gradient_at(tag, i));
      const P first =
          fused_multiply_add(P::broadcast(constant.beta1 * moment_decay.first), P::load(m + i),
                             P::broadcast(constant.one_minus_beta1) * gradient);
      first.store(m + i);
      clamp(weight - P::broadcast(scale) * first, P::broadcast(constant.lowest),
            P::broadcast(constant.highest))
          .store(w + i);
    });
  };
  if (g != nullptr) {
    step_packs([g]<class P>(std::type_identity<P>, std::size_t i) { return P::load(g + i); });
  } else {
    step_packs([]<class P>(std::type_identity<P>, std::size_t) { return P::broadcast(0); });
  }
  return v;
}

/// The means of the products of a row's weights w and first moments m, in double: in float, squares
/// of small numbers would be lost.
struct RowProducts {
  double weights_squared, products, moments_squared;  // w . w / n, w . m / n, m . m / n

  template <class Isa, class T>
  [[nodiscard]] PRISM_HOST_DEVICE static RowProducts of(const T* w, const T* m,
                                                        std::size_t n) noexcept {
    constexpr std::size_t chains = Lanes<Isa>::are_threads ? 1 : 8;  // independent sums
    double ww[chains] = {}, wm[chains] = {}, mm[chains] = {};
    const auto add = [&](std::size_t chain, std::size_t i) {
      const double weight = static_cast<double>(w[i]), moment = static_cast<double>(m[i]);
      ww[chain] = multiply_add(weight, weight, ww[chain]);
      wm[chain] = multiply_add(weight, moment, wm[chain]);
      mm[chain] = multiply_add(moment, moment, mm[chain]);
    };
    const std::size_t stride = Lanes<Isa>::step() * chains;
    std::size_t i = Lanes<Isa>::first();
    for (; i + stride - Lanes<Isa>::step() < n; i += stride) {
      for (std::size_t c = 0; c < chains; ++c) add(c, i + c);
    }
    for (std::size_t c = 0; i < n; i += Lanes<Isa>::step(), ++c) add(c, i);
    for (std::size_t c = 1; c < chains; ++c) {
      ww[0] += ww[c];
      wm[0] += wm[c];
      mm[0] += mm[c];
    }
    const double scale = 1 / static_cast<double>(n);
    return {Lanes<Isa>::sum(ww[0]) * scale, Lanes<Isa>::sum(wm[0]) * scale,
            Lanes<Isa>::sum(mm[0]) * scale};
  }
};

/// Rows, one on each lane of a pack, in steps without a gradient apart from their weight decay. A
/// row and its first moments stay in the plane that they span, so a step takes a few operations
/// whatever the dimension: weights and moments are combinations of the initial ones with two
/// factors each.
/// @tparam P  of double
template <class P>
struct DecayingRows {
  /// The number of steps after which the factors are applied: w and m become parallel, and
  /// eventually each would be a difference of large multiples.
  static constexpr std::size_t max_steps = 64;

  P decay;                                       // 0 for a row of zeros: nothing bounds its factors
  P weights_squared, products, moments_squared;  // the initial RowProducts
  P second;                                      // second moments
  // Weights are weight_of_weight w + weight_of_moment m, and so on.
  P weight_of_weight = P::broadcast(1), weight_of_moment = P::broadcast(0);
  P moment_of_weight = P::broadcast(0), moment_of_moment = P::broadcast(1);

  /// @param active  1, or 0 for rows that the step leaves as they are
  template <class T>
  PRISM_HOST_DEVICE void step(const AdamConstants<T>& constant, const AdamStep<T>& step,
                              P active) noexcept {
    const auto broadcast = [](T number) { return P::broadcast(static_cast<double>(number)); };
    const P towards_first = active * broadcast(constant.one_minus_beta1);
    const P towards_second = active * broadcast(constant.one_minus_beta2);
    const P squared = weight_of_weight * weight_of_weight * weights_squared +
                      P::broadcast(2) * weight_of_weight * weight_of_moment * products +
                      weight_of_moment * weight_of_moment * moments_squared;
    // In this order max() keeps NaN.
    const P gradient_squared = decay * decay * max(P::broadcast(0), squared);
    second = fused_multiply_add(towards_second, gradient_squared - second, second);
    moment_of_weight = fused_multiply_add(
        towards_first, decay * weight_of_weight - moment_of_weight, moment_of_weight);
    moment_of_moment = fused_multiply_add(
        towards_first, decay * weight_of_moment - moment_of_moment, moment_of_moment);
    const P root = fused_multiply_add(sqrt(second), broadcast(step.inverse_root_correction),
                                      broadcast(constant.epsilon));
    const P scale = active * broadcast(step.step_size) / root;
    weight_of_weight = weight_of_weight - scale * moment_of_weight;
    weight_of_moment = weight_of_moment - scale * moment_of_moment;
  }
};

/// w = ww w + wm m and m = mw w + mm m, of n elements each.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void combine_rows(T* w, T* m, double ww, double wm, double mw, double mm,
                                           std::size_t n) noexcept {
  for (std::size_t i = Lanes<Isa>::first(); i < n; i += Lanes<Isa>::step()) {
    const double weight = static_cast<double>(w[i]), moment = static_cast<double>(m[i]);
    w[i] = static_cast<T>(multiply_add(ww, weight, wm * moment));
    m[i] = static_cast<T>(multiply_add(mw, weight, mm * moment));
  }
  Lanes<Isa>::synchronise();
}

}  // namespace prism::inline PRISM_ISA::detail
