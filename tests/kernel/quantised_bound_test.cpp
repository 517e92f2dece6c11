// SPDX-License-Identifier: BSD-3-Clause
// The laws of quantised pruning: products of bytes equal a plain loop, bounds hold, and rows scored
// one by one have the scores of matrix_product().
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <prism/kernel/byte_accumulator.hpp>
#include <prism/kernel/matrix_product.hpp>
#include <prism/kernel/quantise.hpp>
#include <prism/kernel/quantised_bound.hpp>
#include <string>
#include <utility>
#include <vector>

#include "byte_rows.hpp"
#include "support/sanitizers.hpp"
#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

constexpr std::size_t columns = detail::quantised_panel_width;
/// The kind of row of column c: all of one kind, or mixed. Kinds up to `told` have no row that
/// leaves a panel without a bound.
constexpr std::size_t told = 10, column_kinds = 12;
std::size_t kind_of_column(std::size_t columns_kind, std::size_t c) {
  if (columns_kind < told) return columns_kind;
  constexpr std::size_t kinds[] = {0, 1, 2, 3, 4, 5, 6, 8, 7, 9};
  return kinds[c % (columns_kind == told ? 8 : 10)];
}

/// 64 rows in the layout of find_candidates().
template <class Isa>
struct Columns {
  static constexpr detail::ByteLimits limits = detail::ByteAccumulator<Isa>::limits;

  std::size_t dim, quads;
  std::vector<std::int8_t> rows;  // columns x dim
  std::vector<std::int8_t> bytes;
  std::vector<std::int32_t> starts;
  detail::Quantisation quantisation{};

  explicit Columns(std::size_t n, std::vector<std::int8_t> of_rows)
      : dim(n),
        quads((n + 3) / 4),
        rows(std::move(of_rows)),
        bytes(4 * quads * columns),
        starts(limits.segments(quads) * columns) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t g = 0; g < limits.segments(quads); ++g) {
        std::int32_t sums[4] = {};
        for (std::size_t k = 0; k < n; ++k) {
          if (k / 4 / limits.right.segment_quads != g) continue;
          const std::int8_t byte = rows[c * n + k];
          bytes[(k / 4 * columns + c) * 4 + k % 4] = byte;
          sums[k % 4] += byte;
        }
        starts[g * columns + c] = detail::start_of(limits, sums);
      }
    }
  }

  detail::QuantisedPanel view() const { return {bytes.data(), starts.data(), quantisation}; }
};

/// 64 rows of a kind as floats, and quantised.
template <class Isa>
struct QuantisedColumns {
  std::vector<float> transposed;  // dim x columns
  Columns<Isa> quantised;

  QuantisedColumns(std::size_t n, std::size_t kind)
      : transposed(n * columns), quantised(n, std::vector<std::int8_t>(n * columns)) {
    std::vector<float> rows, residual(n);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::vector<float> row = row_of_kind(kind_of_column(kind, c), n, 1000 * n + c);
      rows.insert(rows.end(), row.begin(), row.end());
      for (std::size_t k = 0; k < n; ++k) transposed[k * columns + c] = row[k];
    }
    std::vector<std::int8_t> bytes(rows.size());
    const detail::Quantisation quantisation = detail::quantise<Isa>(
        bytes.data(), rows.data(), columns, n, residual.data(), Columns<Isa>::limits.right);
    quantised = Columns<Isa>(n, std::move(bytes));
    quantised.quantisation = quantisation;
  }
};

