// SPDX-License-Identifier: BSD-3-Clause
// Tiles of bfloat16: their layouts, and products against the definition in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <prism/kernel/bfloat16_tile_amx.hpp>
#include <prism/kernel/pack_xsimd.hpp>
#include <vector>

#include "variants.hpp"

using namespace prism;

namespace {

constexpr std::size_t square = 32;

/// Rows of numbers split as both factors: squares of rows by squares of columns.
template <std::size_t Parts>
struct Factors {
  std::size_t row_squares, column_squares;
  std::vector<detail::SplitTile<Parts>> left, right;

  Factors(std::size_t rows, std::size_t columns)
      : row_squares(rows / square),
        column_squares(columns / square),
        left(2 * row_squares * column_squares),
        right(left.size()) {}

  [[nodiscard]] detail::TiledFactor<Parts> left_rows(std::size_t s) const {
    return {left.data() + 2 * s * column_squares, column_squares};
  }
  [[nodiscard]] detail::TiledFactor<Parts> right_columns(std::size_t s) const {
    return {right.data() + 2 * s * row_squares, row_squares};
  }
};

template <class Unit, std::size_t Parts>
Factors<Parts> split(const std::vector<float>& numbers, std::size_t rows, std::size_t columns) {
  Factors<Parts> factors(rows, columns);
  for (std::size_t r = 0; r < factors.row_squares; ++r) {
    for (std::size_t c = 0; c < factors.column_squares; ++c) {
      const detail::SplitSquare<Parts> to{
          factors.left.data() + 2 * r * factors.column_squares + c, factors.column_squares,
          factors.right.data() + 2 * c * factors.row_squares + r, factors.row_squares};
      for (std::size_t l = 0; l < 16; ++l) {
        const float* const row = numbers.data() + (r * square + l) * columns + c * square;
        Unit::template split_line<isa::native>(row, row + 16 * columns, l, to,
                                               [](auto x) { return x; });
      }
    }
  }
  return factors;
}

template <class Unit, std::size_t A, std::size_t B>
void check_product() {
  constexpr std::size_t rows = 32, depth = 96, columns = 64;
  const std::vector<float> a = test::draws<float>(rows * depth, 1);
  const std::vector<float> b = test::draws<float>(depth * columns, 2);
  const auto left = split<Unit, A>(a, rows, depth);
  const auto right = split<Unit, B>(b, depth, columns);
  std::vector<float> added = test::draws<float>(rows * columns, 3), c(rows * columns);
  const std::vector<float> before = added;
  {
    const typename Unit::Session session;
    for (std::size_t s = 0; s < columns / square; ++s) {
      Unit::template product<detail::Store::overwrite>(left.left_rows(0), right.right_columns(s),
                                                       depth / square, c.data() + s * square,
                                                       columns);
      Unit::template product<detail::Store::add>(left.left_rows(0), right.right_columns(s),
                                                 depth / square, added.data() + s * square,
                                                 columns);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t q = 0; q < columns; ++q) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < depth; ++k) {
        const double term = double{a[r * depth + k]} * double{b[k * columns + q]};
        sum += term;
        magnitude += std::abs(term);
      }
      const double of_products = A == 3 && B == 3 ? 0x1p-22 : 0x1p-15,
                   of_sums = 3 * depth * 0x1p-24;
      const double bound = magnitude * (of_products + of_sums);
      const std::size_t at = r * columns + q;
      CHECK(std::abs(double{c[at]} - sum) <= bound);
      CHECK(std::abs(double{added[at]} - before[at] - sum) <= bound + 3 * 0x1p-24);
    }
  }
}

/// Rows with a single number, so that nothing is rounded but its products.
template <class Unit>
void check_single_products_of_three_parts() {
  const std::vector<float> b = test::draws<float>(square * square, 6);
  const std::vector<float> drawn = test::draws<float>(square, 7);
  std::vector<float> a(square * square), c(square * square);
  for (std::size_t r = 0; r < square; ++r) a[r * square + 5 * r % square] = drawn[r];
  const auto left = split<Unit, 3>(a, square, square), right = split<Unit, 3>(b, square, square);
  {
    const typename Unit::Session session;
    Unit::template product<detail::Store::overwrite>(left.left_rows(0), right.right_columns(0), 1,
                                                     c.data(), square);
  }
  for (std::size_t r = 0; r < square; ++r) {
    for (std::size_t q = 0; q < square; ++q) {
      const double term = double{drawn[r]} * double{b[5 * r % square * square + q]};
      // Six sums of parts are rounded, too.
      CHECK(std::abs(double{c[r * square + q]} - term) <= 0x1p-22 * std::abs(term));
    }
  }
}

template <class Unit>
void check_products() {
  check_single_products_of_three_parts<Unit>();
  check_product<Unit, 2, 2>();
  check_product<Unit, 2, 3>();
  check_product<Unit, 3, 2>();
  check_product<Unit, 3, 3>();
}

/// Of the processor's tile unit, if it has one and the operating system lets it be used.
template <class Isa>
void check_products_of() {
  if constexpr (detail::HasTileUnit<Isa>) {
    using Unit = typename detail::TileUnit<Isa>::type;
    if (Unit::permitted()) check_products<Unit>();
  }
}

template <class Isa, std::size_t Parts>
void check_bits_of() {
  if constexpr (detail::HasTileUnit<Isa>) {
    std::vector<float> numbers = test::draws<float>(square * square, 5);
    numbers[7] = 0;
    numbers[8] = -0.0F;
    numbers[9] = 1 + 0x1p-8F;  // half way between two numbers
    numbers[10] = 0x1p-120F;
    const auto a = split<detail::EmulatedTiles, Parts>(numbers, square, square);
    const auto b = split<typename detail::TileUnit<Isa>::type, Parts>(numbers, square, square);
    const std::size_t bytes = a.left.size() * sizeof a.left[0];
    CHECK(std::memcmp(a.left.data(), b.left.data(), bytes) == 0);
    CHECK(std::memcmp(a.right.data(), b.right.data(), bytes) == 0);
  }
}

}  // namespace

TEST_CASE("a product of tiles in plain C++ is within its bound") {
  check_products<detail::EmulatedTiles>();
}

TEST_CASE("a product of tiles by AMX is within its bound") { check_products_of<isa::native>(); }

TEST_CASE("a right tile is the transposed matrix's left tile, transposed in pairs") {
  const std::vector<float> numbers = test::draws<float>(square * square, 4);
  std::vector<float> transposed(numbers.size());
  for (std::size_t r = 0; r < square; ++r) {
    for (std::size_t c = 0; c < square; ++c) transposed[c * square + r] = numbers[r * square + c];
  }
  const auto a = split<detail::EmulatedTiles, 3>(numbers, square, square);
  const auto b = split<detail::EmulatedTiles, 3>(transposed, square, square);
  for (std::size_t t = 0; t < 2; ++t) {
    detail::SplitTile<3> found;
    detail::transpose_pairs(b.left[t], found);
    CHECK(std::memcmp(&found, &a.right[t], sizeof found) == 0);
  }
}

TEST_CASE("AMX splits numbers as plain C++ does, bit for bit") {
  check_bits_of<isa::native, 2>();
  check_bits_of<isa::native, 3>();
}
