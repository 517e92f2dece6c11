// SPDX-License-Identifier: BSD-3-Clause
// Products of float matrices from tiles of bfloat16, for processors that multiply such tiles (AMX).
// A float is split into parts: the nearest bfloat16 number, the one nearest to the remainder, and
// so on. Of the products of two floats' parts, only the larger ones are added, in float: with two
// parts 3 of 4, which is within 2^-15 of the product, and with three parts 6 of 9, within
// 2^-24 (1 + 2^-10), like a product rounded to float. Sums are rounded in addition. Errors have
// either sign and mostly cancel in sums of many products. The method is that of Henry, Tang,
// Heinecke: "Leveraging the bfloat16 artificial intelligence datatype for higher-precision
// computations", ARITH 2019.
//
// This file has the layouts, and a tile unit emulated in plain C++, with which they are tested on
// any processor.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "prism/core/config.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Part of a factor: 16 rows (left) or 16 columns (right) by a depth of 32, the summed dimension.
/// Index 16 j + l of the depth, j < 2, is at position 2 l + j. A left tile has a line for each row.
/// A right tile has a line for each l, with the 16 columns' pairs of positions 2 l and 2 l + 1. The
/// right tile of a matrix is therefore the left tile of its transpose, transposed as 16 x 16 pairs.
struct Bfloat16Tile {
  static constexpr std::size_t lines = 16;
  static constexpr std::size_t depth = 32;

  alignas(64) std::uint16_t numbers[lines][depth];
};

/// A tile of floats: the nearest numbers, those nearest to the remainders, ...
template <std::size_t Parts>
struct SplitTile {
  Bfloat16Tile parts[Parts];
};

/// A factor of a product: the tiles of 16 rows (or columns) over the whole depth, then those of the
/// next 16.
template <std::size_t Parts>
struct TiledFactor {
  const SplitTile<Parts>* tiles;
  std::size_t stride;  ///< tiles from one group of 16 rows to the next
};
template <std::size_t Parts>
TiledFactor(const SplitTile<Parts>*, std::size_t) -> TiledFactor<Parts>;

/// Transposes 16 x 16 pairs of numbers, in as many parts as `to` has.
template <std::size_t From, std::size_t Parts>
  requires(From >= Parts)  //
void transpose_pairs(const SplitTile<From>& from, SplitTile<Parts>& to) noexcept {
  constexpr std::size_t pair = 2 * sizeof(std::uint16_t);
  for (std::size_t part = 0; part < Parts; ++part) {
    for (std::size_t l = 0; l < Bfloat16Tile::lines; ++l) {
      for (std::size_t p = 0; p < Bfloat16Tile::lines; ++p) {
        std::memcpy(to.parts[part].numbers[p] + 2 * l, from.parts[part].numbers[l] + 2 * p, pair);
      }
    }
  }
}

/// The destination of a square of 32 x 32 numbers: rows of a left factor, and the depth and columns
/// of a right factor. The second 16 rows or columns are a stride of tiles after the first.
template <std::size_t Parts>
struct SplitSquare {
  SplitTile<Parts>* left;
  std::size_t left_stride;
  SplitTile<Parts>* right;
  std::size_t right_stride;
};

struct PartsOfTerm {
  std::size_t left, right;
};

/// The products of parts that are added, smaller ones first; successive ones share a factor.
template <std::size_t Parts>
inline constexpr int terms_of_parts = 0;  // no list: an error where it is used
template <>
inline constexpr std::array<PartsOfTerm, 3> terms_of_parts<2>{{{1, 0}, {0, 0}, {0, 1}}};
template <>
inline constexpr std::array<PartsOfTerm, 6> terms_of_parts<3>{
    {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}}};

/// Rounds the numbers' bits to those of bfloat16 in the upper half, ties away from zero; the lower
/// half is arbitrary. A number that rounds beyond the largest becomes infinite. NaN must be the one
/// that arithmetic produces: with all bits set it would become 0.
struct RoundedBits {
  std::uint32_t bits;

  explicit RoundedBits(float x) noexcept : bits(std::bit_cast<std::uint32_t>(x) + 0x8000U) {}
  [[nodiscard]] std::uint16_t number() const noexcept {
    return static_cast<std::uint16_t>(bits >> 16);
  }
  [[nodiscard]] float value() const noexcept { return std::bit_cast<float>(bits & 0xffff0000U); }
};

/// The tile unit of an instruction set, specialised by those that have one:
///   using type = AmxTiles;  // the functions of EmulatedTiles
template <class Isa>
struct TileUnit {};

template <class Isa>
concept HasTileUnit = requires { typename TileUnit<Isa>::type; };

/// A tile unit in plain C++.
struct EmulatedTiles {
  /// Whether this process may use it.
  [[nodiscard]] static bool permitted() noexcept { return true; }

  /// During its lifetime, this thread may multiply tiles. Its non-trivial destructor keeps
  /// compilers from reporting it as unused.
  struct Session {
    ~Session() {}
  };

  /// Splits line l of a square: 32 numbers of row l and of row l + 16.
  /// @param map  a function of packs of Isa, applied to the numbers first
  template <class Isa, std::size_t Parts, class Map>
  static void split_line(const float* row, const float* row_16, std::size_t l,
                         const SplitSquare<Parts>& to, const Map& map) noexcept {
    using P = Pack<float, Isa>;
    float numbers[2][2][16];  // of row l + 16 j, column 16 i + c
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t c = 0; c < 32; c += P::width) {
        map(P::load((j == 0 ? row : row_16) + c)).store(&numbers[j][c / 16][c % 16]);
      }
    }
    for (std::size_t c = 0; c < 16; ++c) {
      for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t i = 0; i < 2; ++i) {
          float rest = numbers[j][i][c];
          for (std::size_t part = 0; part < Parts; ++part) {
            const RoundedBits rounded(rest);
            to.left[j * to.left_stride].parts[part].numbers[l][2 * c + i] = rounded.number();
            to.right[i * to.right_stride].parts[part].numbers[l][2 * c + j] = rounded.number();
            rest -= rounded.value();
          }
        }
      }
    }
  }

  /// C (32 x 32) = A B, or C += A B, for a depth of 32 * tiles, with as many parts as both factors
  /// have.
  template <Store Mode, std::size_t A, std::size_t B>
  static void product(TiledFactor<A> a, TiledFactor<B> b, std::size_t tiles, float* c,
                      std::size_t c_stride) noexcept {
    const auto value = [](std::uint16_t number) {
      return std::bit_cast<float>(std::uint32_t{number} << 16);
    };
    for (std::size_t row = 0; row < 32; ++row) {
      for (std::size_t column = 0; column < 32; ++column) {
        float sum = Mode == Store::overwrite ? 0.0F : c[row * c_stride + column];
        for (std::size_t t = 0; t < tiles; ++t) {
          for (const auto& term : terms_of_parts<std::min(A, B)>) {
            const auto& left = a.tiles[row / 16 * a.stride + t].parts[term.left];
            const auto& right = b.tiles[column / 16 * b.stride + t].parts[term.right];
            for (std::size_t k = 0; k < Bfloat16Tile::depth; ++k) {
              sum += value(left.numbers[row % 16][k]) *
                     value(right.numbers[k / 2][column % 16 * 2 + k % 2]);
            }
          }
        }
        c[row * c_stride + column] = sum;
      }
    }
  }
};

}  // namespace prism::inline PRISM_ISA::detail