/// Bytes as far from zero as a range allows: equal ones, of either sign or of both, or a pair of
/// neighbours in each segment; or those of a random row.
std::vector<std::int8_t> extreme_bytes(const detail::ByteRange& range, std::size_t n,
                                       std::size_t kind, std::uint64_t seed) {
  std::vector<std::int8_t> bytes(n);
  if (kind % 6 == 5) {
    const std::vector<float> row = draws<float>(n, seed);
    std::vector<float> residual(n);
    detail::quantise(bytes.data(), row.data(), 1, n, residual.data(), range);
    return bytes;
  }
  std::int32_t level = range.max_abs;
  if (range.max_lane_norm != 0) {
    const std::size_t quads = std::min((n + 3) / 4, range.segment_quads);
    const auto of_lane = static_cast<double>(quads * (4 / range.lanes));
    level = std::min(level, static_cast<std::int32_t>(range.max_lane_norm / std::sqrt(of_lane)));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const bool segmented = range.segment_quads != detail::ByteLimits::one_segment;
    const std::size_t in_segment = segmented ? k % (4 * range.segment_quads) : k;
    const bool pair = in_segment / 2 * 2 == (kind % 6 == 3 ? 4 : 6) % (n + n % 2);
    const std::int32_t byte = kind % 6 == 0   ? level
                              : kind % 6 == 1 ? -level
                              : kind % 6 == 2 ? (k % 2 == 0 ? level : -level)
                              : pair          ? (kind % 6 == 3 ? range.max_abs : -range.max_abs)
                                              : 0;
    bytes[k] = static_cast<std::int8_t>(byte);
  }
  if (range.max_lane_norm != 0) {
    CHECK(largest_lane_square(bytes.data(), n, range) <= range.max_lane_norm * range.max_lane_norm);
  }
  return bytes;
}

#if defined(PRISM_TEST_EMULATED)
constexpr bool slow = true;
#else
constexpr bool slow = sanitized;
#endif

/// Every dimension; in plain C++ only some of the larger ones under emulation or sanitizers.
template <class Isa>
[[nodiscard]] constexpr std::size_t next_dimension(std::size_t n) {
  return slow && std::same_as<Isa, isa::scalar> && n >= 40 ? n + 7 : n + 1;
}

template <class Isa>
void check_sums() {
  constexpr detail::ByteLimits limits = detail::ByteAccumulator<Isa>::limits;
  static_assert(limits.left.max_lane_norm * limits.right.max_lane_norm < (1 << 15));
  constexpr std::size_t rows = 13;  // two tiles of six, and one
  for (std::size_t n = 1; n <= last_dimension; n = next_dimension<Isa>(n)) {
    CAPTURE(n);
    std::vector<std::int8_t> row_bytes, column_bytes;
    for (std::size_t c = 0; c < columns; ++c) {
      const auto bytes = extreme_bytes(limits.right, n, c, n + c);
      column_bytes.insert(column_bytes.end(), bytes.begin(), bytes.end());
    }
    const Columns<Isa> right(n, column_bytes);
    std::vector<std::uint8_t> left;
    for (std::size_t r = 0; r < rows; ++r) {
      auto bytes = extreme_bytes(limits.left, n, r, 3 * n + r);
      row_bytes.insert(row_bytes.end(), bytes.begin(), bytes.end());
      bytes.resize(4 * right.quads);
      for (const std::int8_t byte : bytes) {
        left.push_back(static_cast<std::uint8_t>(byte + limits.left_shift));
      }
    }
    std::vector<std::int32_t> sums(rows * columns), bound(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t k = 0; k < n; ++k) {
          sums[r * columns + c] += row_bytes[r * n + k] * column_bytes[c * n + k];
        }
      }
    }
    // A sum exceeds itself minus 1 but not itself: these two comparisons determine an integer.
    std::vector<std::uint64_t> bits(rows), plain_bits(rows);
    bool same = true;
    for (std::size_t c = 0; c < columns; ++c) {
      for (const std::int32_t below : {0, 1}) {
        for (std::size_t r = 0; r < rows; ++r) bound[r] = sums[r * columns + c] - below;
        detail::find_candidates<Isa>(rows, right.quads, left.data(), bound.data(), right.view(),
                                     bits.data());
        for (std::size_t r = 0; r < rows; ++r) {
          plain_bits[r] = 0;
          for (std::size_t other = 0; other < columns; ++other) {
            plain_bits[r] |= std::uint64_t{sums[r * columns + other] > bound[r]} << other;
          }
        }
        same = same && bits == plain_bits;
      }
    }
    CHECK(same);
  }
}

