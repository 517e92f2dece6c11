// SPDX-License-Identifier: BSD-3-Clause
// Uniformity of unit rows on the sphere.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/ops/pair_potential.hpp"

namespace prism {

/// The pairs of n unit rows over which uniformity takes its mean.
enum class PairMean {
  strict,       ///< the n(n-1)/2 pairs of different rows
  full_matrix,  ///< all n*n entries, with cosine 0 on and above the diagonal (MAWU's code)
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// Returns U = log mean exp(-2 |a - b|^2) over pairs of unit rows, and adds `weight` times its
/// gradient. The strict mean of a single row has no pairs: U = 0. Wang, Isola: "Understanding
/// contrastive representation learning through alignment and uniformity on the hypersphere", ICML
/// 2020.
/// @param unit      n x dim
/// @param gradient  n x dim, added to
template <class T, Execution X>
double uniformity(const X& exec, Rows<const T> unit, double weight, PairMean mean, Rows<T> gradient,
                  Scratch& scratch) {
  constexpr double rate = 4;  // exp(-2 |a - b|^2) = exp(4 (a . b - 1))
  const double n = static_cast<double>(unit.size());
  const double pairs = n * (n - 1) / 2;
  const bool strict = mean == PairMean::strict;
  if (strict && pairs == 0) return 0;
  const double orthogonal_terms = strict ? 0 : (n * n - pairs) * elementary::exp(-rate);
  const double total = pair_potential(
      exec, unit, rate, [&](double sum) { return weight * rate / (sum + orthogonal_terms); },
      gradient, scratch);
  return elementary::log((total + orthogonal_terms) / (strict ? pairs : n * n));
}

}  // namespace prism::inline PRISM_ISA
