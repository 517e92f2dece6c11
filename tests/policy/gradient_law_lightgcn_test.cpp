// SPDX-License-Identifier: BSD-3-Clause
#include "policy/gradient_law.hpp"

using namespace prism;

TEST_CASE("every loss through LightGCN<dynamic> has the gradient of its value") {
  test::check_gradient_law_of_all_losses<LightGCN<dynamic>>();
}
