// SPDX-License-Identifier: BSD-3-Clause
// Rank correlation, e.g. of magnitudes with popularity.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// The ranks of values, from 0, ascending; equal values have the mean of their ranks.
/// @throws ArgumentError  if a value is NaN
[[nodiscard]] PRISM_INLINE std::vector<double> ranks(std::span<const double> values);

/// Pearson's correlation; NaN if either side is constant.
/// @throws ArgumentError  if x and y differ in length
[[nodiscard]] PRISM_INLINE double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's correlation: Pearson's correlation of the ranks.
/// @throws ArgumentError  if x and y differ in length, or contain NaN
[[nodiscard]] inline double spearman(std::span<const double> x, std::span<const double> y) {
  return pearson(ranks(x), ranks(y));
}

/// The magnitudes of a table's rows.
template <class T>
[[nodiscard]] std::vector<double> magnitudes(Rows<const T> table) {
  std::vector<double> magnitude(table.size());
  for (std::size_t r = 0; r < table.size(); ++r) {
    magnitude[r] = static_cast<double>(norm(table[r], table.dim()));
  }
  return magnitude;
}

/// Spearman's correlation of magnitude and popularity, the paper's evidence that weight decay
/// encodes popularity in magnitudes.
/// @param popularity  one number for each row
/// @throws ArgumentError  if there are more or fewer numbers; if a magnitude is NaN
template <class T>
[[nodiscard]] double magnitude_popularity_correlation(Rows<const T> table,
                                                      std::span<const Index> popularity) {
  require(popularity.size() == table.size(), "popularity",
          "must have one number for each of the " + std::to_string(table.size()) + " rows, not " +
              std::to_string(popularity.size()));
  return spearman(magnitudes(table), std::vector<double>(popularity.begin(), popularity.end()));
}

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/correlation.inl.hpp"
#endif
