// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace test {

/// The larger of two differences. NaN counts as the largest and is kept, so that it exceeds every
/// bound; std::max would drop it.
template <class T>
[[nodiscard]] T nan_max(T so_far, T difference) {
  return std::isnan(difference) || difference > so_far ? difference : so_far;
}

}  // namespace test
