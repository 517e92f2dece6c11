// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/uniformity.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// to[k] = from[rows[k]]
template <class T, Execution X>
void gather_rows(const X& exec, Rows<const T> from, std::span<const Index> rows, Rows<T> to) {
  for_each_row(exec, rows.size(), unit_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    copy<typename X::isa>(to[k], from[rows[k]], from.dim());
  });
}

/// to[k] += the sum of from[p] over the occurrences p of row k
template <class T, Execution X>
void add_occurrences(const X& exec, BatchSide side, Rows<const T> from, Rows<T> to) {
  for_each_row(exec, side.num_active, unit_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    for (const Index p : side.occurrence_positions(k)) {
      add_scaled<typename X::isa>(to[k], T{1}, from[p], from.dim());
    }
  });
}

}  // namespace detail

/// Alignment of the batch's pairs and uniformity of its distinct users and items, on the unit
/// sphere:
///   mean |u^ - i^|^2 + gamma * (U(users) + U(items)) / 2,
///   U = log mean_{a<b} exp(-2 |a^ - b^|^2), 0 for a single row.
/// Wang et al.: "Towards representation alignment and uniformity in collaborative filtering",
/// KDD 2022.
struct DirectAU {
  static constexpr std::string_view name = "DirectAU";

  double gamma = 1;         ///< weight of the uniformity, at least 0
  bool duplicates = false;  ///< U over the users (items) of all pairs, with repetitions

  static constexpr auto options =
      option_table(option<&DirectAU::gamma>("gamma", domain::non_negative),
                   option<&DirectAU::duplicates>("duplicates"));

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const UnitOutput<T> unit_output = normalise_output(step);
    const Embeddings<T> unit_gradient = allocate_unit_gradient(step);
    const Batch& batch = step.batch;
    const double pair_weight = 1.0 / static_cast<double>(batch.pairs());
    // |u^ - i^|^2 = 2 - 2 cos(u, i)
    const double alignment = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t, PairScores<T, typename X::isa> cosine) -> double {
          const double value = 2 - 2 * static_cast<double>(cosine.positive());
          cosine.set_positive(static_cast<T>(-2 * pair_weight));
          return value;
        },
        unit_gradient);
    const double uniformity_sum =
        uniformity<T>(step.exec, unit_output.users.unit, batch.users, batch.user_side,
                      unit_gradient.users, step.scratch) +
        uniformity<T>(step.exec, unit_output.items.unit, batch.items, batch.item_side,
                      unit_gradient.items, step.scratch);
    accumulate_unit_gradient<T>(step.exec, unit_output, unit_gradient, step.gradient);
    return pair_weight * alignment + gamma / 2 * uniformity_sum;
  }

 private:
  /// A side's uniformity; adds gamma / 2 times its gradient to unit_gradient.
  /// @param row_of_pair  the row of each pair
  template <class T, Execution X>
  double uniformity(const X& exec, Rows<const T> unit, std::span<const Index> row_of_pair,
                    const BatchSide& side, Rows<T> unit_gradient, Scratch& scratch) const {
    if (!duplicates) {
      return prism::uniformity<T>(exec, unit, gamma / 2, PairMean::strict, unit_gradient, scratch);
    }
    const std::size_t dim = unit.dim();
    const Rows<T> repeated = scratch.allocate<T>(row_of_pair.size(), dim);
    const Rows<T> gradient = scratch.allocate_zeros<T>(exec, row_of_pair.size(), dim);
    detail::gather_rows<T>(exec, unit, row_of_pair, repeated);
    const double value =
        prism::uniformity<T>(exec, repeated, gamma / 2, PairMean::strict, gradient, scratch);
    detail::add_occurrences<T>(exec, side, gradient, unit_gradient);
    return value;
  }
};

static_assert(LossPolicy<DirectAU>);

}  // namespace prism::inline PRISM_ISA
