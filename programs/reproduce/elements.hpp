// SPDX-License-Identifier: BSD-3-Clause
// The elements that can be run or read: those whose data sets are at hand.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "negatives.hpp"
#include "paper.hpp"
#include "runner.hpp"

namespace reproduce {

/// The elements that a call names; all, if it names none.
struct Selection {
  std::vector<std::string> only{};

  /// Whether an element is selected, by its name or by the part of it before a slash.
  [[nodiscard]] bool wants(const std::string& name) const;
  /// Whether an element of a data set is selected, or one that takes hyperparameters chosen on it.
  [[nodiscard]] bool wants(const DataSet& data) const;
};

struct Elements {
  std::vector<Cell> cells{};
  std::vector<std::pair<Figure, DataSet>> figures{};
  std::vector<NegativesCell> negatives{};
  /// The titles of data sets and benchmarks that are missing, or are needed and cannot be read.
  std::vector<std::string> left_out{};
};

/// The elements of all data sets at hand. Says which data sets are left out, and why.
/// @param read_all  whether data sets are needed of which no element is selected
/// @throws prism::ArgumentError  if the selection names no element
[[nodiscard]] Elements elements_at_hand(Runner& runner, const Selection& selection, bool read_all);

/// @throws prism::ArgumentError  if the folder's document has results on data that are left out
void keep_results(const std::filesystem::path& folder, const std::vector<std::string>& left_out);

}  // namespace reproduce
