// SPDX-License-Identifier: BSD-3-Clause
// Adam steps of one row: one step with a gradient, or a run of deferred zero-gradient steps.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/power.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Constants of all steps of a table. Kingma, Ba: "Adam", ICLR 2015.
template <class T>
struct AdamConstants {
  T beta1, one_minus_beta1;
  T beta2, one_minus_beta2;
  T epsilon;
  T lowest, highest;  ///< a weight is clamped to this interval after each step

  AdamConstants(double b1, double b2, double eps, T lower = -unbounded<T>, T upper = unbounded<T>)
      : beta1(static_cast<T>(b1)),
        one_minus_beta1(static_cast<T>(1 - b1)),
        beta2(static_cast<T>(b2)),
        one_minus_beta2(static_cast<T>(1 - b2)),
        epsilon(static_cast<T>(eps)),
        lowest(lower),
        highest(upper) {}
};

/// Constants of all rows of a step: the bias corrections, folded into two factors.
template <class T>
struct AdamStep {
  T step_size;                // learning rate / (1 - beta1^t)
  T inverse_root_correction;  // 1 / sqrt(1 - beta2^t)

  AdamStep() = default;
  /// @param step  t, from 1
  AdamStep(double learning_rate, double b1, double b2, std::uint64_t step)
      : step_size(static_cast<T>(learning_rate /
                                 elementary::one_minus_pow(b1, static_cast<double>(step)))),
        inverse_root_correction(static_cast<T>(
            1 / std::sqrt(elementary::one_minus_pow(b2, static_cast<double>(step))))) {}
};

/// A pack of weights and their moments, in registers.
template <class P>
struct AdamPack {
  P weight, first, second;

  template <class T>
  PRISM_HOST_DEVICE void step(P gradient, const AdamConstants<T>& constant,
                              const AdamStep<T>& step) noexcept {
    first = fused_multiply_add(P::broadcast(constant.beta1), first,
                               P::broadcast(constant.one_minus_beta1) * gradient);
    second = fused_multiply_add(P::broadcast(constant.beta2), second,
                                P::broadcast(constant.one_minus_beta2) * gradient * gradient);
    const P root =
        fused_multiply_add(approximate_sqrt(second), P::broadcast(step.inverse_root_correction),
                           P::broadcast(constant.epsilon));
    weight = clamp(weight - P::broadcast(step.step_size) * first * approximate_reciprocal(root),
                   P::broadcast(constant.lowest), P::broadcast(constant.highest));
  }
};

/// Factors by which a row's moments must still be multiplied: beta1^j and beta2^j for the j steps
/// that adam_zero_gradient_steps() has applied only to its weights.
template <class T>
struct MomentDecay {
  T first = 1;
  T second = 1;
};

/// One step of a row w with moments m and v, which are multiplied by `moment_decay` first; n
/// elements each. The gradient is g + decay * w, where a null g counts as zero.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void adam_row(T* w, T* m, T* v, const T* g, T decay,
                                       const AdamConstants<T>& constant, const AdamStep<T>& step,
                                       std::size_t n, MomentDecay<T> moment_decay = {}) noexcept {
  const auto step_packs = [&](const auto& gradient_at) {
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P> tag, std::size_t i) {
      AdamPack<P> pack{P::load(w + i), P::broadcast(moment_decay.first) * P::load(m + i),
                       P::broadcast(moment_decay.second) * P::load(v + i)};
      pack.step(fused_multiply_add(P::broadcast(decay), pack.weight, gradient_at(tag, i)), constant,
                step);
      pack.first.store(m + i);
      pack.second.store(v + i);
      pack.weight.store(w + i);
    });
  };
  if (g != nullptr) {
    step_packs([g]<class P>(std::type_identity<P>, std::size_t i) { return P::load(g + i); });
  } else {
    step_packs([]<class P>(std::type_identity<P>, std::size_t) { return P::broadcast(0); });
  }
}

