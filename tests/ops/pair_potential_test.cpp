// SPDX-License-Identifier: BSD-3-Clause
// The tiled pair potential against its definition, two loops over all pairs.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <prism/core/matrix.hpp>
#include <prism/core/random.hpp>
#include <prism/execution/host.hpp>
#include <prism/kernel/normal.hpp>
#include <prism/ops/pair_potential.hpp>
#include <set>
#include <vector>

#include "support/emulated_tiles.hpp"
#include "support/nan_max.hpp"

using namespace prism;

namespace {

Matrix<double> unit_rows(std::size_t n, std::size_t dim, std::uint64_t seed) {
  auto table = zeros<double>(n, dim);
  const Random random(seed, Stream::synthetic);
  for (std::size_t i = 0; i < table.size(); ++i) table.data()[i] = standard_normal(random, i);
  for (std::size_t r = 0; r < n; ++r) normalise(rows(table)[r], rows(table)[r], dim);
  return table;
}

template <class T>
Matrix<T> converted(const Matrix<double>& from) {
  auto to = zeros<T>(from.shape(0), from.shape(1));
  std::transform(from.data(), from.data() + from.size(), to.data(),
                 [](double x) { return static_cast<T>(x); });
  return to;
}

template <class Isa, class T>
void check(std::size_t n, std::size_t dim) {
  CAPTURE(n);
  CAPTURE(dim);
  constexpr double rate = 4;
  const Matrix<double> exact = unit_rows(n, dim, n + dim);
  double total = 0;
  auto sums = zeros<double>(n, dim);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const double weight = std::exp(rate * (dot(rows(exact)[a], rows(exact)[b], dim) - 1));
      if (a < b) total += weight;
      add_scaled(rows(sums)[a], weight, rows(exact)[b], dim);
    }
  }
  const Matrix<T> table = converted<T>(exact);
  auto gradient = zeros<T>(n, dim);
  Scratch scratch;
  const double got = pair_potential(
      host<Isa>, rows(table), rate, [](double) { return 1.0; }, rows(gradient), scratch);
  const double bound = std::is_same_v<T, double> ? 1e-12 : 1e-5;
  CHECK(std::abs(got - total) <= bound * std::max(1.0, total));
  double largest = 1, difference = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    largest = std::max(largest, std::abs(sums.data()[i]));
    difference = test::nan_max(difference,
                               std::abs(static_cast<double>(gradient.data()[i]) - sums.data()[i]));
  }
  CHECK(difference <= bound * largest);
}

template <class Isa>
void check_all() {
  if constexpr (isa_supported<Isa>) {
    for (std::size_t dim = 1; dim <= 257; ++dim) {
      check<Isa, float>(3, dim);
      check<Isa, double>(3, dim);
    }
    // Around the tile's 64 rows: one block and several, odd and even numbers of them.
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 128u, 129u, 200u, 321u}) {
      check<Isa, float>(n, 17);
      check<Isa, double>(n, 17);
    }
  }
}

template <class Isa>
void check_tile_unit() {
  for (const std::size_t dim : {31u, 32u, 33u, 63u, 64u, 70u, 130u}) check<Isa, float>(260, dim);
  // Around the unit's panels of 64 rows and blocks of 256.
  for (const std::size_t n : {255u, 256u, 257u, 319u, 320u, 321u, 512u, 513u}) {
    check<Isa, float>(n, 40);
  }
  check<Isa, float>(800, 33);
}

/// The gradient at random directions.
template <class Isa>
Matrix<float> gradient_of(std::size_t n, std::size_t dim) {
  const Matrix<float> table = converted<float>(unit_rows(n, dim, 1));
  auto gradient = zeros<float>(n, dim);
  Scratch scratch;
  pair_potential(host<Isa>, rows(table), 4.0, [](double) { return 1.0; }, rows(gradient), scratch);
  return gradient;
}

/// The gradient's error against double for random directions, relative to its magnitude; both are
/// root mean squares.
template <class Isa>
double relative_error_of_gradient() {
  const Matrix<double> exact = unit_rows(512, 64, 1);
  const Matrix<float> table = converted<float>(exact);
  auto expected = zeros<double>(512, 64);
  auto found = zeros<float>(512, 64);
  Scratch scratch;
  const auto one = [](double) { return 1.0; };
  pair_potential(par, rows(exact), 4.0, one, rows(expected), scratch);
  pair_potential(host<Isa>, rows(table), 4.0, one, rows(found), scratch);
  double error = 0, magnitude = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double e = expected.data()[i];
    error +=
        (static_cast<double>(found.data()[i]) - e) * (static_cast<double>(found.data()[i]) - e);
    magnitude += e * e;
  }
  return std::sqrt(error / magnitude);
}

}  // namespace

