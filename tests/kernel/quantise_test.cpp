// SPDX-License-Identifier: BSD-3-Clause
// The laws of rows that are quantised: bytes are within their range, and norms within their bounds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <prism/kernel/byte_accumulator.hpp>
#include <prism/kernel/quantise.hpp>
#include <vector>

#include "byte_rows.hpp"
#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

void check_norms(const detail::ByteRange& range) {
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
        const detail::Quantisation quantisation =
            detail::quantise(bytes.data(), x.data(), together, n, residual.data(), range);
        for (std::size_t r = 0; r < together; ++r) {
          double max_norm = 0, max_quantised_norm = 0, max_residual_norm = 0;
          std::int32_t largest = 0;
          for (std::size_t i = r * n; i < (r + 1) * n; ++i) {
            const double part = double{quantisation.scale} * bytes[i];
            largest = std::max(largest, std::abs(std::int32_t{bytes[i]}));
            max_norm += double{x[i]} * x[i];
            max_quantised_norm += part * part;
            max_residual_norm += (x[i] - part) * (x[i] - part);
          }
          CHECK(largest <= range.max_abs);
          if (range.max_lane_norm != 0) {
            CHECK(largest_lane_square(bytes.data() + r * n, n, range) <=
                  range.max_lane_norm * range.max_lane_norm);
          }
          CHECK(std::sqrt(max_residual_norm) <= double{quantisation.max_residual_norm});
          if (quantisation.max_residual_norm < infinity) {
            CHECK(std::sqrt(max_norm) <= double{quantisation.max_norm});
            CHECK(std::sqrt(max_quantised_norm) <= double{quantisation.max_quantised_norm});
          }
        }
        if (kind == 0 && together == 1) {
          const float largest_part = range.max_abs == 127 ? 0.08F : 0.12F;
          CHECK(quantisation.max_residual_norm <= largest_part * quantisation.max_norm);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("norms of rows, quantised rows and residuals are within their bounds", Isa,
                   PRISM_BYTE_ISAS) {
  if constexpr (isa_supported<Isa>) {
    check_norms(detail::ByteAccumulator<Isa>::limits.left);
    check_norms(detail::ByteAccumulator<Isa>::limits.right);
  }
}