/// A row of weights, its moments and its weight decay.
template <class T>
struct AdamReplayRow {
  T* w;
  T* m;
  T* v;
  T decay;
};

/// Steps N packs of each row from column i on, in registers throughout: a single pack would wait
/// for the latency of its own square roots and divisions.
template <std::size_t N, class P, std::size_t R, class T>
PRISM_HOST_DEVICE inline void adam_replay_packs(const std::array<AdamReplayRow<T>, R>& rows,
                                                std::size_t i, const AdamConstants<T>& constant,
                                                std::span<const AdamStep<T>> steps) noexcept {
  AdamPack<P> pack[R * N];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < R * N; ++k) {
    const AdamReplayRow<T>& row = rows[k / N];
    const std::size_t at = i + k % N * P::width;
    pack[k] = {P::load(row.w + at), P::load(row.m + at), P::load(row.v + at)};
  }
  for (const AdamStep<T>& step : steps) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < R * N; ++k) {
      const P decay = P::broadcast(rows[k / N].decay);
      pack[k].step(fused_multiply_add(decay, pack[k].weight, P::broadcast(0)), constant, step);
    }
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < R * N; ++k) {
    const AdamReplayRow<T>& row = rows[k / N];
    const std::size_t at = i + k % N * P::width;
    pack[k].first.store(row.m + at);
    pack[k].second.store(row.v + at);
    pack[k].weight.store(row.w + at);
  }
}

/// Applies `steps` to rows that have no gradient apart from their weight decay. Bit-identical to a
/// call of adam_row for each step, without the loads and stores in between. If a row has few packs,
/// two rows at once take less time than one after the other.
/// @param n  elements per row
template <class Isa = isa::native, std::size_t R, class T>
PRISM_HOST_DEVICE inline void adam_replay(const std::array<AdamReplayRow<T>, R>& rows,
                                          const AdamConstants<T>& constant,
                                          std::span<const AdamStep<T>> steps,
                                          std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t quad_width = 4 * P::width;
  const std::size_t quad_end = n - n % quad_width, pack_end = n - n % P::width;
  for (std::size_t i = 0; i < quad_end; i += quad_width) {
    adam_replay_packs<4, P>(rows, i, constant, steps);
  }
  for (std::size_t i = quad_end; i < pack_end; i += P::width) {
    adam_replay_packs<1, P>(rows, i, constant, steps);
  }
  for (std::size_t i = pack_end + Lanes<Isa>::first(); i < n; i += Lanes<Isa>::step()) {
    adam_replay_packs<1, Pack<T, isa::scalar>>(rows, i, constant, steps);
  }
  Lanes<Isa>::synchronise();
}

/// Applies `steps` to one row w with moments m and v.
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void adam_replay(T* w, T* m, T* v, T decay,
                                          const AdamConstants<T>& constant,
                                          std::span<const AdamStep<T>> steps,
                                          std::size_t n) noexcept {
  adam_replay<Isa>(std::array{AdamReplayRow<T>{w, m, v, decay}}, constant, steps, n);
}

/// A run of steps of a row with neither gradient nor decay, in closed form.
///
/// After j such steps the moments are m beta1^j and v beta2^j, so that a weight changes by
///   -m * sum_j c_j / (sqrt(v) a_j + epsilon),
/// with c_j = step_size_j beta1^j and a_j = inverse_root_correction_j beta2^(j/2). The c_j decrease
/// quickly and the a_j hardly change (beta2 is near 1): with a_j = a (1 + d_j) about an expansion
/// point a, and u = sqrt(v) a / (sqrt(v) a + epsilon) < 1, the sum is a short power series,
///   1 / (sqrt(v) a + epsilon) * sum_q M_q (-u)^q, M_q = sum_j c_j d_j^q,
/// whose coefficients are the same for all rows with the same last step.
template <class T>
class ZeroGradientSteps {
 public:
  /// The highest power of u; the remainder is below rounding error if is_accurate().
  static constexpr std::size_t max_order = 15;

