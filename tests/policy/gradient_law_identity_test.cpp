// SPDX-License-Identifier: BSD-3-Clause
#include "policy/gradient_law.hpp"

using namespace prism;

namespace {
const test::UnderTheLaw<MLP<dynamic, 3, Identity>> linear_mlp;
}

TEST_CASE("every loss with a linear MLP passes the gradient check") {
  test::check_gradient_law_of_all_losses(linear_mlp);
}
