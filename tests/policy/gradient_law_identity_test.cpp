// SPDX-License-Identifier: BSD-3-Clause
#include "policy/gradient_law.hpp"

using namespace prism;

namespace {
const test::UnderTheLaw<MLP<dynamic, 3, Identity>> listed;
}

TEST_CASE("every loss through a linear MLP has the gradient of its value") {
  test::check_gradient_law_of_all_losses(listed);
}
