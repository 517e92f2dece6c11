// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/pair_potential.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Alignment and uniformity on the unit sphere, over the batch's pairs and its distinct ids:
///   mean |u^ - i^|^2 + gamma * (U(users) + U(items)) / 2,
///   U = log mean_{a<b} exp(-2 |a^ - b^|^2), 0 for a side of one id.
/// Wang et al.: "Towards representation alignment and uniformity in collaborative filtering",
/// KDD 2022.
struct DirectAU {
  static constexpr std::string_view name = "DirectAU";

  double gamma = 1;

  template <class T>
  double operator()(const LossStep<T>& step) const {
    const Side<T> users = unit_rows(step.output.users, step.scratch);
    const Side<T> items = unit_rows(step.output.items, step.scratch);
    const Batch& batch = step.batch;
    const double alignment = align(users, items, batch.user_side, batch.items, batch.pairs());
    align(items, users, batch.item_side, batch.users, batch.pairs());
    const double uniformity = spread(users, step.scratch) + spread(items, step.scratch);
    add_gradient(users, step.gradient.users);
    add_gradient(items, step.gradient.items);
    return alignment + gamma / 2 * uniformity;
  }

 private:
  static constexpr double sharpness = 4;  // of exp(-2 |a - b|^2) = exp(4 (a . b - 1))
  static constexpr std::size_t grain = 256;

  /// A side's rows scaled to length 1, and the gradient with respect to those.
  template <class T>
  struct Side {
    Rows<T> unit;
    Rows<T> length;  // n x 1
    Rows<T> gradient;
  };

  template <class T>
  [[nodiscard]] static Side<T> unit_rows(Rows<const T> rows, Scratch& scratch) {
    const Side<T> side{scratch.take<T>(rows.size(), rows.dim()), scratch.take<T>(rows.size(), 1),
                       scratch.take_zeros<T>(rows.size(), rows.dim())};
    parallel_chunks(rows.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        *side.length[k] = normalise(side.unit[k], rows[k], rows.dim());
      }
    });
    return side;
  }

  /// mean |a - b|^2 over the pairs, and its gradient with respect to `mine`; other[p] is the row of
  /// `theirs` that stands in pair p.
  template <class T>
  static double align(const Side<T>& mine, const Side<T>& theirs, const BatchSide& side,
                      std::span<const Index> other, std::size_t pairs) {
    const std::size_t dim = mine.unit.dim();
    const double mean = 1.0 / static_cast<double>(pairs);
    return mean * parallel_sum(mine.unit.size(), grain, [&](std::size_t begin, std::size_t end) {
             double sum = 0;
             for (std::size_t k = begin; k < end; ++k) {
               for (const Index p : side.slots_of(k)) {
                 const T* const partner = theirs.unit[other[p]];
                 // |a - b|^2 = 2 - 2 a . b for unit rows; the gradient's part along a drops out.
                 sum += 2 - 2 * static_cast<double>(dot(mine.unit[k], partner, dim));
                 add_scaled(mine.gradient[k], static_cast<T>(-2 * mean), partner, dim);
               }
             }
             return sum;
           });
  }

  /// The side's uniformity, and gamma / 2 times its gradient.
  template <class T>
  double spread(const Side<T>& side, Scratch& scratch) const {
    const double n = static_cast<double>(side.unit.size());
    if (n < 2) return 0;
    const double total = pair_potential(
        Rows<const T>(side.unit), sharpness,
        [&](double sum) { return gamma / 2 * sharpness / sum; }, side.gradient, scratch);
    return std::log(total / (n * (n - 1) / 2));
  }

  template <class T>
  static void add_gradient(const Side<T>& side, Rows<T> gradient) {
    parallel_chunks(gradient.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        add_normalise_gradient(gradient[k], side.gradient[k], side.unit[k], *side.length[k],
                               gradient.dim());
      }
    });
  }
};

static_assert(LossPolicy<DirectAU>);

}  // namespace prism::inline PRISM_ISA
