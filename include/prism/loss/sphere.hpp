// SPDX-License-Identifier: BSD-3-Clause
// Losses that look at angles alone: rows scaled to length 1, how evenly they spread over the
// sphere, and the way back from their gradient.
#pragma once

#include <cmath>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/pair_potential.hpp"
#include "prism/kernel/row.hpp"
#include "prism/loss/pair_scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism {

/// Over which pairs of n unit rows a uniformity takes its mean.
enum class PairMean {
  strict,       ///< the n(n-1)/2 pairs of different rows
  full_matrix,  ///< all n*n entries, those not below the diagonal with cosine 0 (MAWU's code)
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t sphere_grain = 256;

/// Rows scaled to length 1.
template <class T>
struct UnitRows {
  Rows<T> unit;
  Rows<T> length;  // n x 1

  /// Adds the gradient g with respect to unit row k to that of the row itself.
  template <class Isa>
  void add_row_gradient(std::size_t k, const T* g, Rows<T> gradient) const noexcept {
    add_normalise_gradient<Isa>(gradient[k], g, unit[k], *length[k], unit.dim());
  }
};

template <class T, Execution X>
[[nodiscard]] UnitRows<T> unit_rows(const X& exec, PickedRows<const T> rows, Scratch& scratch) {
  const UnitRows<T> side{scratch.take<T>(rows.size(), rows.dim()), scratch.take<T>(rows.size(), 1)};
  constexpr std::size_t ahead = 16;
  parallel_chunks(exec, rows.size(), sphere_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (k + ahead < rows.size()) prefetch(rows[k + ahead], rows.dim());
      *side.length[k] = normalise<typename X::isa>(side.unit[k], rows[k], rows.dim());
    }
  });
  return side;
}

/// Both sides of a step.
template <class T>
struct Sphere {
  UnitRows<T> users;
  UnitRows<T> items;

  [[nodiscard]] BatchRows<T> unit() const noexcept { return {users.unit, items.unit}; }
};

template <class T, Execution X>
[[nodiscard]] Sphere<T> sphere(const LossStep<T, X>& step) {
  return {unit_rows(step.exec, step.output.users, step.scratch),
          unit_rows(step.exec, step.output.items, step.scratch)};
}

/// Zeros of the unit rows' shapes, for a gradient with respect to them that gathers from several
/// places.
template <class T, Execution X>
[[nodiscard]] Embeddings<T> unit_gradient(const LossStep<T, X>& step) {
  const auto zeros_like = [&](PickedRows<const T> rows) {
    return step.scratch.template take_zeros<T>(step.exec, rows.size(), rows.dim());
  };
  return {zeros_like(step.output.users), zeros_like(step.output.items)};
}

/// Adds the gradient that has gathered at unit rows to that of the rows themselves.
template <class T, Execution X>
void add_row_gradient(const X& exec, const Sphere<T>& sphere, Embeddings<const T> of_unit,
                      Embeddings<T> gradient) {
  const auto side = [&exec](const UnitRows<T>& rows, Rows<const T> from, Rows<T> to) {
    parallel_chunks(exec, to.size(), sphere_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        rows.template add_row_gradient<typename X::isa>(k, from[k], to);
    });
  };
  side(sphere.users, of_unit.users, gradient.users);
  side(sphere.items, of_unit.items, gradient.items);
}

/// Scores the pairs by their cosines, has per_pair turn those into slopes (see
/// for_each_score_gradient), and sets the gradient in `step.gradient`, for each of the batch's own
/// rows.
/// @return the sum of the pairs' parts
template <class T, Execution X, class PerPair>
double set_cosine_gradient(const LossStep<T, X>& step, const Sphere<T>& sphere,
                           const PerPair& per_pair) {
  const auto set = [](const UnitRows<T>& rows, Rows<T> to) {
    return [rows, to](std::size_t k, const T* g) {
      normalise_gradient<typename X::isa>(to[k], g, rows.unit[k], *rows.length[k], to.dim());
    };
  };
  return for_each_score_gradient(step.exec, step.batch, sphere.unit(), step.scratch, per_pair,
                                 set(sphere.users, step.gradient.users),
                                 set(sphere.items, step.gradient.items));
}

/// U = log mean exp(-2 |a - b|^2) over pairs of unit rows; `weight` times its gradient is added to
/// `gradient`. The strict mean of a single row is empty: 0.
template <class T, Execution X>
double uniformity(const X& exec, Rows<const T> unit, double weight, PairMean mean, Rows<T> gradient,
                  Scratch& scratch) {
  constexpr double sharpness = 4;  // exp(-2 |a - b|^2) = exp(4 (a . b - 1))
  const double n = static_cast<double>(unit.size());
  const double pairs = n * (n - 1) / 2;
  const bool strict = mean == PairMean::strict;
  if (strict && pairs == 0) return 0;
  const double at_right_angles = strict ? 0 : (n * n - pairs) * std::exp(-sharpness);
  const double total = pair_potential(
      exec, unit, sharpness,
      [&](double sum) { return weight * sharpness / (sum + at_right_angles); }, gradient, scratch);
  return std::log((total + at_right_angles) / (strict ? pairs : n * n));
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
