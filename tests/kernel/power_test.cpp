// SPDX-License-Identifier: BSD-3-Clause
// Powers, log1p and expm1 of single numbers, against those of long double.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <prism/core/random.hpp>
#include <prism/kernel/power.hpp>

using namespace prism;

namespace {

/// |found - exact| in units in the last place of T.
template <class T>
double ulps_apart(T found, long double exact) {
  const T nearest = static_cast<T>(exact);
  const T next = std::nextafter(nearest, std::numeric_limits<T>::infinity());
  const long double ulp = static_cast<long double>(next) - static_cast<long double>(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact) / ulp);
}

constexpr std::size_t draws = 20'000;

}  // namespace

TEST_CASE_TEMPLATE("log1p and expm1 are accurate where the result is nearly 0", T, float, double) {
  const Random random(3, Stream::synthetic);
  for (std::size_t i = 0; i < draws; ++i) {
    const int exponent = -static_cast<int>(i % 40);
    const T x = static_cast<T>(std::ldexp(2 * random.uniform(i) - 1, exponent));
    CAPTURE(x);
    const auto exact = static_cast<long double>(x);
    if (x == 0 || x == -1) continue;
    CHECK(ulps_apart(elementary::log1p(x), std::log1p(exact)) <= 4);
    CHECK(ulps_apart(elementary::expm1(x), std::expm1(exact)) <= 5);
  }
  CHECK(elementary::expm1(-std::numeric_limits<T>::infinity()) == T{-1});
  CHECK(elementary::expm1(T{0}) == T{0});
  CHECK(elementary::log1p(T{0}) == T{0});
}

TEST_CASE_TEMPLATE("powers, and what is missing from them to 1", T, float, double) {
  const Random random(4, Stream::synthetic);
  for (std::size_t i = 0; i < draws; ++i) {
    // Adam's: a decay rate nearly 1, or not, and a step.
    const T x = static_cast<T>(1 - std::ldexp(random.uniform(2 * i), -static_cast<int>(i % 20)));
    const T y = static_cast<T>(1 + i / 20);
    const long double log_power =
        static_cast<long double>(y) * std::log(static_cast<long double>(x));
    if (x >= 1 || x <= 0 || log_power < -60) continue;
    CAPTURE(x);
    CAPTURE(y);
    const auto bound = static_cast<double>(4 * std::abs(log_power));
    CHECK(ulps_apart(elementary::pow(x, y), std::exp(log_power)) <= 3 + bound);
    CHECK(ulps_apart(elementary::one_minus_pow(x, y), -std::expm1(log_power)) <= 9);
  }
  for (std::size_t i = 0; i < draws; ++i) {
    // Any others, with results on both sides of 1.
    const T x = static_cast<T>(std::ldexp(1 + random.uniform(2 * i), static_cast<int>(i % 9) - 4));
    const T y = static_cast<T>(40 * random.uniform(2 * i + 1) - 20);
    const long double log_power =
        static_cast<long double>(y) * std::log(static_cast<long double>(x));
    CAPTURE(x);
    CAPTURE(y);
    if (std::abs(log_power) > 60) continue;
    const auto bound = static_cast<double>(4 * std::abs(log_power));
    CHECK(ulps_apart(elementary::pow(x, y), std::exp(log_power)) <= 3 + bound);
  }
  CHECK(elementary::pow(T{0.5}, T{0}) == T{1});
  CHECK(elementary::pow(T{0}, T{0}) == T{1});
  CHECK(elementary::pow(T{0}, T{2}) == T{0});
  CHECK(elementary::one_minus_pow(T{0}, T{1}) == T{1});
}
