// SPDX-License-Identifier: BSD-3-Clause
// The theorem against simulation: where its assumption holds, and where it does not.
#pragma once

#include <prism/theory/magnitude.hpp>
#include <prism/theory/verify.hpp>
#include <vector>

#include "settings.hpp"

namespace theorem {

/// "cosine", "full", as in tables and CSV.
const char* name_of(prism::PairLoss pair_loss);
const char* name_of(prism::Decay decay);

/// Popularity, |B| / |E|, decay and learning rate, for each pair loss, with full and with batched
/// decay, with 0 and with 10 negatives per pair.
std::vector<prism::TheoremSetting> grid();

/// Checks the grid, with at most one update of an item per batch, and prints a line for each
/// setting.
std::vector<prism::TheoremCheck> check_grid(const Settings& settings);

/// Prints how the prediction fails if every pair of a batch counts, and if pairs are drawn with
/// replacement.
void print_limits(const Settings& settings);

}  // namespace theorem
