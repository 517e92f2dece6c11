// SPDX-License-Identifier: BSD-3-Clause
// The paper's theorem: expected magnitudes, simulations, and their comparison.
#pragma once

#include "prism/theory/balanced_magnitude.hpp"
#include "prism/theory/batch_probability.hpp"
#include "prism/theory/gradient_sums.hpp"
#include "prism/theory/magnitude.hpp"
#include "prism/theory/simulate.hpp"
#include "prism/theory/simulated_item.hpp"
#include "prism/theory/verify.hpp"
