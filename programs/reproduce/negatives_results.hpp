// SPDX-License-Identifier: BSD-3-Clause
// The losses with many negatives as tables.
#pragma once

#include <string>
#include <vector>

#include "runner.hpp"

namespace reproduce {

/// One table of a benchmark's complete cells and of the published models.
/// @return empty if no cell is complete
[[nodiscard]] std::string negatives_markdown(const Benchmark& benchmark,
                                             const std::vector<NegativesResult>& cells);
/// All complete cells.
[[nodiscard]] std::string negatives_csv(const std::vector<NegativesResult>& cells);

}  // namespace reproduce
