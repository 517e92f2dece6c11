// SPDX-License-Identifier: BSD-3-Clause
// The magnitudes that PRISM and a ranking give to rows, as functions of popularity.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/power.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

/// alpha * log(d + 2) + 1 - alpha for popularity d (the paper, section 4).
[[nodiscard]] inline double prism_magnitude(double alpha, double popularity) {
  return alpha * elementary::log(popularity + 2.0) + (1.0 - alpha);
}

/// m(d) of a ranking; 1 if nothing gives it. Not for Ranking::magnitudes.
[[nodiscard]] inline double ranking_magnitude(const Ranking& ranking, double popularity) {
  if (ranking.magnitude) return ranking.magnitude(popularity);
  if (ranking.power) return elementary::pow(popularity + 1.0, *ranking.power);
  return ranking.alpha ? prism_magnitude(*ranking.alpha, popularity) : 1.0;
}

namespace detail {

/// The magnitudes m(d) of rows, in the table's scalar type; empty if all are 1.
/// @param popularity  of each row
/// @throws ArgumentError  for a magnitude that is not finite and above 0, or a wrong number of them
template <class T>
[[nodiscard]] std::vector<T> magnitudes_for(const Ranking& ranking,
                                            std::span<const Index> popularity) {
  if (!ranking.sets_magnitudes()) return {};
  std::vector<T> values(popularity.size());
  require(ranking.magnitudes.empty() || ranking.magnitudes.size() == popularity.size(),
          "magnitudes",
          "must have one number for each of the " + std::to_string(popularity.size()) +
              " items, not " + std::to_string(ranking.magnitudes.size()));
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double value = ranking.magnitudes.empty() ? ranking_magnitude(ranking, popularity[r])
                                                    : ranking.magnitudes[r];
    values[r] = static_cast<T>(value);
    if (is_finite(values[r]) && values[r] > 0) continue;  // no text for each of many rows
    const bool valid_in_double = is_finite(value) && value > 0;
    const bool table = !ranking.magnitudes.empty();
    throw ArgumentError(
        table ? "magnitudes" : "magnitude",
        std::string("must be finite and above 0") + (valid_in_double ? " in the rows' type" : "") +
            ", not " + format_number(value) + " for " +
            (table ? "item " + std::to_string(r) : "popularity " + std::to_string(popularity[r])));
  }
  return values;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
