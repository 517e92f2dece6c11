// SPDX-License-Identifier: BSD-3-Clause
// Operations in float at the sizes that training and ranking have, for which kernels have large
// tiles: on the device against the host.
#include <prism/cuda.hpp>
#include <prism/kernel/normal.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/nan_max.hpp"

using namespace prism;

namespace cuda_test {

Matrix<float> random_table(std::size_t size, std::size_t dim, std::uint64_t seed) {
  Matrix<float> table = make_table<float>(size, dim);
  const Random random(seed, Stream::synthetic);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table.data()[i] = static_cast<float>(standard_normal(random, i));
  }
  return table;
}

Matrix<float> on_device(const Matrix<float>& table) {
  return copy_of(table, memory_of(cuda::device()));
}

/// The largest difference, relative to the largest number. @param found  in the device's memory
double difference(const Matrix<float>& found, const Matrix<float>& expected) {
  synchronise(cuda::device());
  const Matrix<float> copy = copy_of(found, nullptr);
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    apart =
        test::nan_max(apart, std::abs(static_cast<double>(copy.data()[i]) - expected.data()[i]));
    largest = std::max(largest, std::abs(static_cast<double>(expected.data()[i])));
  }
  return apart / largest;
}

void check_product(std::size_t m, std::size_t n, std::size_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const Matrix<float> a = random_table(m, k, 1), b = random_table(n, k, 2);
  Matrix<float> expected = make_table<float>(m, n);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += static_cast<double>(a(r, i)) * b(c, i);
      expected(r, c) = static_cast<float>(sum);
    }
  }
  const Matrix<float> left = on_device(a), right = on_device(b);
  Matrix<float> product = make_table<float>(m, n, memory_of(cuda::device()));
  Scratch scratch(memory_of(cuda::device()));
  detail::multiply<float>(cuda::device(), {m, n, k}, detail::ByLine<Rows<const float>>{rows(left)},
                          detail::ByLine<Rows<const float>>{rows(right)},
                          detail::OverwriteWith<float>{rows(product)}, scratch);
  CHECK(difference(product, expected) <= 1e-5);
}

void check_pair_potential(std::size_t n, std::size_t dim) {
  CAPTURE(n);
  CAPTURE(dim);
  Matrix<float> unit = random_table(n, dim, 3);
  for (std::size_t r = 0; r < n; ++r) normalise(rows(unit)[r], rows(unit)[r], dim);
  const auto potential = [](const auto& exec, const Matrix<float>& of, Matrix<float>& gradient) {
    Scratch scratch(memory_of(exec));
    return pair_potential(
        exec, rows(of), 4, [](double sum) { return 1 / sum; }, rows(gradient), scratch);
  };
  Matrix<float> expected = zeros<float>(n, dim);
  const double of_host = potential(serial, unit, expected);
  const Matrix<float> copy = on_device(unit);
  Matrix<float> gradient = zeros<float>(n, dim, memory_of(cuda::device()));
  const double of_device = potential(cuda::device(), copy, gradient);
  CHECK(of_device / of_host == doctest::Approx(1).epsilon(1e-5));
  CHECK(difference(gradient, expected) <= 1e-4);
}

TEST_CASE("products of many tiles, in float") {
  check_product(2048, 2100, 37);
  check_product(4096, 1024, 64);
  check_product(130, 2500, 64);
}

TEST_CASE("the potential of all pairs of a batch, in float") {
  check_pair_potential(4096, 64);
  check_pair_potential(4096, 200);
}

TEST_CASE("lists of many users and items, in float") {
  constexpr std::size_t user_count = 5000, item_count = 40'000, dim = 64, k = 20;
  const Scorer<float> scorer{
      Output<float>(random_table(user_count, dim, 4), random_table(item_count, dim, 5))};
  std::vector<Index> users(user_count);
  for (std::size_t u = 0; u < users.size(); ++u) users[u] = static_cast<Index>(u);
  const auto lists = [&](const auto& exec) {
    std::vector<std::vector<ScoredItem<float>>> user_lists(user_count);
    rank_items(exec, scorer, std::span<const Index>(users), k, {}, Similarity::dot,
               [&](std::size_t position, std::span<const ScoredItem<float>> best) {
                 user_lists[position].assign(best.begin(), best.end());
               });
    return user_lists;
  };
  const auto on_host = lists(par), found = lists(cuda::device());
  std::size_t other_items = 0;
  double apart = 0;
  for (std::size_t u = 0; u < user_count; ++u) {
    REQUIRE(found[u].size() == k);
    for (std::size_t place = 0; place < k; ++place) {
      // Items whose scores are equal but for rounding may change places.
      other_items += found[u][place].item != on_host[u][place].item ? 1 : 0;
      apart = test::nan_max(
          apart, static_cast<double>(std::abs(found[u][place].score - on_host[u][place].score)));
    }
  }
  CHECK(apart <= 1e-4);
  CHECK(other_items <= user_count * k / 1000);
}

}  // namespace cuda_test
