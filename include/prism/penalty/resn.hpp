// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/ordered_sums.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t resn_grain = 64;

/// to[k] = rows[k] . direction
template <class T, Execution X>
void project_rows(const X& exec, IndexedRows<const T> rows, const T* direction, T* to) {
  for_each_row(exec, rows.size(), resn_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    using Isa = typename X::isa;
    const T product = dot<Isa>(rows[k], direction, rows.dim());
    Lanes<Isa>::once([=] { to[k] = product; });
  });
}

/// numbers[k] *= factor
template <class T, Execution X>
void scale_numbers(const X& exec, T* numbers, T factor, std::size_t n) {
  constexpr std::size_t grain = std::size_t{1} << 14;
  for_each_element(exec, n, grain,
                   [=] PRISM_HOST_DEVICE(std::size_t k) { numbers[k] = factor * numbers[k]; });
}

template <class T, Execution X>
[[nodiscard]] double sum_of_squares(const X& exec, const T* numbers, std::size_t n) {
  return sum_over_elements(exec, n, [=] PRISM_HOST_DEVICE(std::size_t k) -> double {
    return static_cast<double>(numbers[k]) * static_cast<double>(numbers[k]);
  });
}

}  // namespace detail

/// Spectral-norm penalty on the batch's scores Y = U V': weight * |Y p|^2 / |p|^2 with p = Y' 1,
/// which approximates the popularity direction. Computed as p = V (U' 1) and Y p = U (V' p): the
/// cost is linear in the number of rows, and Y is not stored. 0 if p is 0.
/// Lin et al.: "How do recommendation models amplify popularity bias? An analysis from the spectral
/// perspective", WSDM 2025.
struct ReSN {
  static constexpr std::string_view name = "ReSN";

  double weight = 1e-6;

  static constexpr auto options =
      option_table(option<&ReSN::weight>("weight", domain::non_negative));

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const IndexedRows<const T> u = step.output.users, v = step.output.items;
    const std::size_t dim = u.dim();
    const X& exec = step.exec;
    Scratch& scratch = step.scratch;
    const auto allocate = [&](std::size_t n) { return scratch.template allocate<T>(n, 1).data(); };
    // a = U'1 (dim), p = V a (items), b = V'p (dim), q = U b (users); R = |q|^2 / |p|^2.
    T* const a = allocate(dim);
    sum_rows<T>(exec, u, nullptr, a, scratch);
    T* const p = allocate(v.size());
    detail::project_rows<T>(exec, v, a, p);
    const double p_squared = detail::sum_of_squares(exec, p, v.size());
    if (p_squared == 0) return 0;
    // From here on |p| = 1, and a, b and q are scaled likewise, because magnitudes may be very
    // small.
    const T inverse = static_cast<T>(1 / std::sqrt(p_squared));
    detail::scale_numbers(exec, p, inverse, v.size());
    detail::scale_numbers(exec, a, inverse, dim);
    T* const b = allocate(dim);
    sum_rows<T>(exec, v, p, b, scratch);
    T* const q = allocate(u.size());
    detail::project_rows<T>(exec, u, b, q);
    const double q_squared = detail::sum_of_squares(exec, q, u.size());
    // g_b = d |q|^2 / 2 / d b = U' q
    T* const g_b = allocate(dim);
    sum_rows<T>(exec, u, q, g_b, scratch);

    // R = |q|^2 / |p|^2: dR = 2 (q . dq - R p . dp) / |p|^2, with dq = dU b + U db,
    // db = dV' p + V' dp, dp = dV a + V dU' 1.
    const T factor = static_cast<T>(2 * weight), ratio = static_cast<T>(q_squared);
    T* const g_p = allocate(v.size());
    const Rows<T> to_items = step.gradient.items, to_users = step.gradient.users;
    for_each_row(exec, v.size(), detail::resn_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      const T p_gradient = dot<Isa>(v[k], g_b, dim) - ratio * p[k];
      Lanes<Isa>::once([=] { g_p[k] = p_gradient; });
      add_scaled<Isa>(to_items[k], factor * p[k], g_b, dim);
      add_scaled<Isa>(to_items[k], factor * p_gradient, a, dim);
    });
    T* const g_a = allocate(dim);
    sum_rows<T>(exec, v, g_p, g_a, scratch);
    for_each_row(exec, u.size(), detail::resn_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      add_scaled<Isa>(to_users[k], factor * q[k], b, dim);
      add_scaled<Isa>(to_users[k], factor * inverse, g_a, dim);
    });
    return weight * q_squared;
  }
};

static_assert(LossPolicy<ReSN>);

}  // namespace prism::inline PRISM_ISA
