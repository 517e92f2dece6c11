// SPDX-License-Identifier: BSD-3-Clause
// Whether the difference of two models' metrics is more than chance: tests of the differences user
// by user.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/evaluate/estimate.hpp"
#include "prism/execution/host.hpp"

namespace prism::inline PRISM_ISA {

/// The mean difference of pairs of values, and how sure it is.
struct PairedTest {
  std::size_t pairs = 0;
  double difference = 0;      ///< mean of first minus second
  double standard_error = 0;  ///< of the difference
  double low = 0, high = 0;   ///< confidence interval of the difference
  /// Two-sided: how probable a difference at least this large would be if the models were equally
  /// good.
  double p_value = 1;
};

namespace detail {

[[nodiscard]] PRISM_INLINE std::vector<double> paired_differences(std::span<const double> first,
                                                                  std::span<const double> second,
                                                                  double confidence);

/// The quantile of ascending numbers, linear between them.
[[nodiscard]] PRISM_INLINE double quantile(std::span<const double> ascending, double fraction);

}  // namespace detail

/// Student's paired t test, of the values that two models have for the same users:
///   paired_t_test(a.metrics(20).ndcg, b.metrics(20).ndcg)
/// With hundreds of users or more it agrees with randomization and bootstrap tests also for metrics
/// that are not normally distributed: Smucker, Allan, Carterette, "A comparison of statistical
/// significance tests for information retrieval evaluation", CIKM 2007. If all differences are
/// equal, the interval has no width, and the p-value is 1 for differences of 0, else 0.
/// @param first, second  a number for each user, in the same order; at least 2
/// @param confidence     of the interval, between 0 and 1
/// @throws ArgumentError  for other numbers of values, values that are not finite, or another
///     confidence
[[nodiscard]] PRISM_INLINE PairedTest paired_t_test(std::span<const double> first,
                                                    std::span<const double> second,
                                                    double confidence = 0.95);

/// Options of paired_bootstrap().
struct BootstrapOptions {
  double confidence = 0.95;       ///< of the interval, between 0 and 1
  std::size_t resamples = 10000;  ///< at least 1; the least p-value is 1 / (resamples + 1)
  std::uint64_t seed = 123;       ///< equal seeds give equal results
};

/// The bootstrap's paired test: users are drawn with replacement, as many as there are. The
/// interval has the percentiles of the resampled mean differences; the p-value is the share of
/// resamples whose mean differs from the observed one by at least the observed one's distance from
/// 0, with the observed one counted. Efron, Tibshirani, "An introduction to the bootstrap", 1993,
/// sections 13.3 and 16.4.
/// @param exec  the host's threads if left out
/// @throws ArgumentError  as paired_t_test(); for no resamples, or 2^32 or more
template <HostExecution X>
[[nodiscard]] PairedTest paired_bootstrap(const X& exec, std::span<const double> first,
                                          std::span<const double> second,
                                          const BootstrapOptions& options = {}) {
  const std::vector<double> differences =
      detail::paired_differences(first, second, options.confidence);
  require(options.resamples >= 1 && options.resamples < std::size_t{1} << 32, "resamples",
          "must be from 1 to 2^32 - 1, not " + std::to_string(options.resamples));
  const auto pairs = static_cast<std::uint32_t>(differences.size());
  std::vector<double> sums(options.resamples);
  parallel_tasks(exec, options.resamples, [&](std::size_t resample) {
    const Random random(options.seed, Stream::bootstrap, static_cast<std::uint32_t>(resample));
    double sum = 0;
    for (std::uint32_t draw = 0; draw < pairs; ++draw) {
      sum += differences[random.uniform_int(draw, pairs)];
    }
    sums[resample] = sum;
  });
  double observed = 0, magnitude = 0;
  for (const double difference : differences) {
    observed += difference;
    magnitude += std::abs(difference);
  }
  // Resamples as far away as the observed sum count, however their sums are rounded: with hits, of
  // which there are few different sums, they are many.
  const double least = std::abs(observed) - 1e-12 * magnitude;
  const auto as_extreme =
      std::ranges::count_if(sums, [=](double sum) { return std::abs(sum - observed) >= least; });
  std::ranges::sort(sums);
  const auto count = static_cast<double>(pairs);
  for (double& sum : sums) sum /= count;
  const double tail = (1 - options.confidence) / 2;
  PairedTest test{
      .pairs = pairs,
      .difference = observed / count,
      .low = detail::quantile(sums, tail),
      .high = detail::quantile(sums, 1 - tail),
      .p_value = static_cast<double>(as_extreme + 1) / static_cast<double>(options.resamples + 1)};
  // The standard deviation of the resampled means.
  const double mean = estimate(sums).mean;
  double squares = 0;
  for (const double value : sums) squares += (value - mean) * (value - mean);
  if (sums.size() > 1) {
    test.standard_error = std::sqrt(squares / static_cast<double>(sums.size() - 1));
  }
  return test;
}
template <HostExecution X = Host<>>
[[nodiscard]] PairedTest paired_bootstrap(std::span<const double> first,
                                          std::span<const double> second,
                                          const BootstrapOptions& options = {}) {
  return paired_bootstrap(X{}, first, second, options);
}

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/paired_test.inl.hpp"
#endif
