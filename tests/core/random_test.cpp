// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <prism/core/random.hpp>
#include <prism/core/shuffle.hpp>
#include <prism/execution/host.hpp>
#include <prism/kernel/normal.hpp>
#include <vector>

using namespace prism;

TEST_CASE("philox gives the known answers of its authors") {
  using Word = std::array<std::uint32_t, 4>;
  static_assert(philox({0, 0, 0, 0}, {0, 0}) ==
                Word{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Word{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Word{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("draws depend on seed, stream, epoch and position") {
  const Random base(1, Stream::users, 0);
  CHECK(base.bits(5) == Random(1, Stream::users, 0).bits(5));
  CHECK(base.bits(5) != base.bits(6));
  CHECK(base.bits(5) != Random(2, Stream::users, 0).bits(5));
  CHECK(base.bits(5) != Random(std::uint64_t{1} << 32 | 1, Stream::users, 0).bits(5));
  CHECK(base.bits(5) != Random(1, Stream::items, 0).bits(5));
  CHECK(base.bits(5) != Random(1, Stream::users, 1).bits(5));
  CHECK(base.bits(5) != base.bits(5 + (std::uint64_t{1} << 32)));
}

TEST_CASE("uniform, uniform_int and standard_normal have the distributions they name") {
  constexpr int n = 200000;
  const Random random(7, Stream::synthetic);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  std::vector<int> counts(10);
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    REQUIRE((u >= 0 && u < 1));
    sum += u;
    ++counts.at(random.uniform_int(static_cast<std::uint64_t>(i), 10));
    const double z = standard_normal(random, static_cast<std::uint64_t>(i));
    normal_sum += z;
    normal_squares += z * z;
  }
  // Five standard deviations of each mean.
  CHECK(std::abs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::abs(normal_sum / n) < 5 / std::sqrt(double{n}));
  CHECK(std::abs(normal_squares / n - 1) < 5 * std::sqrt(2.0 / n));
  for (const int count : counts) CHECK(std::abs(count - n / 10) < 5 * std::sqrt(n * 0.09));
  CHECK(random.uniform_int(0, 1) == 0);
}

TEST_CASE("a shuffle is a permutation, and its first element is uniform") {
  std::vector<int> counts(5);
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    std::vector<int> values{0, 1, 2, 3, 4};
    shuffle(par, std::span(values), Random(seed, Stream::shuffle));
    ++counts.at(static_cast<std::size_t>(values[0]));
    std::ranges::sort(values);
    REQUIRE(values == std::vector<int>{0, 1, 2, 3, 4});
  }
  for (const int count : counts) CHECK(std::abs(count - 2000) < 5 * std::sqrt(10000 * 0.16));
}
