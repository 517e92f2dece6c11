// SPDX-License-Identifier: BSD-3-Clause
// Losses of cosines: unit rows, and the gradient through the normalisation.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// Unit rows, n x dim, and the magnitudes before normalisation.
template <class T>
struct UnitRows {
  Rows<T> unit;
  Rows<T> magnitude;  // n x 1
};

/// The unit rows of a loss's output rows, of both sides.
template <class T>
struct UnitOutput {
  UnitRows<T> users;
  UnitRows<T> items;

  [[nodiscard]] BatchRows<T> unit() const noexcept { return {users.unit, items.unit}; }
};

namespace detail {

inline constexpr std::size_t unit_grain = 256;

/// Adds the gradient through the normalisation of one side's rows to `to`.
template <class T, Execution X>
void accumulate_unit_gradient(const X& exec, UnitRows<T> rows, Rows<const T> from, Rows<T> to) {
  for_each_row(exec, to.size(), unit_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    add_normalise_gradient<typename X::isa>(to[k], from[k], rows.unit[k], *rows.magnitude[k],
                                            to.dim());
  });
}

/// Stores a row's gradient through its normalisation.
template <class T, class Isa>
struct StoreUnitRow {
  UnitRows<T> rows;
  Rows<T> to;

  PRISM_HOST_DEVICE void operator()(std::size_t k, const T* gradient) const noexcept {
    normalise_gradient<Isa>(to[k], gradient, rows.unit[k], *rows.magnitude[k], to.dim());
  }
};

}  // namespace detail

/// Normalises rows; the results are in `scratch`.
template <class T, Execution X>
[[nodiscard]] UnitRows<T> normalise_rows(const X& exec, IndexedRows<const T> rows,
                                         Scratch& scratch) {
  const UnitRows<T> side{scratch.allocate<T>(rows.size(), rows.dim()),
                         scratch.allocate<T>(rows.size(), 1)};
  for_each_row(exec, rows.size(), detail::unit_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    constexpr std::size_t prefetch_distance = 16;
    if (k + prefetch_distance < rows.size()) prefetch(rows[k + prefetch_distance], rows.dim());
    using Isa = typename X::isa;
    const T magnitude = normalise<Isa>(side.unit[k], rows[k], rows.dim());
    Lanes<Isa>::once([&] { *side.magnitude[k] = magnitude; });
  });
  return side;
}

/// Normalises the output rows of a loss.
template <class T, Execution X>
[[nodiscard]] UnitOutput<T> normalise_output(const LossStep<T, X>& step) {
  return {normalise_rows(step.exec, step.output.users, step.scratch),
          normalise_rows(step.exec, step.output.items, step.scratch)};
}

/// Zeros in the shapes of the unit rows, for a gradient with respect to them with several terms.
template <class T, Execution X>
[[nodiscard]] Embeddings<T> allocate_unit_gradient(const LossStep<T, X>& step) {
  const auto zeros_like = [&](IndexedRows<const T> rows) {
    return step.scratch.template allocate_zeros<T>(step.exec, rows.size(), rows.dim());
  };
  return {zeros_like(step.output.users), zeros_like(step.output.items)};
}

/// Adds the gradient through the normalisation to that of the rows:
///   gradient += (g - unit (unit . g)) / magnitude
template <class T, Execution X>
void accumulate_unit_gradient(const X& exec, const UnitOutput<T>& unit_output,
                              Embeddings<const T> unit_gradient, Embeddings<T> gradient) {
  detail::accumulate_unit_gradient<T>(exec, unit_output.users, unit_gradient.users, gradient.users);
  detail::accumulate_unit_gradient<T>(exec, unit_output.items, unit_gradient.items, gradient.items);
}

/// A loss of cosines: sets step.gradient of every active row. Otherwise as loss_over_scores.
template <class T, Execution X, class PerPair>
double loss_over_cosines(const LossStep<T, X>& step, const UnitOutput<T>& unit_output,
                         const PerPair& per_pair) {
  using StoreGradient = detail::StoreUnitRow<T, typename X::isa>;
  return for_each_score_gradient(step.exec, step.batch, unit_output.unit(), step.scratch, per_pair,
                                 StoreGradient{unit_output.users, step.gradient.users},
                                 StoreGradient{unit_output.items, step.gradient.items});
}

/// A loss of cosines with further terms: sets the gradient with respect to the unit rows.
template <class T, Execution X, class PerPair>
double loss_over_cosines(const LossStep<T, X>& step, const UnitOutput<T>& unit_output,
                         const PerPair& per_pair, Embeddings<T> unit_gradient) {
  using StoreGradient = detail::StoreRow<T, typename X::isa>;
  return for_each_score_gradient(step.exec, step.batch, unit_output.unit(), step.scratch, per_pair,
                                 StoreGradient{unit_gradient.users},
                                 StoreGradient{unit_gradient.items});
}

}  // namespace prism::inline PRISM_ISA
