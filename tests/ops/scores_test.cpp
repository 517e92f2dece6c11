// SPDX-License-Identifier: BSD-3-Clause
// A loss's functions of packs of scores against plain loops, and IPL's probabilities.
#include <cmath>
#include <cstddef>
#include <prism/core/rows.hpp>
#include <prism/kernel/pack_emulated_warp.hpp>
#include <prism/ops/scores.hpp>
#include <prism/penalty/ipl_training_sums.hpp>
#include <vector>

#include "kernel/variants.hpp"

using namespace prism;

namespace {

template <class Isa, class T>
void check_sum_of_packs() {
  for (std::size_t n = 0; n <= test::last_dimension; ++n) {
    CAPTURE(n);
    std::vector<T> scores = test::draws<T>(n + 1, n), expected = scores;
    T sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      sum += expected[j] * expected[j];
      expected[j] += 1;
    }
    const T got = ScoreRange<T, Isa>(scores.data(), n).sum_of_packs([]<class P>(P& x) {
      const P square = x * x;
      x = x + P::broadcast(1);
      return square;
    });
    CHECK(std::abs(got - sum) <= 4 * test::tolerance<T> * (1 + sum));
    CHECK(scores == expected);
  }
}

}  // namespace

PRISM_FOR_EACH_VARIANT("sums over packs of scores equal plain ones, and change nothing else") {
  if constexpr (isa_supported<typename V::isa>) {
    check_sum_of_packs<typename V::isa, typename V::scalar>();
  }
}
TEST_CASE("sums over packs of scores equal plain ones on an emulated warp") {
  check_sum_of_packs<isa::emulated_warp, float>();
  check_sum_of_packs<isa::emulated_warp, double>();
}

PRISM_FOR_EACH_VARIANT("probabilities of a row's partners equal single ones, in order") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr std::size_t dim = 7;
    const std::vector<T> row = test::draws<T>(dim, 1);
    for (const std::size_t n : {0U, 1U, 15U, 16U, 63U, 64U, 65U, 130U}) {
      CAPTURE(n);
      const std::vector<T> table = test::draws<T>((n + 1) * dim, 2);
      std::size_t visited = 0;
      detail::for_each_score<Isa>(
          row.data(), dim, n, [&](std::size_t j) { return table.data() + j * dim; },
          detail::Sigmoid{},
          [&](std::size_t j, T probability) {
            CHECK(j == visited++);
            T score = 0;
            for (std::size_t c = 0; c < dim; ++c) score += row[c] * table[j * dim + c];
            CHECK(std::abs(probability - 1 / (1 + std::exp(-score))) <= test::tolerance<T>);
          });
      CHECK(visited == n);
    }
  }
}
