// SPDX-License-Identifier: BSD-3-Clause
// IPL's ratios of sums of scores to popularity: their deviation and its gradient.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/power.hpp"
#include "prism/ops/ordered_sums.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t ipl_grain = 64;

/// The popularity of the item that ratio k belongs to.
struct ItemDegree {
  std::span<const Index> degree;
  std::span<const Index> item_of_ratio;  // empty if ratio k is item k's
  double gamma;

  [[nodiscard]] PRISM_HOST_DEVICE Index operator()(std::size_t k) const noexcept {
    return degree[item_of_ratio.empty() ? k : item_of_ratio[k]];
  }
  /// d^(gamma - 2)
  [[nodiscard]] PRISM_HOST_DEVICE double weight(std::size_t k) const noexcept {
    const Index d = (*this)(k);
    return d == 0 ? 0 : elementary::pow(static_cast<double>(d), gamma - 2);
  }
};

struct RatioStatistics {
  double mean = 0;
  double deviation = 0;
  double gradient_scale = 0;  // d deviation / d x = gradient_scale * (x - mean)
};

/// Over the items with a training interaction; the standard deviation with n - 1 in the
/// denominator, 0 for fewer than two items.
template <class T, Execution X>
[[nodiscard]] RatioStatistics ratio_statistics(const X& exec, Rows<const T> ratio,
                                               const ItemDegree& degree) {
  const double count = sum_over_elements(
      exec, ratio.size(),
      [=] PRISM_HOST_DEVICE(std::size_t k) -> double { return degree(k) == 0 ? 0 : 1; });
  if (count < 2) return {};
  const double sum =
      sum_over_elements(exec, ratio.size(), [=] PRISM_HOST_DEVICE(std::size_t k) -> double {
        return degree(k) == 0 ? 0 : static_cast<double>(*ratio[k]);
      });
  RatioStatistics statistics{.mean = sum / count};
  const double mean = statistics.mean;
  const double squares =
      sum_over_elements(exec, ratio.size(), [=] PRISM_HOST_DEVICE(std::size_t k) -> double {
        const double difference = static_cast<double>(*ratio[k]) - mean;
        return degree(k) == 0 ? 0 : difference * difference;
      });
  statistics.deviation = std::sqrt(squares / (count - 1));
  if (statistics.deviation > 0) {
    statistics.gradient_scale = 1 / ((count - 1) * statistics.deviation);
  }
  return statistics;
}

/// Replaces the ratios by d penalty / d c_i.
template <class T, Execution X>
void ratio_gradient(const X& exec, Rows<T> ratio, const RatioStatistics& statistics, double weight,
                    const ItemDegree& degree) {
  for_each_element(exec, ratio.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    *ratio[k] =
        static_cast<T>(weight * statistics.gradient_scale *
                       (static_cast<double>(*ratio[k]) - statistics.mean) * degree.weight(k));
  });
}

}  // namespace prism::inline PRISM_ISA::detail