  /// Leaves the object uninitialised.
  ZeroGradientSteps() = default;
  /// @param expansion_point  a
  PRISM_HOST_DEVICE explicit ZeroGradientSteps(double expansion_point)
      : expansion_point_(expansion_point), power_sum_{}, order_(0), coefficient_{} {}

  /// Appends a step with c = c_j and a = a_j.
  PRISM_HOST_DEVICE void add(double c, double a) noexcept {
    const double d = a / expansion_point_ - 1;
    for (double& power_sum : power_sum_) {
      power_sum += c;
      c *= d;
    }
    order_ = max_order;
    while (order_ > 0 && std::abs(power_sum_[order_]) <= tolerance() * power_sum_[0]) --order_;
    for (std::size_t q = 0; q <= order_; ++q) {
      coefficient_[q] = static_cast<T>(q % 2 == 0 ? power_sum_[q] : -power_sum_[q]);
    }
  }

  /// Whether the series is accurate to rounding. It is not in a table's first steps, where the bias
  /// correction of v changes quickly.
  [[nodiscard]] PRISM_HOST_DEVICE bool is_accurate() const noexcept {
    // The first omitted power is even: its terms are positive and bound those of higher powers.
    return power_sum_[max_order + 1] <= tolerance() * power_sum_[0];
  }

  /// sum_j c_j / (root a_j + epsilon), for root = sqrt(v)
  [[nodiscard]] PRISM_HOST_DEVICE double sum(double root, double epsilon) const noexcept {
    root *= expansion_point_;
    const double inverse = 1 / (root + epsilon), u = root * inverse;
    double series = 0;
    for (std::size_t q = order_ + 1; q-- > 0;) {
      series = series * -u + power_sum_[q];
    }
    return series * inverse;
  }

  /// The highest power of u that is not below rounding error; at most `max_order`.
  [[nodiscard]] PRISM_HOST_DEVICE std::size_t order() const noexcept { return order_; }

  [[nodiscard]] PRISM_HOST_DEVICE T expansion_point() const noexcept {
    return static_cast<T>(expansion_point_);
  }
  /// (-1)^q M_q, for q up to order()
  [[nodiscard]] PRISM_HOST_DEVICE T coefficient(std::size_t q) const noexcept {
    return coefficient_[q];
  }

 private:
  PRISM_HOST_DEVICE static constexpr double tolerance() noexcept {
    return std::numeric_limits<T>::epsilon() / 16;
  }

  double expansion_point_;
  std::array<double, max_order + 2> power_sum_;
  // Updated by add(), because many rows read them between two steps.
  std::size_t order_;
  std::array<T, max_order + 1> coefficient_;
};

/// Applies `steps` to a row's weights at once. The moments are not changed; the next step
/// multiplies them by powers of beta1 and beta2 (MomentDecay).
template <class Isa = isa::native, class T>
PRISM_HOST_DEVICE inline void adam_zero_gradient_steps(T* w, const T* m, const T* v,
                                                       const ZeroGradientSteps<T>& steps,
                                                       const AdamConstants<T>& constant,
                                                       std::size_t n) noexcept {
  const std::size_t order = steps.order();
  for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P>, std::size_t i) {
    const P root = P::broadcast(steps.expansion_point()) * approximate_sqrt(P::load(v + i));
    const P inverse = approximate_reciprocal(root + P::broadcast(constant.epsilon));
    const P u = root * inverse;
    P series = P::broadcast(steps.coefficient(order));
    for (std::size_t q = order; q-- > 0;) {
      series = fused_multiply_add(series, u, P::broadcast(steps.coefficient(q)));
    }
    clamp(P::load(w + i) - P::load(m + i) * inverse * series, P::broadcast(constant.lowest),
          P::broadcast(constant.highest))
        .store(w + i);
  });
}

}  // namespace prism::inline PRISM_ISA::detail
