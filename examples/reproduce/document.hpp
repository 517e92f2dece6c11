// SPDX-License-Identifier: BSD-3-Clause
// All results as one document.
#pragma once

#include <filesystem>
#include <vector>

#include "runner.hpp"

namespace reproduce {

/// As far as they are on record.
struct Results {
  std::vector<CellResult> cells;
  std::vector<FigureResult> figures;
  std::vector<NegativesResult> negatives;
};

/// Writes CSV and SVG into a folder, and the document beside it: "docs/results.md" for
/// "docs/results". Elements that are not complete are listed at its end.
/// @throws prism::DataError  where a file cannot be written, or gnuplot fails
void write_documents(const std::filesystem::path& folder, const Results& results);

}  // namespace reproduce
