// SPDX-License-Identifier: BSD-3-Clause
// Adam steps of one row: with a gradient, and the many without one that a row may have to make up
// for before it is read again.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/kernel/simd.hpp"

namespace prism::inline PRISM_ISA {

/// What is the same at every step of a table. Kingma, Ba: "Adam", ICLR 2015.
template <class T>
struct AdamConstants {
  T beta1, one_minus_beta1;
  T beta2, one_minus_beta2;
  T epsilon;
  T lowest, highest;  ///< a weight is brought back into this interval after each step

  AdamConstants(double b1, double b2, double eps, T least = -unbounded<T>, T most = unbounded<T>)
      : beta1(static_cast<T>(b1)),
        one_minus_beta1(static_cast<T>(1 - b1)),
        beta2(static_cast<T>(b2)),
        one_minus_beta2(static_cast<T>(1 - b2)),
        epsilon(static_cast<T>(eps)),
        lowest(least),
        highest(most) {}
};

/// What is the same for every row of a step: the bias corrections, folded into two numbers.
template <class T>
struct AdamStep {
  T step_size;                // learning rate / (1 - beta1^t)
  T inverse_root_correction;  // 1 / sqrt(1 - beta2^t)

  /// @param step  t, from 1
  AdamStep(double learning_rate, double b1, double b2, std::uint64_t step)
      : step_size(static_cast<T>(learning_rate / (1 - std::pow(b1, static_cast<double>(step))))),
        inverse_root_correction(
            static_cast<T>(1 / std::sqrt(1 - std::pow(b2, static_cast<double>(step))))) {}
};

namespace detail {

/// A pack of weights with its moments, as they pass through steps.
template <class P>
struct AdamPack {
  P weight, first, second;

  template <class T>
  void step(P gradient, const AdamConstants<T>& constant, const AdamStep<T>& step) noexcept {
    first = fused_multiply_add(P::broadcast(constant.beta1), first,
                               P::broadcast(constant.one_minus_beta1) * gradient);
    second = fused_multiply_add(P::broadcast(constant.beta2), second,
                                P::broadcast(constant.one_minus_beta2) * gradient * gradient);
    const P root =
        fused_multiply_add(quick_sqrt(second), P::broadcast(step.inverse_root_correction),
                           P::broadcast(constant.epsilon));
    weight = clamp(weight - P::broadcast(step.step_size) * first * quick_inverse(root),
                   P::broadcast(constant.lowest), P::broadcast(constant.highest));
  }
};

}  // namespace detail

/// By how much a row's moments are still to shrink before a step, where adam_coast has left them
/// behind its weights.
template <class T>
struct AdamLag {
  T first = 1;
  T second = 1;
};

/// Steps a row w with moments m and v, which lag behind it as said; the gradient is g + decay * w,
/// where a null g counts as zero.
template <class Isa = isa::native, class T>
inline void adam_row(T* w, T* m, T* v, const T* g, T decay, const AdamConstants<T>& constant,
                     const AdamStep<T>& step, std::size_t n, AdamLag<T> lag = {}) noexcept {
  const auto sweep = [&](const auto& gradient_at) {
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P> tag, std::size_t i) {
      detail::AdamPack<P> pack{P::load(w + i), P::broadcast(lag.first) * P::load(m + i),
                               P::broadcast(lag.second) * P::load(v + i)};
      pack.step(fused_multiply_add(P::broadcast(decay), pack.weight, gradient_at(tag, i)), constant,
                step);
      pack.first.store(m + i);
      pack.second.store(v + i);
      pack.weight.store(w + i);
    });
  };
  if (g != nullptr) {
    sweep([g]<class P>(std::type_identity<P>, std::size_t i) { return P::load(g + i); });
  } else {
    sweep([]<class P>(std::type_identity<P>, std::size_t) { return P::broadcast(0); });
  }
}

namespace detail {

/// N packs from column i on, in registers through all steps: one alone would wait for its own
/// square roots and quotients.
template <std::size_t N, class P, class T>
inline void adam_replay_packs(T* w, T* m, T* v, T decay, const AdamConstants<T>& constant,
                              std::span<const AdamStep<T>> steps) noexcept {
  AdamPack<P> pack[N];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < N; ++k) {
    const std::size_t i = k * P::width;
    pack[k] = {P::load(w + i), P::load(m + i), P::load(v + i)};
  }
  for (const AdamStep<T>& step : steps) {
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N; ++k) {
      pack[k].step(fused_multiply_add(P::broadcast(decay), pack[k].weight, P::broadcast(0)),
                   constant, step);
    }
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < N; ++k) {
    const std::size_t i = k * P::width;
    pack[k].first.store(m + i);
    pack[k].second.store(v + i);
    pack[k].weight.store(w + i);
  }
}

}  // namespace detail

