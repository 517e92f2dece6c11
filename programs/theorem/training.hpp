// SPDX-License-Identifier: BSD-3-Clause
// The theorem against models in training.
#pragma once

#include <cstdint>
#include <prism/data/split.hpp>
#include <prism/training/magnitude_probe.hpp>
#include <string>
#include <vector>

#include "settings.hpp"

namespace theorem {

/// A probe's records of one model.
struct Watched {
  std::string name;  // short, for legends
  std::vector<prism::MagnitudeRecord> records;
  std::vector<double> magnitude;  // of each item, at the best epoch
};

/// The buckets of the last record, with the changes of all epochs summed.
std::vector<prism::MagnitudeBucket> totals(const std::vector<prism::MagnitudeRecord>& records);

prism::Split load(const Settings& settings);

/// Trains the theorem's model, MF by cosine with SGD, without decay and with full decay, and prints
/// measured and predicted changes by decile of popularity.
std::vector<Watched> train_by_cosine(const prism::Split& split, std::uint64_t seed);

/// Trains MF + DirectAU without decay, with full decay, and with PRISM.
std::vector<Watched> train_recommenders(const prism::Split& split, const Settings& settings);

}  // namespace theorem
