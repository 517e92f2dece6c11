// SPDX-License-Identifier: BSD-3-Clause
// The laws of quantised pruning: products of bytes equal a plain loop, bounds hold, and rows scored
// one by one have the scores of matrix_product().
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <prism/kernel/matrix_product.hpp>
#include <prism/kernel/quantise.hpp>
#include <prism/kernel/quantised_bound.hpp>
#include <string>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

using ByteIsa = std::conditional_t<has_byte_dot_product<isa::native>, isa::native, isa::scalar>;
constexpr std::size_t columns = quantised_panel_width;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows that are difficult for bounds, by kind.
std::vector<float> row_of_kind(std::size_t kind, std::size_t n, std::uint64_t seed) {
  std::vector<float> x = draws<float>(n, seed);
  const Random random(seed, Stream::synthetic);
  switch (kind % 10) {
    case 1:  // one column far above the others
      x[n / 2] = 300;
      break;
    case 2:  // all halfway between two bytes, so that residuals are the largest
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
    case 8:  // equal in all columns
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

/// The kind of row of column c: all of one kind, or mixed. Kinds up to `told` have no row that
/// leaves a panel without a bound.
constexpr std::size_t told = 10, column_kinds = 12;
std::size_t kind_of_column(std::size_t columns_kind, std::size_t c) {
  if (columns_kind < told) return columns_kind;
  constexpr std::size_t kinds[] = {0, 1, 2, 3, 4, 5, 6, 8, 7, 9};
  return kinds[c % (columns_kind == told ? 8 : 10)];
}

/// 64 rows in the layout of find_candidates().
struct Columns {
  std::size_t dim, quads;
  std::vector<float> transposed;  // dim x columns
  std::vector<std::int8_t> bytes;
  std::vector<std::int32_t> zero_point_offset;
  Quantisation quantisation;

  Columns(std::size_t n, std::size_t kind)
      : dim(n), quads((n + 3) / 4), transposed(n * columns), bytes(4 * quads * columns) {
    std::vector<float> rows, residual(n);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<float> row = row_of_kind(kind_of_column(kind, c), n, 1000 * n + c);
      rows.insert(rows.end(), row.begin(), row.end());
      for (std::size_t k = 0; k < n; ++k) transposed[k * columns + c] = row[k];
    }
    std::vector<std::int8_t> row_bytes(rows.size());
    quantisation = quantise(row_bytes.data(), rows.data(), columns, n, residual.data());
    for (std::size_t c = 0; c < columns; ++c) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const std::int8_t byte = row_bytes[c * n + k];
        bytes[(k / 4 * columns + c) * 4 + k % 4] = byte;
        sum += byte;
      }
      zero_point_offset.push_back(-128 * sum);
    }
  }

  QuantisedPanel view() const { return {bytes.data(), zero_point_offset.data(), quantisation}; }
};

