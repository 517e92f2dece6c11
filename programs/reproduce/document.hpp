// SPDX-License-Identifier: BSD-3-Clause
// All results as one document.
#pragma once

#include <filesystem>
#include <vector>

#include "runner.hpp"

namespace reproduce {

/// The results on record.
struct Results {
  std::vector<CellResult> cells;
  std::vector<FigureResult> figures;
  std::vector<NegativesResult> negatives;
};

/// Writes CSV and SVG files into a folder, and the document beside it: "docs/evidence/results.md"
/// for "docs/evidence/results". The document ends with a list of incomplete elements.
/// @throws prism::DataError  if a file cannot be written, or gnuplot fails
void write_documents(const std::filesystem::path& folder, const Results& results);

}  // namespace reproduce
