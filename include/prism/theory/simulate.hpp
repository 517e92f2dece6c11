// SPDX-License-Identifier: BSD-3-Clause
// Simulated steps of gradient descent on vectors, to test the theorem's predictions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/execution/host.hpp"
#include "prism/theory/magnitude.hpp"
#include "prism/theory/simulated_item.hpp"

namespace prism::inline PRISM_ISA {

/// The mean change of |i|^2 over the drawn batches, and a confidence interval of the expected
/// change: a normal interval after adding z^2/2 batches with the item and as many without it to
/// those drawn, so that it also holds for items in nearly all batches or nearly none (Agresti,
/// Coull, The American Statistician 1998). It is widened to allow for rounding errors.
struct SimulatedChange {
  double mean = 0;
  double low = 0;  ///< of the interval
  double high = 0;
  double in_batch = 0;  ///< fraction of the batches with the item

  [[nodiscard]] constexpr bool contains(double expected) const noexcept {
    return low <= expected && expected <= high;
  }
};

namespace detail {

/// z such that a standard normal number is in [-z, z] with this probability.
[[nodiscard]] inline double two_sided_normal(double confidence) {
  double low = 0, high = 40;
  for (int halving = 0; halving < 60; ++halving) {
    const double z = (low + high) / 2;
    (std::erfc(z / std::sqrt(2.0)) > 1 - confidence ? low : high) = z;
  }
  return high;
}

}  // namespace detail

/// Draws batches and applies the theorem's step to an item's row, each time from the same start.
/// Gradients are computed from vectors, not from the theorem's formulas. Uses all threads; the
/// result depends on the options alone. The item's users have the setting's magnitude and angle to
/// it, and otherwise random directions.
///
/// Without replacement a draw takes time proportional to the item's popularity.
///
/// @throws ArgumentError  for a setting or an option outside its domain
[[nodiscard]] inline SimulatedChange simulate_change(const TheoremSetting& setting,
                                                     const SimulationOptions& options = {}) {
  (void)expected_change(setting);  // checks the setting
  constexpr std::int64_t max_draws = std::int64_t{1} << 31;
  require(options.draws >= 2 && options.draws <= max_draws, "draws",
          "must be at least 2 and at most 2^31, not " + std::to_string(options.draws));
  require(options.run < max_draws, "run", "must be below 2^31, not " + std::to_string(options.run));
  require(setting.popularity <= std::numeric_limits<std::uint32_t>::max(), "popularity",
          "must be below 2^32 to be simulated, not " + std::to_string(setting.popularity));
  require_enumerator("sampling", options.sampling, PairSampling::with_replacement);
  require_enumerator("updates", options.updates, Updates::every_pair);
  require(options.dim >= 2, "dim", "must be at least 2, not " + std::to_string(options.dim));
  require(options.confidence > 0 && options.confidence < 1, "confidence",
          "must be above 0 and below 1, not " + format_number(options.confidence));

  // Over the batches with the item; all others change it equally.
  struct Sums {
    double batches = 0, deviation = 0, square = 0;  // deviation: from `change_with_pair`
  };
  constexpr std::size_t grain = 2048;
  const auto draws = static_cast<std::size_t>(options.draws);
  const detail::SimulatedItem item(setting, options);
  std::vector<double> gradient(options.dim);
  const double change_without_item = item.without_drawing(false, gradient);
  const double change_with_pair = item.without_drawing(true, gradient);
  const Random random(options.seed, Stream::simulation, 2 * options.run);
  std::vector<Sums> partial((draws + grain - 1) / grain);
  parallel_chunks(par, draws, grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> workspace(options.dim);
    Sums sums;
    for (std::size_t d = begin; d < end; ++d) {
      constexpr std::uint64_t numbers_per_draw = std::uint64_t{1} << 32;
      const auto [change, in_batch] =
          item.draw(detail::RandomSequence(random.from(d * numbers_per_draw)), workspace);
      if (!in_batch) continue;
      sums.batches += 1;
      sums.deviation += change - change_with_pair;
      sums.square += (change - change_with_pair) * (change - change_with_pair);
    }
    partial[begin / grain] = sums;
  });
  Sums total;
  for (const Sums& sums : partial) {
    total.batches += sums.batches;
    total.deviation += sums.deviation;
    total.square += sums.square;
  }
  const double n = static_cast<double>(draws);
  const double with_item = std::max(1.0, total.batches);
  const double deviation = total.deviation / with_item;
  const double variance = total.square / with_item - deviation * deviation;
  const double growth = change_with_pair + deviation - change_without_item;

  const double z = detail::two_sided_normal(options.confidence);
  const double adjusted_draws = n + z * z;
  const double proportion = (total.batches + z * z / 2) / adjusted_draws;
  const double half_width = z * std::sqrt((proportion * (1 - proportion) * growth * growth +
                                           proportion * std::max(0.0, variance)) /
                                          adjusted_draws) +
                            64 * std::numeric_limits<double>::epsilon() *
                                (setting.pair.item * setting.pair.item + std::abs(growth));
  const double centre = change_without_item + proportion * growth;
  const double in_batch = total.batches / n;
  return {change_without_item + in_batch * growth, centre - half_width, centre + half_width,
          in_batch};
}

}  // namespace prism::inline PRISM_ISA
