// SPDX-License-Identifier: BSD-3-Clause
// A small split and model, for tests of what fit does rather than of what it learns.
#pragma once

#include <vector>

#include "policies.hpp"

namespace test {

using namespace prism;

inline const Split& small_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 150, .items = 120, .interactions_per_user = 12}),
      {.validation = 0.1, .test = 0.1, .seed = 1});
  return split;
}

using Small = Recommender<MF<16>, DirectAU, None, PRISM<1.0>>;

inline std::vector<float> numbers(const Matrix<float>& table) {
  return {table.begin(), table.end()};
}

}  // namespace test
