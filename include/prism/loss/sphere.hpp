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

inline constexpr std::size_t unit_grain = 256;

/// Rows scaled to length 1.
template <class T>
struct UnitRows {
  Rows<T> unit;
  Rows<T> magnitude;  // n x 1

  /// Adds the gradient g with respect to unit row k to that of the row itself.
  template <class Isa>
  void add_row_gradient(std::size_t k, const T* g, Rows<T> gradient) const noexcept {
    add_normalise_gradient<Isa>(gradient[k], g, unit[k], *magnitude[k], unit.dim());
  }
};

template <class T, Execution X>
[[nodiscard]] UnitRows<T> normalise_rows(const X& exec, IndexedRows<const T> rows,
                                         Scratch& scratch) {
  const UnitRows<T> side{scratch.allocate<T>(rows.size(), rows.dim()),
                         scratch.allocate<T>(rows.size(), 1)};
  constexpr std::size_t prefetch_distance = 16;
  parallel_chunks(exec, rows.size(), unit_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (k + prefetch_distance < rows.size()) prefetch(rows[k + prefetch_distance], rows.dim());
      *side.magnitude[k] = normalise<typename X::isa>(side.unit[k], rows[k], rows.dim());
    }
  });
  return side;
}

/// Both sides of a step.
template <class T>
struct UnitOutput {
  UnitRows<T> users;
  UnitRows<T> items;

  [[nodiscard]] BatchRows<T> unit() const noexcept { return {users.unit, items.unit}; }
};

template <class T, Execution X>
[[nodiscard]] UnitOutput<T> normalise_output(const LossStep<T, X>& step) {
  return {normalise_rows(step.exec, step.output.users, step.scratch),
          normalise_rows(step.exec, step.output.items, step.scratch)};
}

/// Zeros of the unit rows' shapes, for a gradient with respect to them that gathers from several
/// places.
template <class T, Execution X>
[[nodiscard]] Embeddings<T> allocate_unit_gradient(const LossStep<T, X>& step) {
  const auto zeros_like = [&](IndexedRows<const T> rows) {
    return step.scratch.template allocate_zeros<T>(step.exec, rows.size(), rows.dim());
  };
  return {zeros_like(step.output.users), zeros_like(step.output.items)};
}

/// Adds the gradient that has gathered at unit rows to that of the rows themselves.
template <class T, Execution X>
void add_row_gradient(const X& exec, const UnitOutput<T>& unit_output,
                      Embeddings<const T> unit_gradient, Embeddings<T> gradient) {
  const auto side = [&exec](const UnitRows<T>& rows, Rows<const T> from, Rows<T> to) {
    parallel_chunks(exec, to.size(), unit_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        rows.template add_row_gradient<typename X::isa>(k, from[k], to);
      }
    });
  };
  side(unit_output.users, unit_gradient.users, gradient.users);
  side(unit_output.items, unit_gradient.items, gradient.items);
}

/// Scores the pairs by their cosines, has per_pair turn those into slopes (see
/// for_each_score_gradient), and sets the gradient in `step.gradient`, for each of the batch's own
/// rows.
/// @return the sum of the pairs' parts
template <class T, Execution X, class PerPair>
double set_cosine_gradient(const LossStep<T, X>& step, const UnitOutput<T>& unit_output,
                           const PerPair& per_pair) {
  const auto set = [](const UnitRows<T>& rows, Rows<T> to) {
    return [rows, to](std::size_t k, const T* g) {
      normalise_gradient<typename X::isa>(to[k], g, rows.unit[k], *rows.magnitude[k], to.dim());
    };
  };
  return for_each_score_gradient(step.exec, step.batch, unit_output.unit(), step.scratch, per_pair,
                                 set(unit_output.users, step.gradient.users),
                                 set(unit_output.items, step.gradient.items));
}

/// U = log mean exp(-2 |a - b|^2) over pairs of unit rows; `weight` times its gradient is added to
/// `gradient`. The strict mean of a single row is empty: 0.
template <class T, Execution X>
double uniformity(const X& exec, Rows<const T> unit, double weight, PairMean mean, Rows<T> gradient,
                  Scratch& scratch) {
  constexpr double rate = 4;  // exp(-2 |a - b|^2) = exp(4 (a . b - 1))
  const double n = static_cast<double>(unit.size());
  const double pairs = n * (n - 1) / 2;
  const bool strict = mean == PairMean::strict;
  if (strict && pairs == 0) return 0;
  const double orthogonal_terms = strict ? 0 : (n * n - pairs) * std::exp(-rate);
  const double total = pair_potential(
      exec, unit, rate, [&](double sum) { return weight * rate / (sum + orthogonal_terms); },
      gradient, scratch);
  return std::log((total + orthogonal_terms) / (strict ? pairs : n * n));
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
