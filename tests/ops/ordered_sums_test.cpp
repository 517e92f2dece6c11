// SPDX-License-Identifier: BSD-3-Clause
// Sums over all rows of a batch: on the host in order from the first to the last, for any number of
// columns; on a device the same up to rounding.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <prism/execution/serial_grid.hpp>
#include <prism/prism.hpp>

#include "support/nan_max.hpp"

using namespace prism;

namespace {

constexpr std::size_t table_rows = 500;

struct WeightedRows {
  Matrix<double> table;
  std::vector<Index> selected;  // rows, some of them twice
  std::vector<double> weight;

  WeightedRows(std::size_t size, std::size_t dim)
      : table(make_table<double>(table_rows, dim)), selected(size), weight(size) {
    const Random random(size + dim, Stream::synthetic);
    for (std::size_t i = 0; i < table.size(); ++i) table.data()[i] = standard_normal(random, i);
    for (std::size_t k = 0; k < size; ++k) {
      selected[k] = random.uniform_int(table.size() + k, table_rows);
      weight[k] = standard_normal(random, table.size() + size + k);
    }
  }

  [[nodiscard]] IndexedRows<const double> rows() const { return {prism::rows(table), selected}; }

  template <Execution X>
  [[nodiscard]] std::vector<double> sum(const X& exec, bool weighted) const {
    std::vector<double> to(table.shape(1), 77.0);
    Scratch scratch;
    sum_rows<double>(exec, rows(), weighted ? weight.data() : nullptr, to.data(), scratch);
    return to;
  }
};

/// One row after another.
template <class Isa>
std::vector<double> in_order(const WeightedRows& problem, bool weighted) {
  std::vector<double> to(problem.table.shape(1), 0.0);
  for (std::size_t k = 0; k < problem.selected.size(); ++k) {
    add_scaled<Isa>(to.data(), weighted ? problem.weight[k] : 1, problem.rows()[k], to.size());
  }
  return to;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = test::nan_max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("the host adds weighted rows from the first to the last, a device up to rounding") {
  for (const std::size_t size : {0U, 1U, 64U, 65U, 5000U}) {
    for (const std::size_t dim : {1U, 16U, 37U, 67U, 200U}) {
      CAPTURE(size);
      CAPTURE(dim);
      const WeightedRows problem(size, dim);
      for (const bool weighted : {false, true}) {
        CHECK(problem.sum(serial, weighted) == in_order<isa::scalar>(problem, weighted));
        CHECK(problem.sum(par, weighted) == in_order<isa::native>(problem, weighted));
        CHECK(largest_difference(problem.sum(serial_grid, weighted),
                                 problem.sum(serial, weighted)) <= 1e-11);
      }
    }
  }
}

TEST_CASE("the host adds numbers from the first to the last, a device up to rounding") {
  for (const std::size_t size : {0U, 1U, 255U, 256U, 10000U}) {
    CAPTURE(size);
    const WeightedRows problem(size, 1);
    const double* const numbers = problem.weight.data();
    const auto number = [=](std::size_t i) -> double { return numbers[i]; };
    const double expected = std::accumulate(problem.weight.begin(), problem.weight.end(), 0.0);
    CHECK(sum_over_elements(serial, size, number) == expected);
    CHECK(sum_over_elements(par, size, number) == expected);
    CHECK(std::abs(sum_over_elements(serial_grid, size, number) - expected) <= 1e-11);
  }
}

TEST_CASE("the sum over a row's occurrences has one term for each") {
  std::vector<Interaction> pairs;
  for (Index p = 0; p < 400; ++p) pairs.push_back({p % 7 * (p % 3), p % 19});
  const Interactions train(21, 19, pairs);
  BatchBuilder builder(train);
  const Batch batch = builder.build(serial, pairs, {});
  std::vector<double> expected(batch.user_side.num_active, 0.0);
  for (std::size_t p = 0; p < pairs.size(); ++p) expected[batch.users[p]] += 1 + std::sqrt(p);
  const auto check = [&](const auto& exec) {
    std::vector<double> to(expected.size(), 77.0);
    sum_over_occurrences<double>(
        exec, batch.user_side, [](std::size_t p) { return 1 + std::sqrt(static_cast<double>(p)); },
        Rows<double>(to.data(), to.size(), 1));
    CHECK(to == expected);
  };
  check(serial);
  check(par);
  check(serial_grid);
}
