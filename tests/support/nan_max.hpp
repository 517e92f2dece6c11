// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace test {

/// The larger of two differences. What is not a number is the largest of all, and stays so: no
/// bound is above it. std::max would pass it over.
template <class T>
[[nodiscard]] T nan_max(T so_far, T difference) {
  return std::isnan(difference) || difference > so_far ? difference : so_far;
}

}  // namespace test
