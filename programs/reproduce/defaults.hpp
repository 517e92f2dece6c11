// SPDX-License-Identifier: BSD-3-Clause
// Not in the paper: the learning rate that follows from the initial rows, beside the paper's.
#pragma once

#include <string>
#include <vector>

#include "runner.hpp"

namespace reproduce {

/// The paper's data sets, MovieLens 100K and synthetic data of three sizes.
[[nodiscard]] const std::vector<DataSet>& defaults_data_sets();

/// Full decay and PRISM, with the default learning rate (0 here) and with each of the paper's.
[[nodiscard]] Figure defaults_figure(const DataSet& data);

/// One table of the complete figures, and its numbers; empty if none is complete.
[[nodiscard]] std::string defaults_markdown(const std::vector<FigureResult>& results);
[[nodiscard]] std::string defaults_csv(const std::vector<FigureResult>& results);

}  // namespace reproduce
