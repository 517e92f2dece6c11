// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factors, held against plain loops and against the equations that they solve.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <prism/kernel/cholesky.hpp>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

/// R R' + n I of random R: positive definite, and no worse conditioned than a random matrix.
template <class T>
std::vector<T> positive_definite(std::size_t n) {
  const std::vector<T> r = draws<T>(n * n, n);
  std::vector<T> a(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      T sum = i == j ? static_cast<T>(n) : T{0};
      for (std::size_t k = 0; k < n; ++k) sum += r[i * n + k] * r[j * n + k];
      a[i * n + j] = sum;
    }
  }
  return a;
}

}  // namespace

PRISM_FOR_EACH_VARIANT("a Cholesky factor's equations have the solution that they were made for") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; n += n < 40 ? 1 : 31) {
      CAPTURE(n);
      const std::vector<T> a = positive_definite<T>(n), expected = draws<T>(n, 7);
      std::vector<T> b(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) b[i] += a[i * n + j] * expected[j];
      }
      std::vector<T> l(a);
      constexpr T unread = std::numeric_limits<T>::quiet_NaN();
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) l[i * n + j] = unread;
      }
      REQUIRE(detail::cholesky<Isa>(l.data(), n));
      detail::solve_cholesky<Isa>(l.data(), n, b.data());
      CHECK(difference(b, expected) <= 100 * tolerance<T>);
    }
  }
}

TEST_CASE("a matrix that is not positive definite is said to be none") {
  std::vector<double> indefinite{1, 0, 2, 1};
  CHECK_FALSE(detail::cholesky(indefinite.data(), 2));
  std::vector<double> zero(9);
  CHECK_FALSE(detail::cholesky(zero.data(), 3));
  // Of rank one: what is left of the second column is rounding.
  std::vector<double> rank_one{0.01, 0.03, 0.03, 0.09};
  CHECK_FALSE(detail::cholesky(rank_one.data(), 2));
  std::vector<double> nan{std::nan("")};
  CHECK_FALSE(detail::cholesky(nan.data(), 1));
}
