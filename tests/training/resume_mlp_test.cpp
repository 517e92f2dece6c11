// SPDX-License-Identifier: BSD-3-Clause
#include "resume_cases.hpp"

TEST_CASE("a run of MLP, saved and resumed, is the unbroken one: every loss, optimizer and decay") {
  test::for_each_policy(test::RankingLosses{}, []<class Loss>(std::type_identity<Loss>) {
    test::check_resume<prism::MLP<prism::dynamic>, Loss>();
  });
}