TEST_CASE("the gradient's error is what docs/explanation/execution.md says") {
  CHECK(relative_error_of_gradient<isa::scalar>() <= 2e-7);
  CHECK(relative_error_of_gradient<test::EmulatedTileIsa>() <= 4e-6);
  CHECK(relative_error_of_gradient<isa::native>() <=
        (detail::HasTileUnit<isa::native> ? 4e-6 : 2e-7));
}

TEST_CASE("a tile unit is used from 256 rows of 32 columns on") {
  using Tiles = test::EmulatedTileIsa;
  // Its parts of floats round otherwise.
  CHECK(gradient_of<Tiles>(256, 32) != gradient_of<isa::scalar>(256, 32));
  CHECK(gradient_of<Tiles>(255, 32) == gradient_of<isa::scalar>(255, 32));
  CHECK(gradient_of<Tiles>(256, 31) == gradient_of<isa::scalar>(256, 31));
}

TEST_CASE("the pair potential equals its definition, scalar") { check_all<isa::scalar>(); }
TEST_CASE("the pair potential equals its definition, SSE2") { check_all<isa::sse2>(); }
TEST_CASE("the pair potential equals its definition, AVX2") { check_all<isa::avx2>(); }
TEST_CASE("the pair potential equals its definition, AVX-512") { check_all<isa::avx512>(); }

TEST_CASE("the pair potential equals its definition, tiles of bfloat16 in plain C++") {
  check_tile_unit<test::EmulatedTileIsa>();
}
TEST_CASE("the pair potential equals its definition, AMX") {
  if constexpr (isa_supported<isa::amx>) check_tile_unit<isa::amx>();
}

TEST_CASE_TEMPLATE("with tiles of bfloat16, NaN that arithmetic makes stays NaN", Isa,
                   test::EmulatedTileIsa, isa::native) {
  Matrix<float> table = converted<float>(unit_rows(300, 40, 3));
  std::fill_n(rows(table)[290], 40, std::numeric_limits<float>::quiet_NaN());
  auto gradient = zeros<float>(300, 40);
  Scratch scratch;
  const double total = pair_potential(
      host<Isa>, rows(std::as_const(table)), 4.0, [](double) { return 1.0; }, rows(gradient),
      scratch);
  CHECK(std::isnan(total));
  for (std::size_t r = 0; r < 300; ++r) CHECK(std::isnan(rows(gradient)[r][0]));
}

TEST_CASE("the round-robin schedule pairs all blocks once, and each at most once per round") {
  for (std::size_t even_blocks = 2; even_blocks <= 20; even_blocks += 2) {
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t round = 0; round + 1 < even_blocks; ++round) {
      std::set<std::size_t> playing;
      for (std::size_t table = 0; table < even_blocks / 2; ++table) {
        const auto [a, b] = detail::round_robin_pair(even_blocks, round, table);
        CHECK(a < b);
        CHECK(b < even_blocks);
        CHECK(playing.insert(a).second);
        CHECK(playing.insert(b).second);
        CHECK(pairs.insert({a, b}).second);
      }
    }
    CHECK(pairs.size() == even_blocks * (even_blocks - 1) / 2);
  }
}

TEST_CASE("the pair potential is the same to the last bit for any number of threads") {
  for (const std::size_t dim : {24U, 40U}) {  // without and with a processor's tile unit
    const Matrix<float> table = converted<float>(unit_rows(700, dim, 5));
    const auto run = [&](std::size_t threads) {
      const ThreadLimit limit(threads);
      auto gradient = zeros<float>(700, dim);
      Scratch scratch;
      const double total = pair_potential(
          par, rows(table), 4.0, [](double sum) { return 1 / sum; }, rows(gradient), scratch);
      return std::pair(total,
                       std::vector<float>(gradient.data(), gradient.data() + gradient.size()));
    };
    const auto alone = run(1);
    for (int repeat = 0; repeat < 5; ++repeat) {
      CHECK(run(2) == alone);
      CHECK(run(7) == alone);
    }
  }
}
