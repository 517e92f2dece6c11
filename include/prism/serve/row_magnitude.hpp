// SPDX-License-Identifier: BSD-3-Clause
// The magnitude of a row as a function of its popularity, as in PRISM's initial rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/policy/prism_alpha.hpp"

namespace prism::inline PRISM_ISA {

/// The magnitude of a row of popularity d: scale (alpha log(d + 2) + 1 - alpha), as in PRISM's
/// initial rows.
struct PrismMagnitude {
  double alpha = 1;  ///< from 0 to max_prism_alpha
  double scale = 1;  ///< finite, above 0

  [[nodiscard]] double operator()(double popularity) const {
    return scale * prism_magnitude(alpha, popularity);
  }
  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    check_prism_alpha(alpha);
    require_positive("scale", scale);
  }
};

/// Fits the PRISM magnitude to trained rows by least squares, so that new items get the magnitude
/// of equally popular trained items. If all rows are equally popular, it is their mean magnitude,
/// whatever the popularity. alpha is limited to [0, 3], so that no magnitude is negative.
/// @param table       such as the items' output rows
/// @param popularity  one number for each row; rows of popularity 0 were not trained, and are
///     ignored
/// @throws ArgumentError  unless there is one popularity for each row; if a row that is not ignored
///     does not have a finite magnitude, or all have the magnitude 0
template <class T>
[[nodiscard]] PrismMagnitude trained_magnitude(Rows<const T> table,
                                               std::span<const Index> popularity) {
  require(popularity.size() == table.size(), "popularity",
          "must have one number for each of the " + std::to_string(table.size()) + " rows, not " +
              std::to_string(popularity.size()));
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  Index least = std::numeric_limits<Index>::max(), most = 0;
  for (std::size_t r = 0; r < table.size(); ++r) {
    if (popularity[r] == 0) continue;
    least = std::min(least, popularity[r]);
    most = std::max(most, popularity[r]);
    const double x = std::log(popularity[r] + 2.0);
    const double y = static_cast<double>(norm(table[r], table.dim()));
    require(detail::is_finite(y), "table",
            "must have rows of finite magnitude, but that of row " + std::to_string(r) +
                " is not finite");
    ++n;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  require(sum_y > 0, "table",
          "has no trained row: all rows with interactions have the magnitude 0");
  // y = slope x + level has scale = slope + level and alpha = slope / scale.
  const double variance = sum_xx - sum_x * sum_x / n;
  // If all x are equal, the variance is a rounding error.
  const double slope = least < most && variance > 0 ? (sum_xy - sum_x * sum_y / n) / variance : 0;
  const double level = (sum_y - slope * sum_x) / n;
  constexpr double max_alpha = 3;  // below max_prism_alpha
  PrismMagnitude result{.alpha = slope / (slope + level), .scale = slope + level};
  if (slope >= 0 && slope + level > 0 && result.alpha <= max_alpha) return result;
  result.alpha = slope > 0 ? max_alpha : 0;
  // The best scale for this alpha: sum of y f over sum of f^2, f = alpha x + 1 - alpha.
  const double a = result.alpha, b = 1 - a;
  result.scale = (a * sum_xy + b * sum_y) / (a * a * sum_xx + 2 * a * b * sum_x + b * b * n);
  return result;
}

/// Returns trained_magnitude() of the output rows of a model's items, by their training popularity.
template <class Model>
[[nodiscard]] PrismMagnitude trained_magnitude_of_items(const Model& model) {
  const auto output = model.output();
  return trained_magnitude(output.items(), model.train().item_degree());
}

}  // namespace prism::inline PRISM_ISA
