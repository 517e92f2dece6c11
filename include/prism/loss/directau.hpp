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

  template <class T>
  double operator()(const LossStep<T>& step) const {
    const detail::Sphere<T> sphere = detail::sphere(step);
    const Batch& batch = step.batch;
    const double alignment =
        align(sphere.users, sphere.items, batch.user_side, batch.items, batch.pairs());
    align(sphere.items, sphere.users, batch.item_side, batch.users, batch.pairs());
    const double spread = uniformity(sphere.users, batch.users, batch.user_side, step.scratch) +
                          uniformity(sphere.items, batch.items, batch.item_side, step.scratch);
    detail::add_row_gradient(sphere, step.gradient);
    return alignment + gamma / 2 * spread;
  }

 private:
  /// mean |a - b|^2 over the pairs, and its gradient with respect to `mine`; other[p] is the row of
  /// `theirs` that stands in pair p.
  template <class T>
  static double align(const detail::UnitRows<T>& mine, const detail::UnitRows<T>& theirs,
                      const BatchSide& side, std::span<const Index> other, std::size_t pairs) {
    const std::size_t dim = mine.unit.dim();
    const double mean = 1.0 / static_cast<double>(pairs);
    return mean *
           parallel_sum(mine.unit.size(), detail::sphere_grain,
                        [&](std::size_t begin, std::size_t end) {
                          double sum = 0;
                          for (std::size_t k = begin; k < end; ++k) {
                            for (const Index p : side.slots_of(k)) {
                              if (p >= pairs) break;  // another loss's negatives
                              const T* const partner = theirs.unit[other[p]];
                              // |a - b|^2 = 2 - 2 a . b for unit rows; the gradient's part
                              // along a drops out.
                              sum += 2 - 2 * static_cast<double>(dot(mine.unit[k], partner, dim));
                              add_scaled(mine.gradient[k], static_cast<T>(-2 * mean), partner, dim);
                            }
                          }
                          return sum;
                        });
  }

  /// A side's uniformity; gamma / 2 times its gradient is added to that of the unit rows.
  /// @param of_pair  which row stands in each pair
  template <class T>
  double uniformity(const detail::UnitRows<T>& rows, std::span<const Index> of_pair,
                    const BatchSide& side, Scratch& scratch) const {
    if (!duplicates) {
      return detail::uniformity<T>(rows.unit, gamma / 2, PairMean::strict, rows.gradient, scratch);
    }
    const std::size_t dim = rows.unit.dim();
    const Rows<T> repeated = scratch.take<T>(of_pair.size(), dim);
    const Rows<T> gradient = scratch.take_zeros<T>(of_pair.size(), dim);
    parallel_chunks(of_pair.size(), detail::sphere_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        std::copy_n(rows.unit[of_pair[p]], dim, repeated[p]);
      }
    });
    const double value =
        detail::uniformity<T>(repeated, gamma / 2, PairMean::strict, gradient, scratch);
    parallel_chunks(side.own, detail::sphere_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        for (const Index p : side.slots_of(k)) {
          if (p >= of_pair.size()) break;  // another loss's negatives
          add_scaled(rows.gradient[k], T{1}, gradient[p], dim);
        }
      }
    });
    return value;
  }
};

static_assert(LossPolicy<DirectAU>);

}  // namespace prism::inline PRISM_ISA
