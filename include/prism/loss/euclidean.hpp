// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/loss/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by squared distance: mean |u - i|^2. One of the theorem's three similarities (KDD
/// 2025).
struct Euclidean {
  static constexpr std::string_view name = "Euclidean";
  static constexpr Alignment alignment = Alignment::euclidean;

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const double value = pull(step.exec, batch.user_side, step.output.users, batch.items,
                              step.output.items, batch.pairs(), step.gradient.users);
    pull(step.exec, batch.item_side, step.output.items, batch.users, step.output.users,
         batch.pairs(), step.gradient.items);
    return value;
  }

 private:
  /// The mean over the pairs, and its gradient 2 (a - b) with respect to `mine`; other[p] is the
  /// row of `theirs` that stands in pair p.
  template <class T, Execution X>
  static double pull(const X& exec, const BatchSide& side, PickedRows<const T> mine,
                     std::span<const Index> other, PickedRows<const T> theirs, std::size_t pairs,
                     Rows<T> gradient) {
    const std::size_t dim = mine.dim();
    const T mean = T{1} / static_cast<T>(pairs);
    const double total =
        parallel_sum(exec, side.own, detail::pair_grain, [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t k = begin; k < end; ++k) {
            for (const Index p : side.slots_of(k)) {
              if (p >= pairs) break;  // another loss's negatives
              const T* const a = mine[k];
              const T* const b = theirs[other[p]];
              for (std::size_t c = 0; c < dim; ++c) {
                const T difference = a[c] - b[c];
                sum += static_cast<double>(difference * difference);
                gradient[k][c] += 2 * mean * difference;
              }
            }
          }
          return sum;
        });
    return total / static_cast<double>(pairs);
  }
};

static_assert(LossPolicy<Euclidean>);

}  // namespace prism::inline PRISM_ISA
