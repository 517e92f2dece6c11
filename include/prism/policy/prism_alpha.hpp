// SPDX-License-Identifier: BSD-3-Clause
// The alpha of PRISM's magnitudes. "On the Role of Weight Decay in
// Collaborative Filtering: A Popularity Perspective", KDD 2025.
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"

namespace prism::inline PRISM_ISA {

/// The largest alpha: above 1 / (1 - log 2) = 3.259, the magnitude of popularity 0 is negative.
inline constexpr double max_prism_alpha = 3.25;

/// @throws ArgumentError  unless alpha is from 0 to max_prism_alpha
inline void check_prism_alpha(double alpha) {
  require(is_finite(alpha) && alpha >= 0 && alpha <= max_prism_alpha, "alpha",
          "must be from 0 to " + format_number(max_prism_alpha) + ", not " + format_number(alpha) +
              "; above that, the magnitude for popularity 0 would be negative");
}

}  // namespace prism::inline PRISM_ISA