/// Steps a row that gets no gradient but its decay, once for each of `steps`: to the last bit what
/// as many calls of adam_row do, without the way to memory and back between them.
template <class Isa = isa::native, class T>
inline void adam_replay(T* w, T* m, T* v, T decay, const AdamConstants<T>& constant,
                        std::span<const AdamStep<T>> steps, std::size_t n) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t w4 = 4 * P::width;
  const std::size_t fours = n - n % w4, packs = n - n % P::width;
  for (std::size_t i = 0; i < fours; i += w4) {
    detail::adam_replay_packs<4, P>(w + i, m + i, v + i, decay, constant, steps);
  }
  for (std::size_t i = fours; i < packs; i += P::width) {
    detail::adam_replay_packs<1, P>(w + i, m + i, v + i, decay, constant, steps);
  }
  for (std::size_t i = packs; i < n; ++i) {
    detail::adam_replay_packs<1, Pack<T, isa::scalar>>(w + i, m + i, v + i, decay, constant, steps);
  }
}

/// What a run of steps does to a row that gets neither gradient nor decay in them, in closed form.
///
/// After j such steps the moments are m beta1^j and v beta2^j, so that a weight moves by
///   -m * sum_j c_j / (sqrt(v) a_j + epsilon),
/// with c_j = step_size_j beta1^j and a_j = inverse_root_correction_j beta2^(j/2). The c_j fall
/// quickly and the a_j hardly at all (beta2 is near 1): with a_j = a (1 + d_j) about a middle a,
/// and u = sqrt(v) a / (sqrt(v) a + epsilon) < 1, the sum is a short power series,
///   1 / (sqrt(v) a + epsilon) * sum_q M_q (-u)^q, M_q = sum_j c_j d_j^q,
/// whose coefficients are the same for every row that has stood still since the same step.
template <class T>
class AdamCoast {
 public:
  /// The most powers of u: what comes after is below rounding, or exact() says no.
  static constexpr std::size_t degree = 15;

  /// @param middle  a
  explicit AdamCoast(double middle) : middle_(middle) {}

  /// One more step.
  void add(double c, double a) noexcept {
    const double d = a / middle_ - 1;
    for (double& moment : moment_) {
      moment += c;
      c *= d;
    }
    power_ = degree;
    while (power_ > 0 && std::abs(moment_[power_]) <= rounding() * moment_[0]) --power_;
    for (std::size_t q = 0; q <= power_; ++q) {
      coefficient_[q] = static_cast<T>(q % 2 == 0 ? moment_[q] : -moment_[q]);
    }
  }

  /// Whether the series gives the sum to rounding. It does not in a table's first steps, where the
  /// bias correction of v changes quickly.
  [[nodiscard]] bool exact() const noexcept {
    // The first power left out is an even one: its terms are positive, and bound the others.
    return moment_[degree + 1] <= rounding() * moment_[0];
  }

  /// The last power of u that is not below rounding; `degree` at most.
  [[nodiscard]] std::size_t last_power() const noexcept { return power_; }

  [[nodiscard]] T middle() const noexcept { return static_cast<T>(middle_); }
  /// (-1)^q M_q, for q up to last_power()
  [[nodiscard]] T coefficient(std::size_t q) const noexcept { return coefficient_[q]; }

 private:
  static constexpr double rounding() noexcept { return std::numeric_limits<T>::epsilon() / 16; }

  double middle_;
  std::array<double, degree + 2> moment_{};
  // Kept at hand, because many rows pass between two steps.
  std::size_t power_ = 0;
  std::array<T, degree + 1> coefficient_{};
};

/// Takes a row's weights through the steps of `coast` at once. The moments stay as they are: they
/// shrink by a power of beta1 and of beta2, for the next step to make up for.
template <class Isa = isa::native, class T>
inline void adam_coast(T* w, const T* m, const T* v, const AdamCoast<T>& coast,
                       const AdamConstants<T>& constant, std::size_t n) noexcept {
  const std::size_t degree = coast.last_power();
  for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P>, std::size_t i) {
    const P root = P::broadcast(coast.middle()) * quick_sqrt(P::load(v + i));
    const P inverse = quick_inverse(root + P::broadcast(constant.epsilon));
    const P u = root * inverse;
    P series = P::broadcast(coast.coefficient(degree));
    for (std::size_t q = degree; q-- > 0;) {
      series = fused_multiply_add(series, u, P::broadcast(coast.coefficient(q)));
    }
    clamp(P::load(w + i) - P::load(m + i) * inverse * series, P::broadcast(constant.lowest),
          P::broadcast(constant.highest))
        .store(w + i);
  });
}

}  // namespace prism::inline PRISM_ISA
