// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/loss/sphere.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment and uniformity on the unit sphere, over the batch's pairs and its distinct ids:
///   mean |u^ - i^|^2 + gamma * (U(users) + U(items)) / 2,
///   U = log mean_{a<b} exp(-2 |a^ - b^|^2), 0 for a side of one id.
/// Wang et al.: "Towards representation alignment and uniformity in collaborative filtering",
/// KDD 2022.
struct DirectAU {
  static constexpr std::string_view name = "DirectAU";

  double gamma = 1;         ///< weight of the uniformity, at least 0
  bool duplicates = false;  ///< U over the ids of all pairs, as often as they stand in the batch

  /// @throws ArgumentError  for an option outside its domain
  void check() const { require_not_negative("gamma", gamma); }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    const detail::Sphere<T> sphere = detail::sphere(step);
    const Embeddings<T> of_unit = detail::unit_gradient(step);
    const Batch& batch = step.batch;
    const double alignment = align<T>(step.exec, sphere.users.unit, sphere.items.unit,
                                      batch.user_side, batch.items, batch.pairs(), of_unit.users);
    align<T>(step.exec, sphere.items.unit, sphere.users.unit, batch.item_side, batch.users,
             batch.pairs(), of_unit.items);
    const double spread = uniformity<T>(step.exec, sphere.users.unit, batch.users, batch.user_side,
                                        of_unit.users, step.scratch) +
                          uniformity<T>(step.exec, sphere.items.unit, batch.items, batch.item_side,
                                        of_unit.items, step.scratch);
    detail::add_row_gradient<T>(step.exec, sphere, of_unit, step.gradient);
    return alignment + gamma / 2 * spread;
  }

 private:
  /// mean |a - b|^2 over the pairs of unit rows, and its gradient with respect to `mine`; other[p]
  /// is the row of `theirs` that stands in pair p.
  template <class T, Execution X>
  static double align(const X& exec, Rows<const T> mine, Rows<const T> theirs,
                      const BatchSide& side, std::span<const Index> other, std::size_t pairs,
                      Rows<T> gradient) {
    const std::size_t dim = mine.dim();
    const double mean = 1.0 / static_cast<double>(pairs);
    return mean * parallel_sum(exec, mine.size(), detail::sphere_grain,
                               [&](std::size_t begin, std::size_t end) {
                                 double sum = 0;
                                 for (std::size_t k = begin; k < end; ++k) {
                                   for (const Index p : side.slots_of(k)) {
                                     if (p >= pairs) break;  // another loss's negatives
                                     const T* const partner = theirs[other[p]];
                                     // |a - b|^2 = 2 - 2 a . b for unit rows; the gradient's part
                                     // along a drops out.
                                     sum += 2 - 2 * static_cast<double>(dot<typename X::isa>(
                                                        mine[k], partner, dim));
                                     add_scaled<typename X::isa>(
                                         gradient[k], static_cast<T>(-2 * mean), partner, dim);
                                   }
                                 }
                                 return sum;
                               });
  }

  /// A side's uniformity; gamma / 2 times its gradient is added to that of the unit rows.
  /// @param of_pair  which row stands in each pair
  template <class T, Execution X>
  double uniformity(const X& exec, Rows<const T> unit, std::span<const Index> of_pair,
                    const BatchSide& side, Rows<T> of_unit, Scratch& scratch) const {
    if (!duplicates) {
      return detail::uniformity<T>(exec, unit, gamma / 2, PairMean::strict, of_unit, scratch);
    }
    const std::size_t dim = unit.dim();
    const Rows<T> repeated = scratch.take<T>(of_pair.size(), dim);
    const Rows<T> gradient = scratch.take_zeros<T>(exec, of_pair.size(), dim);
    parallel_chunks(exec, of_pair.size(), detail::sphere_grain,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t p = begin; p < end; ++p) {
                        std::copy_n(unit[of_pair[p]], dim, repeated[p]);
                      }
                    });
    const double value =
        detail::uniformity<T>(exec, repeated, gamma / 2, PairMean::strict, gradient, scratch);
    parallel_chunks(exec, side.own, detail::sphere_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        for (const Index p : side.slots_of(k)) {
          if (p >= of_pair.size()) break;  // another loss's negatives
          add_scaled<typename X::isa>(of_unit[k], T{1}, gradient[p], dim);
        }
      }
    });
    return value;
  }
};

static_assert(LossPolicy<DirectAU>);

}  // namespace prism::inline PRISM_ISA
