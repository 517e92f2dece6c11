// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Spectral-norm penalty on the batch's scores Y = U V': weight * |Y p|^2 / |p|^2 with p = Y' 1,
/// which approximates the popularity direction. Computed as p = V (U' 1) and Y p = U (V' p): the
/// cost is linear in the number of rows, and Y is not stored. 0 if p is 0.
/// Lin et al.: "How do recommendation models amplify popularity bias? An analysis from the spectral
/// perspective", WSDM 2025.
struct ReSN {
  static constexpr std::string_view name = "ReSN";

  double weight = 1e-6;

  /// @throws ArgumentError  for an option outside its domain
  void check() const { require_non_negative("weight", weight); }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const auto [u, v] = step.output;
    const std::size_t dim = u.dim();
    Scratch& scratch = step.scratch;
    // a = U'1 (dim), p = V a (items), b = V'p (dim), q = U b (users); R = |q|^2 / |p|^2.
    T* const a = scratch.allocate_zeros<T>(step.exec, 1, dim)[0];
    for (std::size_t k = 0; k < u.size(); ++k) add_scaled<Isa>(a, T{1}, u[k], dim);
    T* const b = scratch.allocate_zeros<T>(step.exec, 1, dim)[0];
    T* const p = scratch.allocate<T>(v.size(), 1)[0];
    double p_squared = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      p[k] = dot<Isa>(v[k], a, dim);
      p_squared += static_cast<double>(p[k]) * static_cast<double>(p[k]);
    }
    if (p_squared == 0) return 0;
    // From here on |p| = 1, and a, b and q are scaled likewise: magnitudes may be very small.
    const T inverse = static_cast<T>(1 / std::sqrt(p_squared));
    scale<Isa>(p, inverse, p, v.size());
    scale<Isa>(a, inverse, a, dim);
    for (std::size_t k = 0; k < v.size(); ++k) add_scaled<Isa>(b, p[k], v[k], dim);
    T* const q = scratch.allocate<T>(u.size(), 1)[0];
    // g_b = d |q|^2 / 2 / d b = U' q
    T* const g_b = scratch.allocate_zeros<T>(step.exec, 1, dim)[0];
    double q_squared = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      q[k] = dot<Isa>(u[k], b, dim);
      q_squared += static_cast<double>(q[k]) * static_cast<double>(q[k]);
      add_scaled<Isa>(g_b, q[k], u[k], dim);
    }

    // R = |q|^2 / |p|^2: dR = 2 (q . dq - R p . dp) / |p|^2, with dq = dU b + U db,
    // db = dV' p + V' dp, dp = dV a + V dU' 1.
    const T factor = static_cast<T>(2 * weight);
    T* const g_a = scratch.allocate_zeros<T>(step.exec, 1, dim)[0];
    for (std::size_t k = 0; k < v.size(); ++k) {
      const T g_p = dot<Isa>(v[k], g_b, dim) - static_cast<T>(q_squared) * p[k];
      add_scaled<Isa>(step.gradient.items[k], factor * p[k], g_b, dim);
      add_scaled<Isa>(step.gradient.items[k], factor * g_p, a, dim);
      add_scaled<Isa>(g_a, g_p, v[k], dim);
    }
    for (std::size_t k = 0; k < u.size(); ++k) {
      add_scaled<Isa>(step.gradient.users[k], factor * q[k], b, dim);
      add_scaled<Isa>(step.gradient.users[k], factor * inverse, g_a, dim);
    }
    return weight * q_squared;
  }
};

static_assert(LossPolicy<ReSN>);

}  // namespace prism::inline PRISM_ISA
