// SPDX-License-Identifier: BSD-3-Clause
// Panels of 64 rows, split for a processor's tile unit into a left and a right factor at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "prism/core/config.hpp"
#include "prism/kernel/bfloat16_tile.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t panel_rows = 64;
/// The side of a tile unit's product.
inline constexpr std::size_t square_side = Bfloat16Tile::depth;
inline constexpr std::size_t squares_of_panel = panel_rows / square_side;

/// The number of squares in a row of numbers.
[[nodiscard]] constexpr std::size_t squares_of(std::size_t dim) noexcept {
  return (dim + square_side - 1) / square_side;
}

/// The number of tiles in a panel whose rows have this many squares.
[[nodiscard]] constexpr std::size_t tiles_of_panel(std::size_t squares) noexcept {
  return panel_rows / Bfloat16Tile::lines * squares;
}

/// Splits a panel of rows at any addresses, padded with zeros beyond the last row and dimension.
/// @param row_of  the address of row r < count
/// @param left    the rows as a left factor
/// @param right   the rows as the depth of a right factor
template <class Unit, class Isa, std::size_t Parts, class RowOf>
void split_rows(std::size_t count, std::size_t dim, const RowOf& row_of, SplitTile<Parts>* left,
                SplitTile<Parts>* right) noexcept {
  const std::size_t squares = squares_of(dim);
  alignas(64) float lines[2][square_side];
  for (std::size_t g = 0; g < squares_of_panel; ++g) {
    for (std::size_t d = 0; d < squares; ++d) {
      const SplitSquare<Parts> to{left + 2 * g * squares + d, squares,
                                  right + 2 * d * squares_of_panel + g, squares_of_panel};
      for (std::size_t l = 0; l < Bfloat16Tile::lines; ++l) {
        for (std::size_t j = 0; j < 2; ++j) {
          const std::size_t r = g * square_side + j * Bfloat16Tile::lines + l;
          const std::size_t filled = r < count ? std::min(square_side, dim - d * square_side) : 0;
          if (filled > 0) std::copy_n(row_of(r) + d * square_side, filled, lines[j]);
          std::fill(lines[j] + filled, lines[j] + square_side, 0.0F);
        }
        Unit::template split_line<Isa>(lines[0], lines[1], l, to, std::identity{});
      }
    }
  }
}

/// Splits map(numbers) for 64 rows of 64 columns, `stride` apart.
/// @param map  as in EmulatedTiles::split_line
template <class Unit, class Isa, std::size_t Parts, class Map>
void split_square_panel(const float* numbers, std::size_t stride, const Map& map,
                        SplitTile<Parts>* left, SplitTile<Parts>* right) noexcept {
  for (std::size_t g = 0; g < squares_of_panel; ++g) {
    for (std::size_t l = 0; l < Bfloat16Tile::lines; ++l) {
      const float* const line = numbers + (g * square_side + l) * stride;
      for (std::size_t h = 0; h < squares_of_panel; ++h) {
        const SplitSquare<Parts> to{left + 2 * g * squares_of_panel + h, squares_of_panel,
                                    right + 2 * h * squares_of_panel + g, squares_of_panel};
        Unit::template split_line<Isa>(line + h * square_side,
                                       line + Bfloat16Tile::lines * stride + h * square_side, l, to,
                                       map);
      }
    }
  }
}

}  // namespace prism::inline PRISM_ISA::detail
