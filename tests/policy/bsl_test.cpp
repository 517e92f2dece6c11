// SPDX-License-Identifier: BSD-3-Clause
// BSL's mean over a user's positives, which no golden case covers, against its definition.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "policies.hpp"
#include "support/evaluation.hpp"

using namespace prism;

TEST_CASE("BSL averages the exponentials of a user's positives in the batch") {
  const std::vector<Interaction> pairs{{0, 0}, {1, 1}, {0, 2}, {0, 0}};
  const std::vector<Index> negatives{3, 2, 1, 0, 3, 3, 1, 2};
  const Interactions train(2, 4, pairs);
  auto users = zeros<double>(2, 3), items = zeros<double>(4, 3);
  const Random random(5, Stream::users);
  for (std::size_t i = 0; i < users.size(); ++i) users.data()[i] = standard_normal(random, i);
  for (std::size_t i = 0; i < items.size(); ++i) items.data()[i] = standard_normal(random, 100 + i);
  const auto cosine = [&](Index u, Index i) {
    return dot(rows(users)[u], rows(items)[i], 3) / norm(rows(users)[u], 3) /
           norm(rows(items)[i], 3);
  };
  const BSL loss{.negatives = 2, .tau1 = 0.3, .tau2 = 0.2, .power = 1.5};
  double expected = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    double sum = 0, count = 0, of_negatives = 0;
    for (const Interaction& other : pairs) {
      if (other.user != pairs[p].user) continue;
      sum += std::exp(cosine(other.user, other.item) / loss.tau1);
      count += 1;
    }
    for (std::size_t j = 0; j < 2; ++j) {
      of_negatives += std::exp(cosine(pairs[p].user, negatives[2 * p + j]) / loss.tau2);
    }
    expected += -std::log(sum / count) + 1.5 * 0.2 / 0.3 * std::log(of_negatives);
  }
  test::Evaluation<double, MF<dynamic>, BSL> evaluate(MF<dynamic>(3), loss, train, pairs,
                                                      negatives);
  CHECK(evaluate(users, items) == doctest::Approx(expected / 4).epsilon(1e-12));
}
