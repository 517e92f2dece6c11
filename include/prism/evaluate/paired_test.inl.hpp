// SPDX-License-Identifier: BSD-3-Clause
// Functions that paired_test.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/evaluate/estimate.hpp"
#include "prism/evaluate/paired_test.hpp"
#include "prism/evaluate/student_t.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<double> paired_differences(std::span<const double> first,
                                                    std::span<const double> second,
                                                    double confidence) {
  require(first.size() == second.size(), "second",
          "must have one number for each of the " + std::to_string(first.size()) +
              " numbers of `first`, of the same user, not " + std::to_string(second.size()));
  require(first.size() >= 2, "first",
          "must have at least 2 numbers, not " + std::to_string(first.size()));
  require(confidence > 0 && confidence < 1, "confidence",
          "must be a number between 0 and 1, such as 0.95, not " + format_number(confidence));
  std::vector<double> differences(first.size());
  for (std::size_t j = 0; j < first.size(); ++j) {
    require(is_finite(first[j]), "first", "must be finite numbers");
    require(is_finite(second[j]), "second", "must be finite numbers");
    differences[j] = first[j] - second[j];
  }
  return differences;
}

PRISM_INLINE double quantile(std::span<const double> ascending, double fraction) {
  const double place = fraction * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] +
         (ascending[above] - ascending[below]) * (place - static_cast<double>(below));
}

}  // namespace detail

PRISM_INLINE PairedTest paired_t_test(std::span<const double> first, std::span<const double> second,
                                      double confidence) {
  const std::vector<double> differences = detail::paired_differences(first, second, confidence);
  const Estimate mean = estimate(differences);
  PairedTest test{.pairs = mean.count,
                  .difference = mean.mean,
                  .standard_error = mean.standard_error,
                  .low = mean.mean,
                  .high = mean.mean,
                  .p_value = mean.mean == 0 ? 1.0 : 0.0};
  if (mean.standard_error == 0) return test;
  const auto freedom = static_cast<double>(mean.count - 1);
  const double margin = mean.standard_error * detail::two_sided_t_quantile(1 - confidence, freedom);
  test.low -= margin;
  test.high += margin;
  test.p_value = detail::two_sided_t_probability(mean.mean / mean.standard_error, freedom);
  return test;
}

}  // namespace prism::inline PRISM_ISA
