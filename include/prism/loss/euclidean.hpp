// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment by squared distance: mean of |u - i|^2 over the batch's pairs. One of the theorem's
/// three pair losses (the paper, KDD 2025).
struct Euclidean {
  static constexpr std::string_view name = "Euclidean";
  static constexpr PairLoss pair_loss = PairLoss::euclidean;

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const double value =
        squared_distance(step.exec, batch.user_side, step.output.users, batch.items,
                         step.output.items, batch.pairs(), step.gradient.users);
    squared_distance(step.exec, batch.item_side, step.output.items, batch.users, step.output.users,
                     batch.pairs(), step.gradient.items);
    return value;
  }

 private:
  /// The mean over pairs of |a - b|^2, a an anchor and b its partner; adds the gradient with
  /// respect to `anchors`, 2 (a - b) / pairs for each pair. partner_of_pair[p] is the partner in
  /// pair p.
  template <class T, Execution X>
  static double squared_distance(const X& exec, const BatchSide& side, IndexedRows<const T> anchors,
                                 std::span<const Index> partner_of_pair,
                                 IndexedRows<const T> partners, std::size_t pairs,
                                 Rows<T> gradient) {
    const std::size_t dim = anchors.dim();
    const T pair_weight = T{1} / static_cast<T>(pairs);
    const double total = parallel_sum(exec, side.num_active, detail::pair_grain,
                                      [&](std::size_t begin, std::size_t end) {
                                        double sum = 0;
                                        for (std::size_t k = begin; k < end; ++k) {
                                          for (const Index p : side.occurrence_positions(k)) {
                                            const T* const a = anchors[k];
                                            const T* const b = partners[partner_of_pair[p]];
                                            for (std::size_t c = 0; c < dim; ++c) {
                                              const T difference = a[c] - b[c];
                                              sum += static_cast<double>(difference * difference);
                                              gradient[k][c] += 2 * pair_weight * difference;
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
