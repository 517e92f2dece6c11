// SPDX-License-Identifier: BSD-3-Clause
// Scores of single candidates equal those of the blocked product.
#include <doctest/doctest.h>

#include <cstddef>
#include <prism/kernel/matrix_product.hpp>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

// Not for sse2: its multiply-add is two instructions, which the compiler may fuse in one place and
// not in the other.
TEST_CASE_TEMPLATE("dot_products() equals matrix_product() bit for bit, for rows at any address", V,
                   Variant<isa::avx2, float>, Variant<isa::avx2, double>,
                   Variant<isa::avx512, float>, Variant<isa::avx512, double>,
                   Variant<isa::neon, float>, Variant<isa::native, float>) {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr std::size_t n = 8, width = detail::pack_width<T, Isa>,
                          wide = (n + width - 1) / width * width;
    for (std::size_t k = 1; k <= last_dimension; ++k) {
      const std::vector<T> row = draws<T>(k, 1), others = draws<T>(n * k, 2);
      std::vector<T> transposed(k * wide), expected(wide), got(n);
      const T* from[n];
      for (std::size_t j = 0; j < n; ++j) {
        from[j] = others.data() + j * k;
        for (std::size_t l = 0; l < k; ++l) transposed[l * wide + j] = from[j][l];
      }
      detail::matrix_product<detail::Store::overwrite, Isa>(
          1, wide, k, detail::LeftFactor<T>{row.data(), k, 1}, transposed.data(), wide,
          expected.data(), wide);
      T products[n];
      detail::dot_products<Isa>(products, row.data(), from, k);
      CAPTURE(k);
      CHECK(std::vector<T>(products, products + n) ==
            std::vector<T>(expected.begin(), expected.begin() + n));
    }
  }
}
