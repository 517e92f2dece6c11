// SPDX-License-Identifier: BSD-3-Clause
// Functions that correlation.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/correlation.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE std::vector<double> ranks(std::span<const double> values) {
  require(std::ranges::none_of(values, [](double value) { return detail::is_nan(value); }),
          "values", "must not contain NaN");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> rank(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) rank[order[i]] = mean;
  }
  return rank;
}

PRISM_INLINE double pearson(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "y", "must be as long as x");
  const auto is_constant = [](std::span<const double> values) {
    return std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
  };
  // Differences from a rounded mean would not be zero.
  if (is_constant(x) || is_constant(y)) return std::numeric_limits<double>::quiet_NaN();
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / (std::sqrt(xx) * std::sqrt(yy));
}

}  // namespace prism::inline PRISM_ISA
