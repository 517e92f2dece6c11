// SPDX-License-Identifier: BSD-3-Clause
// The theorem beside simulation: where its assumption holds, and where it does not.
#pragma once

#include <prism/theory/magnitude.hpp>
#include <prism/theory/verify.hpp>
#include <vector>

#include "settings.hpp"

namespace theorem {

/// "cosine", "full", as tables and CSV have them.
const char* name_of(prism::PairLoss pair_loss);
const char* name_of(prism::Decay decay);

/// Popularity, batch share, decay and learning rate, for each similarity, with full and with
/// batched decay, with 0 and with 10 negatives a pair.
std::vector<prism::TheoremSetting> grid();

/// Checks the grid, an item taking at most one update a batch, and prints a line for each setting.
std::vector<prism::TheoremCheck> check_grid(const Settings& settings);

/// Prints what becomes of the prediction where a batch's pairs all count, and where they are drawn
/// with replacement.
void print_limits(const Settings& settings);

}  // namespace theorem
