// SPDX-License-Identifier: BSD-3-Clause
// Compares the theorem with simulation, for a list of settings.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/theory/magnitude.hpp"
#include "prism/theory/simulate.hpp"

namespace prism::inline PRISM_ISA {

/// A prediction and its simulation.
struct TheoremCheck {
  TheoremSetting setting;
  double predicted = 0;
  SimulatedChange simulated;

  /// Whether the prediction is in the simulation's interval.
  [[nodiscard]] constexpr bool holds() const noexcept { return simulated.contains(predicted); }
};

/// Compares predict(setting) with a simulation of each setting, with independent random numbers.
/// @param predict  expected_change, or another formula
template <class Prediction>
[[nodiscard]] std::vector<TheoremCheck> check_theorem(std::span<const TheoremSetting> settings,
                                                      SimulationOptions options,
                                                      const Prediction& predict) {
  std::vector<TheoremCheck> checks;
  checks.reserve(settings.size());
  for (const TheoremSetting& setting : settings) {
    checks.push_back({setting, predict(setting), simulate_change(setting, options)});
    ++options.run;
  }
  return checks;
}

[[nodiscard]] inline std::vector<TheoremCheck> check_theorem(
    std::span<const TheoremSetting> settings, const SimulationOptions& options = {}) {
  return check_theorem(settings, options,
                       [](const TheoremSetting& setting) { return expected_change(setting); });
}

/// How many of `checks` true predictions may be outside intervals of this confidence: the
/// probability of more is below `significance`.
/// @throws ArgumentError  for a probability outside (0, 1)
[[nodiscard]] inline std::size_t allowed_misses(std::size_t checks, double confidence = 0.999,
                                                double significance = 1e-3) {
  require(confidence > 0 && confidence < 1, "confidence", "must be above 0 and below 1");
  require(significance > 0 && significance < 1, "significance", "must be above 0 and below 1");
  // The binomial distribution's upper tail, from its end on, where its terms are smallest.
  const double n = static_cast<double>(checks);
  double more = 0;
  std::size_t misses = checks;
  for (; misses > 0; --misses) {
    const double k = static_cast<double>(misses);
    more += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                     k * std::log1p(-confidence) + (n - k) * std::log(confidence));
    if (more >= significance) break;
  }
  return misses;
}

}  // namespace prism::inline PRISM_ISA
