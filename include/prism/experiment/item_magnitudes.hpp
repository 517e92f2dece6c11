// SPDX-License-Identifier: BSD-3-Clause
// Magnitudes of items' rows against their popularity.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/execution/host.hpp"
#include "prism/training/row_magnitudes.hpp"

namespace prism::inline PRISM_ISA {

/// The items whose popularity d has 2^k <= d + 1 < 2^(k+1).
struct MagnitudeBin {
  std::size_t items = 0;
  double popularity = 0;  ///< mean
  double magnitude = 0;   ///< mean of their output rows' magnitudes
};

/// Mean magnitude of items' rows by powers of two of their popularity.
/// @param rows        items x dim
/// @param popularity  training interactions of each item
/// @throws ArgumentError  if there is not one number for each row
template <class T>
[[nodiscard]] std::vector<MagnitudeBin> magnitudes_by_popularity(
    Rows<const T> rows, std::span<const Index> popularity) {
  require(popularity.size() == rows.size(), "popularity",
          "must have a number for each of the " + std::to_string(rows.size()) + " rows, not " +
              std::to_string(popularity.size()));
  std::vector<MagnitudeBin> bins(8 * sizeof(Index) + 1);
  const std::vector<double> magnitudes = detail::row_magnitudes<Host<>::isa>(rows);
  for (std::size_t r = 0; r < magnitudes.size(); ++r) {
    MagnitudeBin& bin = bins[std::bit_width(std::uint64_t{popularity[r]} + 1) - 1];
    ++bin.items;
    bin.popularity += static_cast<double>(popularity[r]);
    bin.magnitude += magnitudes[r];
  }
  std::erase_if(bins, [](const MagnitudeBin& bin) { return bin.items == 0; });
  for (MagnitudeBin& bin : bins) {
    bin.popularity /= static_cast<double>(bin.items);
    bin.magnitude /= static_cast<double>(bin.items);
  }
  return bins;
}

}  // namespace prism::inline PRISM_ISA
