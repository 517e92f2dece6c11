// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Returns the mean over pairs of |a - b|^2, where a is an anchor and b its partner, and adds the
/// gradient with respect to `anchors`, 2 (a - b) / pairs for each pair. partner_of_pair[p] is the
/// partner in pair p.
template <class T, Execution X>
double squared_distance(const X& exec, BatchSide side, IndexedRows<const T> anchors,
                        std::span<const Index> partner_of_pair, IndexedRows<const T> partners,
                        Rows<T> gradient) {
  // The host sums a block of rows, element by element; a device uses a warp for each row.
  constexpr std::size_t block = DeviceExecution<X> ? 1 : pair_grain;
  constexpr std::size_t grain = 1;
  const std::size_t dim = anchors.dim();
  const std::size_t pairs = partner_of_pair.size();
  const T pair_weight = T{1} / static_cast<T>(pairs);
  const double total =
      sum_over_rows(exec, (side.num_active + block - 1) / block, grain,
                    [=] PRISM_HOST_DEVICE(std::size_t b) -> double {
                      using Lane = Lanes<typename X::isa>;
                      const std::size_t end = std::min((b + 1) * block, side.num_active);
                      double sum = 0;
                      for (std::size_t k = b * block; k < end; ++k) {
                        const T* const anchor = anchors[k];
                        for (const Index p : side.occurrence_positions(k)) {
                          const T* const partner = partners[partner_of_pair[p]];
                          for (std::size_t c = Lane::first(); c < dim; c += Lane::step()) {
                            const T difference = anchor[c] - partner[c];
                            sum += static_cast<double>(difference * difference);
                            gradient[k][c] += 2 * pair_weight * difference;
                          }
                        }
                      }
                      return Lane::sum(sum);
                    });
  return total / static_cast<double>(pairs);
}

}  // namespace detail

/// Alignment by squared distance: mean of |u - i|^2 over the batch's pairs. One of the theorem's
/// three pair losses (the paper, KDD 2025).
struct Euclidean {
  static constexpr std::string_view name = "Euclidean";
  static constexpr PairLoss pair_loss = PairLoss::euclidean;

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const double value =
        detail::squared_distance<T>(step.exec, batch.user_side, step.output.users, batch.items,
                                    step.output.items, step.gradient.users);
    detail::squared_distance<T>(step.exec, batch.item_side, step.output.items, batch.users,
                                step.output.users, step.gradient.items);
    return value;
  }
};

static_assert(LossPolicy<Euclidean>);

}  // namespace prism::inline PRISM_ISA