template <class Isa>
void check_bounds() {
  constexpr detail::ByteLimits limits = detail::ByteAccumulator<Isa>::limits;
  std::size_t screened = 0, kept_out = 0;
  for (std::size_t n = 1; n <= last_dimension; n = next_dimension<Isa>(n)) {
    CAPTURE(n);
    const std::size_t columns_kind = n % column_kinds;
    const QuantisedColumns<Isa> right(n, columns_kind);
    const std::size_t quads = right.quantised.quads;
    const detail::Quantisation& of_columns = right.quantised.quantisation;
    if (columns_kind == told) CHECK(of_columns.max_residual_norm < infinity);
    for (std::size_t kind = 0; kind < 20; ++kind) {
      const std::vector<float> x = row_of_kind(kind, n, 7 * n + kind);
      std::vector<float> scores(columns), residual(n);
      detail::matrix_product<detail::Store::overwrite, Isa>(
          1, columns, n, detail::LeftFactor<float>{x.data(), n, 1}, right.transposed.data(),
          columns, scores.data(), columns);
      std::vector<std::int8_t> bytes(4 * quads);
      const detail::Quantisation quantisation =
          detail::quantise<Isa>(bytes.data(), x.data(), 1, n, residual.data(), limits.left);
      // The row is repeated with each score as its threshold: all items whose scores reach it must
      // be candidates.
      std::vector<std::uint8_t> left;
      detail::QuantisedRows rows(columns);
      for (std::size_t c = 0; c < columns; ++c) {
        for (const std::int8_t byte : bytes) {
          left.push_back(static_cast<std::uint8_t>(byte + limits.left_shift));
        }
        rows.set(c, quantisation);
        rows.raise_threshold(c, scores[c] / quantisation.scale);
      }
      std::vector<std::int32_t> pruning_limits(columns);
      rows.write_pruning_limits(pruning_limits.data(), of_columns);
      std::vector<std::uint64_t> bits(columns);
      detail::find_candidates<Isa>(columns, quads, left.data(), pruning_limits.data(),
                                   right.quantised.view(), bits.data());
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

TEST_CASE_TEMPLATE("products of bytes equal their plain loop", Isa, PRISM_BYTE_ISAS) {
  if constexpr (isa_supported<Isa>) check_sums<Isa>();
}

TEST_CASE_TEMPLATE("a score never exceeds its upper bound", Isa, PRISM_BYTE_ISAS) {
  if constexpr (isa_supported<Isa>) check_bounds<Isa>();
}

TEST_CASE("the instruction sets of this machine sum products of bytes") {
#if defined(__AVX2__) || defined(__aarch64__)
  CHECK(detail::ByteProducts<isa::native>::exceed_floats);
#endif
  CHECK_FALSE(detail::ByteProducts<isa::scalar>::exceed_floats);
}

TEST_CASE("a query that is finished has no candidates") {
  detail::QuantisedRows rows(1);
  const detail::Quantisation plain{1, 1, 1, 0};
  rows.set(0, plain);
  rows.raise_threshold(0, std::numeric_limits<float>::max());
  std::int32_t limit = 0;
  rows.write_pruning_limits(&limit, plain);
  CHECK(limit >= (1 << 30) - 1);
}

TEST_CASE("nothing is pruned where a bound is infinite or NaN") {
  const detail::Quantisation plain{1, 1, 1, 0}, untold{1, 1, 0, infinity};
  detail::QuantisedRows rows(2);
  rows.set(0, plain);
  rows.set(1, untold);
  std::vector<std::int32_t> limits(2);
  const auto limit = [&](std::size_t r, const detail::Quantisation& columns_of) {
    rows.write_pruning_limits(limits.data(), columns_of);
    return limits[r];
  };
  constexpr std::int32_t no_product = -(1 << 30);
  CHECK(limit(0, plain) < no_product);  // no item has been pushed yet
  rows.raise_threshold(0, 3);
  CHECK(limit(0, plain) == 1);  // of 2.99...: one less than possible
  CHECK(limit(0, untold) < no_product);
  rows.raise_threshold(1, 3);
  CHECK(limit(1, plain) < no_product);
  rows.raise_threshold(0, 1e38F);
  CHECK(limit(0, untold) < no_product);
  CHECK(limit(0, plain) >= (1 << 30) - 1);
}
