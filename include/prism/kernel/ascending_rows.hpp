// SPDX-License-Identifier: BSD-3-Clause
// Search in ascending rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A view of ascending rows, such as a user's items, for many membership queries.
class AscendingRows {
 public:
  AscendingRows() = default;
  explicit AscendingRows(std::span<const Index> rows) noexcept : rows_(rows) {
    for (const Index row : rows) residues_[row / 64 % words] |= std::uint64_t{1} << row % 64;
  }

  [[nodiscard]] std::span<const Index> rows() const noexcept { return rows_; }

  [[nodiscard]] bool contains(Index row) const noexcept {
    if ((residues_[row / 64 % words] >> row % 64 & 1) == 0) return false;
    // Branches on the rows' values would be mispredicted every other time.
    const Index* first = rows_.data();
    for (std::size_t size = rows_.size(); size > 1;) {
      const std::size_t half = size / 2;
      first += half * static_cast<std::size_t>(first[half - 1] < row);
      size -= half;
    }
    return *first == row;
  }

 private:
  static constexpr std::size_t words = 4;

  std::span<const Index> rows_;
  // A bit for each residue of the rows modulo 256: without a search, it rules out most rows that a
  // short list does not hold.
  std::array<std::uint64_t, words> residues_{};
};

}  // namespace prism::inline PRISM_ISA::detail
