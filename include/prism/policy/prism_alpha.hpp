// SPDX-License-Identifier: BSD-3-Clause
// The alpha of PRISM's magnitudes. "On the Role of Weight Decay in
// Collaborative Filtering: A Popularity Perspective", KDD 2025.
#pragma once

#include "prism/core/config.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// The largest alpha: above 1 / (1 - log 2) = 3.259, the magnitude of popularity 0 is negative.
inline constexpr double max_prism_alpha = 3.25;

static_assert(max_prism_alpha == 3.25);  // as the text of the domain says
inline constexpr Domain prism_alpha_domain{
    .text = "from 0 to 3.25",
    .low = 0,
    .high = max_prism_alpha,
    .reason = "above that, the magnitude for popularity 0 would be negative"};

/// @throws ArgumentError  unless alpha is from 0 to max_prism_alpha
inline void check_prism_alpha(double alpha) { require_within(prism_alpha_domain, "alpha", alpha); }

}  // namespace prism::inline PRISM_ISA
