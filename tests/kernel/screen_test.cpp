// SPDX-License-Identifier: BSD-3-Clause
// Screening's laws: products of bytes equal a plain loop, bounds hold, and what is scored row by
// row is what product() makes.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <prism/kernel/product.hpp>
#include <prism/kernel/quantise.hpp>
#include <prism/kernel/screen.hpp>
#include <string>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

using ByteIsa = std::conditional_t<multiplies_bytes<isa::native>, isa::native, isa::scalar>;
constexpr std::size_t columns = screen_columns;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows that bounds have a hard time with, one a kind.
std::vector<float> row_of_kind(std::size_t kind, std::size_t n, std::uint64_t seed) {
  std::vector<float> x = draws<float>(n, seed);
  const Random random(seed, Stream::synthetic);
  switch (kind % 10) {
    case 1:  // one column far above the others
      x[n / 2] = 300;
      break;
    case 2:  // all between two bytes, so that every rest is the greatest
      for (std::size_t i = 0; i < n; ++i) x[i] = i == 0 ? 127 : 0.499F + std::round(20 * x[i]);
      break;
    case 3:
      for (float& value : x) value *= 1e-30F;
      break;
    case 4:
      for (float& value : x) value *= 1e-8F;
      break;
    case 5:
      for (float& value : x) value *= 1e8F;
      break;
    case 6:
      x.assign(n, 0);
      break;
    case 7:
      for (float& value : x) value *= 1e30F;
      break;
    case 8:  // everything in one direction
      x.assign(n, random.uniform(0) < 0.5 ? 1.0F : -1.0F);
      break;
    case 9:
      x[n - 1] = random.uniform(0) < 0.5 ? infinity : std::numeric_limits<float>::quiet_NaN();
      break;
    default:
      break;
  }
  return x;
}

/// Which kind of row column c is: all of one kind, or one of each; `told` without those that leave
/// no telling of the columns beside them.
constexpr std::size_t told = 10, column_kinds = 12;
std::size_t kind_of_column(std::size_t columns_kind, std::size_t c) {
  if (columns_kind < told) return columns_kind;
  constexpr std::size_t kinds[] = {0, 1, 2, 3, 4, 5, 6, 8, 7, 9};
  return kinds[c % (columns_kind == told ? 8 : 10)];
}

/// 64 rows as screen() takes them.
struct Columns {
  std::size_t dim, fours;
  std::vector<float> transposed;  // dim x columns
  std::vector<std::int8_t> bytes;
  std::vector<std::int32_t> start;
  Quantised quantised;

  Columns(std::size_t n, std::size_t kind)
      : dim(n), fours((n + 3) / 4), transposed(n * columns), bytes(4 * fours * columns) {
    std::vector<float> rows, rest(n);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<float> row = row_of_kind(kind_of_column(kind, c), n, 1000 * n + c);
      rows.insert(rows.end(), row.begin(), row.end());
      for (std::size_t k = 0; k < n; ++k) transposed[k * columns + c] = row[k];
    }
    std::vector<std::int8_t> row_bytes(rows.size());
    quantised = quantise(row_bytes.data(), rows.data(), columns, n, rest.data());
    for (std::size_t c = 0; c < columns; ++c) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::int8_t byte = row_bytes[c * n + k];
        bytes[(k / 4 * columns + c) * 4 + k % 4] = byte;
        sum += byte;
      }
      start.push_back(-128 * sum);
    }
  }

  ScreenedColumns view() const { return {bytes.data(), start.data(), quantised}; }
};

template <class Isa>
void check_sums() {
  constexpr std::size_t rows = 7;  // a tile of six, and one
  for (std::size_t n = 1; n <= last_dimension; ++n) {
    CAPTURE(n);
    const Columns right(n, 0);
    const Random random(n, Stream::users);
    std::vector<std::uint8_t> left(rows * 4 * right.fours);
    for (std::size_t b = 0; b < left.size(); ++b) {
      left[b] = static_cast<std::uint8_t>(random.below(b, 256));
    }
    std::vector<std::int32_t> sums(rows * columns), bound(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        std::int32_t sum = right.start[c];
        for (std::size_t k = 0; k < 4 * right.fours; ++k) {
          sum += left[r * 4 * right.fours + k] * right.bytes[(k / 4 * columns + c) * 4 + k % 4];
        }
        sums[r * columns + c] = sum;
      }
    }
    // Exceeds what is one below it, and does not exceed itself: that tells a whole number.
    std::vector<std::uint64_t> bits(rows);
    bool same = true;
    for (std::size_t c = 0; c < columns; ++c) {
      for (const std::int32_t below : {0, 1}) {
        for (std::size_t r = 0; r < rows; ++r) bound[r] = sums[r * columns + c] - below;
        screen<Isa>(rows, right.fours, left.data(), bound.data(), right.view(), bits.data());
        for (std::size_t r = 0; r < rows; ++r) {
          same = same && (bits[r] >> c & 1) == (below > 0 ? 1 : 0);
        }
      }
    }
    CHECK(same);
  }
}

