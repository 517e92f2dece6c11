// SPDX-License-Identifier: BSD-3-Clause
// Losses that look at angles alone: rows scaled to length 1, and the gradient through the scaling.
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

/// Rows scaled to length 1, with the magnitudes they had.
template <class T>
struct UnitRows {
  Rows<T> unit;
  Rows<T> magnitude;  // n x 1
};

/// The unit rows of both sides of a step.
template <class T>
struct UnitOutput {
  UnitRows<T> users;
  UnitRows<T> items;

  [[nodiscard]] BatchRows<T> unit() const noexcept { return {users.unit, items.unit}; }
};

namespace detail {
inline constexpr std::size_t unit_grain = 256;
}

/// Scales rows to length 1; the results lie in `scratch`.
template <class T, HostExecution X>
[[nodiscard]] UnitRows<T> normalise_rows(const X& exec, IndexedRows<const T> rows,
                                         Scratch& scratch) {
  const UnitRows<T> side{scratch.allocate<T>(rows.size(), rows.dim()),
                         scratch.allocate<T>(rows.size(), 1)};
  constexpr std::size_t prefetch_distance = 16;
  parallel_chunks(exec, rows.size(), detail::unit_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (k + prefetch_distance < rows.size()) prefetch(rows[k + prefetch_distance], rows.dim());
      *side.magnitude[k] = normalise<typename X::isa>(side.unit[k], rows[k], rows.dim());
    }
  });
  return side;
}

/// Scales a step's output rows to length 1.
template <class T, HostExecution X>
[[nodiscard]] UnitOutput<T> normalise_output(const LossStep<T, X>& step) {
  return {normalise_rows(step.exec, step.output.users, step.scratch),
          normalise_rows(step.exec, step.output.items, step.scratch)};
}

/// Zeros of the unit rows' shapes, for a gradient with respect to them that several terms add to.
template <class T, HostExecution X>
[[nodiscard]] Embeddings<T> allocate_unit_gradient(const LossStep<T, X>& step) {
  const auto zeros_like = [&](IndexedRows<const T> rows) {
    return step.scratch.template allocate_zeros<T>(step.exec, rows.size(), rows.dim());
  };
  return {zeros_like(step.output.users), zeros_like(step.output.items)};
}

/// Takes a gradient with respect to unit rows through the scaling, and adds it to that of the rows:
///   gradient += (g - unit (unit . g)) / magnitude
template <class T, HostExecution X>
void accumulate_unit_gradient(const X& exec, const UnitOutput<T>& unit_output,
                              Embeddings<const T> unit_gradient, Embeddings<T> gradient) {
  const auto side = [&exec](const UnitRows<T>& rows, Rows<const T> from, Rows<T> to) {
    parallel_chunks(exec, to.size(), detail::unit_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        add_normalise_gradient<typename X::isa>(to[k], from[k], rows.unit[k], *rows.magnitude[k],
                                                to.dim());
      }
    });
  };
  side(unit_output.users, unit_gradient.users, gradient.users);
  side(unit_output.items, unit_gradient.items, gradient.items);
}

/// A loss of cosines: sets step.gradient of every active row. As loss_over_scores otherwise.
template <class T, HostExecution X, class PerPair>
double loss_over_cosines(const LossStep<T, X>& step, const UnitOutput<T>& unit_output,
                         const PerPair& per_pair) {
  const auto store = [](const UnitRows<T>& rows, Rows<T> to) {
    return [rows, to](std::size_t k, const T* g) {
      normalise_gradient<typename X::isa>(to[k], g, rows.unit[k], *rows.magnitude[k], to.dim());
    };
  };
  return for_each_score_gradient(step.exec, step.batch, unit_output.unit(), step.scratch, per_pair,
                                 store(unit_output.users, step.gradient.users),
                                 store(unit_output.items, step.gradient.items));
}

/// The same for a loss that has more terms: sets the gradient with respect to the unit rows
/// instead.
template <class T, HostExecution X, class PerPair>
double loss_over_cosines(const LossStep<T, X>& step, const UnitOutput<T>& unit_output,
                         const PerPair& per_pair, Embeddings<T> unit_gradient) {
  const auto store = [](Rows<T> to) {
    return [to](std::size_t k, const T* g) { std::copy_n(g, to.dim(), to[k]); };
  };
  return for_each_score_gradient(step.exec, step.batch, unit_output.unit(), step.scratch, per_pair,
                                 store(unit_gradient.users), store(unit_gradient.items));
}

}  // namespace prism::inline PRISM_ISA
