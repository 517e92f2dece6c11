// SPDX-License-Identifier: BSD-3-Clause
// Rows and popularities for tests of what ranking makes of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <prism/prism.hpp>
#include <vector>

namespace test {

/// Item i of `items` has i % 7 of 20 users.
inline prism::Interactions graph_of_degrees(prism::Index items) {
  std::vector<prism::Interaction> pairs;
  for (prism::Index i = 0; i < items; ++i) {
    for (prism::Index k = 0; k < i % 7; ++k) pairs.push_back({(3 * i + k) % 20, i});
  }
  return {20, items, pairs};
}

/// Rows whose magnitudes are powers of two, exact in whatever order their squares are added up.
inline prism::Matrix<float> rows_of_exact_magnitude(std::size_t size) {
  prism::Matrix<float> table = prism::zeros<float>(size, 16);
  for (std::size_t r = 0; r < size; ++r) {
    const float number = std::ldexp(1.0F, static_cast<int>(r % 5) - 2);
    const std::size_t stride = r % 3 == 0 ? 1 : r % 3 == 1 ? 4 : 16;
    for (std::size_t c = r % stride; c < 16; c += stride) {
      table(r, c) = (r * 5 + c * c) % 3 == 0 ? -number : number;
    }
  }
  return table;
}

inline std::vector<float> numbers(prism::Rows<const float> rows) {
  return {rows.data(), rows.data() + rows.num_elements()};
}

}  // namespace test