template <class Isa>
void check_bounds() {
  std::size_t screened = 0, kept_out = 0;
  for (std::size_t n = 1; n <= last_dimension; ++n) {
    CAPTURE(n);
    const std::size_t columns_kind = n % column_kinds;
    const Columns right(n, columns_kind);
    if (columns_kind == told) CHECK(right.quantised.rest_length < infinity);
    for (std::size_t kind = 0; kind < 20; ++kind) {
      const std::vector<float> x = row_of_kind(kind, n, 7 * n + kind);
      std::vector<float> scores(columns), rest(n);
      product<Store::overwrite>(1, columns, n, LeftFactor<float>{x.data(), n, 1},
                                right.transposed.data(), columns, scores.data(), columns);
      std::vector<std::int8_t> bytes(4 * right.fours);
      const Quantised quantised = quantise(bytes.data(), x.data(), 1, n, rest.data());
      // As often as there are scores, with each as the threshold: itself and what is above must
      // pass.
      std::vector<std::uint8_t> left;
      std::vector<std::int32_t> certain;
      for (std::size_t c = 0; c < columns; ++c) {
        for (const std::int8_t byte : bytes) left.push_back(static_cast<std::uint8_t>(byte + 128));
        ScreenedRow row(quantised);
        row.raise_threshold(scores[c] / quantised.scale);
        certain.push_back(row.certain(right.quantised));
      }
      std::vector<std::uint64_t> bits(columns);
      screen<Isa>(columns, right.fours, left.data(), certain.data(), right.view(), bits.data());
      for (std::size_t c = 0; c < columns; ++c) {
        bool all = true;
        for (std::size_t other = 0; other < columns; ++other) {
          const bool passed = (bits[c] >> other & 1) != 0;
          all = all && (passed || !(scores[other] >= scores[c]));
          kept_out += passed ? 0 : 1;
        }
        screened += columns;
        CHECK(all);
      }
    }
  }
  CHECK(kept_out > screened / 20);  // and not everything passes
}

}  // namespace

TEST_CASE("products of bytes equal their plain loop") {
  check_sums<isa::scalar>();
  check_sums<ByteIsa>();
}

TEST_CASE("a score is never above its bound") {
  check_bounds<isa::scalar>();
  check_bounds<ByteIsa>();
}

TEST_CASE("quantised rows and what they leave make up the rows") {
  constexpr std::size_t rows = 3;
  for (std::size_t n = 1; n <= last_dimension; ++n) {
    for (std::size_t kind = 0; kind < 9; ++kind) {
      CAPTURE(n);
      CAPTURE(kind);
      // Of the kind, of the next, and of the kind again.
      std::vector<float> x, rest(n);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::vector<float> row = row_of_kind((kind + r % 2) % 9, n, n + r);
        x.insert(x.end(), row.begin(), row.end());
      }
      for (const std::size_t together : {std::size_t{1}, rows}) {
        std::vector<std::int8_t> bytes(together * n);
        const Quantised quantised = quantise(bytes.data(), x.data(), together, n, rest.data());
        for (std::size_t r = 0; r < together; ++r) {
          double length = 0, bytes_length = 0, rest_length = 0;
          for (std::size_t i = r * n; i < (r + 1) * n; ++i) {
            const double part = double{quantised.scale} * bytes[i];
            length += double{x[i]} * x[i];
            bytes_length += part * part;
            rest_length += (x[i] - part) * (x[i] - part);
          }
          CHECK(std::sqrt(rest_length) <= double{quantised.rest_length});
          if (quantised.rest_length < infinity) {
            CHECK(std::sqrt(length) <= double{quantised.length});
            CHECK(std::sqrt(bytes_length) <= double{quantised.bytes_length});
          }
        }
        if (kind == 0 && together == 1) CHECK(quantised.rest_length <= 0.08F * quantised.length);
      }
    }
  }
}

TEST_CASE("where a bound is infinite or no number, nothing is certain") {
  const Quantised plain{1, 1, 1, 0}, untold{1, 1, 0, infinity};
  ScreenedRow row(plain);
  constexpr std::int32_t no_product = -(1 << 30);
  CHECK(row.certain(plain) < no_product);  // nothing has been offered yet
  row.raise_threshold(3);
  CHECK(row.certain(plain) == 1);  // of 2.99...: one less than it could be
  CHECK(row.certain(untold) < no_product);
  CHECK(ScreenedRow(untold).certain(plain) < no_product);
  row.raise_threshold(1e38F);
  CHECK(row.certain(untold) < no_product);
  CHECK(row.certain(plain) >= (1 << 30) - 1);
}

// Not for sse2: its multiply-add is two instructions, which the compiler may fuse here and not
// there.
TEST_CASE_TEMPLATE("rows scored wherever they lie are what product() makes, bit for bit", V,
                   Variant<isa::avx2, float>, Variant<isa::avx2, double>,
                   Variant<isa::avx512, float>, Variant<isa::avx512, double>,
                   Variant<isa::neon, float>, Variant<isa::native, float>) {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr std::size_t n = 8, width = pack_width<T, Isa>, wide = (n + width - 1) / width * width;
    for (std::size_t k = 1; k <= last_dimension; ++k) {
      const std::vector<T> row = draws<T>(k, 1), others = draws<T>(n * k, 2);
      std::vector<T> transposed(k * wide), expected(wide), got(n);
      const T* from[n];
      for (std::size_t j = 0; j < n; ++j) {
        from[j] = others.data() + j * k;
        for (std::size_t l = 0; l < k; ++l) transposed[l * wide + j] = from[j][l];
      }
      product<Store::overwrite, Isa>(1, wide, k, LeftFactor<T>{row.data(), k, 1}, transposed.data(),
                                     wide, expected.data(), wide);
      T products[n];
      products_of_rows<Isa>(products, row.data(), from, k);
      CAPTURE(k);
      CHECK(std::vector<T>(products, products + n) ==
            std::vector<T>(expected.begin(), expected.begin() + n));
    }
  }
}