template <class Isa>
void check_sums() {
  constexpr std::size_t rows = 7;  // a tile of six, and one
  for (std::size_t n = 1; n <= last_dimension; ++n) {
    CAPTURE(n);
    const Columns right(n, 0);
    const Random random(n, Stream::users);
    std::vector<std::uint8_t> left(rows * 4 * right.quads);
    for (std::size_t b = 0; b < left.size(); ++b) {
      left[b] = static_cast<std::uint8_t>(random.uniform_int(b, 256));
    }
    std::vector<std::int32_t> sums(rows * columns), bound(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        std::int32_t sum = right.zero_point_offset[c];
        for (std::size_t k = 0; k < 4 * right.quads; ++k) {
          sum += left[r * 4 * right.quads + k] * right.bytes[(k / 4 * columns + c) * 4 + k % 4];
        }
        sums[r * columns + c] = sum;
      }
    }
    // A sum exceeds the sum minus 1 but not itself, which determines an integer.
    std::vector<std::uint64_t> bits(rows);
    bool same = true;
    for (std::size_t c = 0; c < columns; ++c) {
      for (const std::int32_t below : {0, 1}) {
        for (std::size_t r = 0; r < rows; ++r) bound[r] = sums[r * columns + c] - below;
        find_candidates<Isa>(rows, right.quads, left.data(), bound.data(), right.view(),
                             bits.data());
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
    if (columns_kind == told) CHECK(right.quantisation.max_residual_norm < infinity);
    for (std::size_t kind = 0; kind < 20; ++kind) {
      const std::vector<float> x = row_of_kind(kind, n, 7 * n + kind);
      std::vector<float> scores(columns), residual(n);
      matrix_product<Store::overwrite>(1, columns, n, LeftFactor<float>{x.data(), n, 1},
                                       right.transposed.data(), columns, scores.data(), columns);
      std::vector<std::int8_t> bytes(4 * right.quads);
      const Quantisation quantisation = quantise(bytes.data(), x.data(), 1, n, residual.data());
      // The row is repeated with each score as its threshold: that item and all of higher scores
      // must be candidates.
      std::vector<std::uint8_t> left;
      std::vector<std::int32_t> pruning_limits;
      for (std::size_t c = 0; c < columns; ++c) {
        for (const std::int8_t byte : bytes) left.push_back(static_cast<std::uint8_t>(byte + 128));
        QuantisedRow row(quantisation);
        row.raise_threshold(scores[c] / quantisation.scale);
        pruning_limits.push_back(row.pruning_limit(right.quantisation));
      }
      std::vector<std::uint64_t> bits(columns);
      find_candidates<Isa>(columns, right.quads, left.data(), pruning_limits.data(), right.view(),
                           bits.data());
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
  CHECK(kept_out > screened / 20);  // not everything is a candidate
}

}  // namespace

TEST_CASE("products of bytes equal their plain loop") {
  check_sums<isa::scalar>();
  check_sums<ByteIsa>();
}

TEST_CASE("a score never exceeds its upper bound") {
  check_bounds<isa::scalar>();
  check_bounds<ByteIsa>();
}

TEST_CASE("norms of rows, quantised rows and residuals are within their bounds") {
  constexpr std::size_t rows = 3;
  for (std::size_t n = 1; n <= last_dimension; ++n) {
    for (std::size_t kind = 0; kind < 9; ++kind) {
      CAPTURE(n);
      CAPTURE(kind);
      // Two rows of this kind, and one of the next between them.
      std::vector<float> x, residual(n);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::vector<float> row = row_of_kind((kind + r % 2) % 9, n, n + r);
        x.insert(x.end(), row.begin(), row.end());
      }
      for (const std::size_t together : {std::size_t{1}, rows}) {
        std::vector<std::int8_t> bytes(together * n);
        const Quantisation quantisation =
            quantise(bytes.data(), x.data(), together, n, residual.data());
        for (std::size_t r = 0; r < together; ++r) {
          double max_norm = 0, max_quantised_norm = 0, max_residual_norm = 0;
          for (std::size_t i = r * n; i < (r + 1) * n; ++i) {
            const double part = double{quantisation.scale} * bytes[i];
            max_norm += double{x[i]} * x[i];
            max_quantised_norm += part * part;
            max_residual_norm += (x[i] - part) * (x[i] - part);
          }
          CHECK(std::sqrt(max_residual_norm) <= double{quantisation.max_residual_norm});
          if (quantisation.max_residual_norm < infinity) {
            CHECK(std::sqrt(max_norm) <= double{quantisation.max_norm});
            CHECK(std::sqrt(max_quantised_norm) <= double{quantisation.max_quantised_norm});
          }
        }
        if (kind == 0 && together == 1) {
          CHECK(quantisation.max_residual_norm <= 0.08F * quantisation.max_norm);
        }
      }
    }
  }
}

TEST_CASE("nothing is pruned where a bound is infinite or NaN") {
  const Quantisation plain{1, 1, 1, 0}, untold{1, 1, 0, infinity};
  QuantisedRow row(plain);
  constexpr std::int32_t no_product = -(1 << 30);
  CHECK(row.pruning_limit(plain) < no_product);  // no item has been pushed yet
  row.raise_threshold(3);
  CHECK(row.pruning_limit(plain) == 1);  // of 2.99...: one less than possible
  CHECK(row.pruning_limit(untold) < no_product);
  CHECK(QuantisedRow(untold).pruning_limit(plain) < no_product);
  row.raise_threshold(1e38F);
  CHECK(row.pruning_limit(untold) < no_product);
  CHECK(row.pruning_limit(plain) >= (1 << 30) - 1);
}

// Not for sse2: its multiply-add is two instructions, which the compiler may fuse in one place and
// not in the other.
TEST_CASE_TEMPLATE("dot_products() equals matrix_product() bit for bit, for rows at any address", V,
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
      matrix_product<Store::overwrite, Isa>(1, wide, k, LeftFactor<T>{row.data(), k, 1},
                                            transposed.data(), wide, expected.data(), wide);
      T products[n];
      dot_products<Isa>(products, row.data(), from, k);
      CAPTURE(k);
      CHECK(std::vector<T>(products, products + n) ==
            std::vector<T>(expected.begin(), expected.begin() + n));
    }
  }
}
