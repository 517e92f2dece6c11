// SPDX-License-Identifier: BSD-3-Clause
#include "policy/gradient_law.hpp"

using namespace prism;

namespace {
const test::UnderTheLaw<SimpleX<dynamic>> simplex;
}

TEST_CASE("every loss with SimpleX passes the gradient check") {
  test::check_gradient_law_of_all_losses(simplex);
}
