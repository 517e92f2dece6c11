// SPDX-License-Identifier: BSD-3-Clause
// The operations that a device runs by tiles, on serial_grid, against the host's and against loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <prism/execution/serial.hpp>
#include <prism/execution/serial_grid.hpp>

#include "policies.hpp"
#include "support/evaluation.hpp"
#include "support/nan_max.hpp"

using namespace prism;

namespace {

template <class T>
constexpr double bound = std::is_same_v<T, double> ? 1e-11 : 1e-5;

template <class T>
Matrix<T> random_table(std::size_t size, std::size_t dim, std::uint64_t seed) {
  Matrix<T> table = make_table<T>(size, dim);
  const Random random(seed, Stream::synthetic);
  for (std::size_t i = 0; i < table.size(); ++i)
    table.data()[i] = static_cast<T>(standard_normal(random, i));
  return table;
}

/// The largest difference, relative to the largest number.
template <class T>
double difference(Rows<const T> a, Rows<const T> b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(a.dim() == b.dim());
  double apart = 0, largest = 1e-3;
  for (std::size_t i = 0; i < a.num_elements(); ++i) {
    const auto x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
    apart = test::nan_max(apart, std::abs(x - y));
    largest = std::max(largest, std::abs(y));
  }
  return apart / largest;
}
template <class T>
double difference(const Matrix<T>& a, const Matrix<T>& b) {
  return difference<T>(rows(a), rows(b));
}

/// For a product's factor, the matrix or its transpose.
template <class T>
Matrix<T> transposed(const Matrix<T>& from) {
  Matrix<T> to = make_table<T>(from.shape(1), from.shape(0));
  for (std::size_t r = 0; r < to.shape(0); ++r) {
    for (std::size_t c = 0; c < to.shape(1); ++c) rows(to)[r][c] = rows(from)[c][r];
  }
  return to;
}

/// A product of all forms of its factors; the left one's lines are selected by index.
template <class T>
void check_product(std::size_t m, std::size_t n, std::size_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const Matrix<T> table = random_table<T>(m + 3, k, 1), b = random_table<T>(n, k, 2);
  std::vector<Index> selected(m);
  for (std::size_t r = 0; r < m; ++r) selected[r] = static_cast<Index>((5 * r + 1) % (m + 3));
  Matrix<T> a = make_table<T>(m, k), expected = make_table<T>(m, n);
  for (std::size_t r = 0; r < m; ++r) {
    std::copy_n(rows(table)[selected[r]], k, rows(a)[r]);
    for (std::size_t c = 0; c < n; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        sum += static_cast<double>(rows(a)[r][i]) * static_cast<double>(rows(b)[c][i]);
      }
      rows(expected)[r][c] = static_cast<T>(sum);
    }
  }
  const Matrix<T> a_transposed = transposed(a), b_transposed = transposed(b);
  using ConstRows = Rows<const T>;
  const detail::ByLine<IndexedRows<const T>> gathered{{rows(table), selected}};
  const detail::ByDepth<ConstRows> left_transposed{rows(a_transposed)};
  const detail::ByLine<ConstRows> right_lines{rows(b)};
  const detail::ByDepth<ConstRows> right_matrix{rows(b_transposed)};
  const auto check = [&](const auto& left, const auto& right) {
    Scratch scratch;
    Matrix<T> product = make_table<T>(m, n);
    product.fill(std::numeric_limits<T>::quiet_NaN());
    detail::multiply<T>(serial_grid, {m, n, k}, left, right,
                        detail::OverwriteWith<T>{rows(product)}, scratch);
    CHECK(difference(product, expected) <= bound<T>);
    detail::multiply<T>(serial_grid, {m, n, k}, left, right, detail::AddTo<T>{rows(product)},
                        scratch);
    Matrix<T> twice = expected;
    for (T& number : twice) number *= 2;
    CHECK(difference(product, twice) <= bound<T>);
  };
  check(gathered, right_lines);
  check(gathered, right_matrix);
  check(left_transposed, right_lines);
  check(left_transposed, right_matrix);
}

template <class T>
void check_products() {
  for (const std::size_t size : {1u, 7u, 64u, 65u, 200u}) {
    check_product<T>(size, 7, 33);
    check_product<T>(7, size, 33);
    check_product<T>(65, 64, size);
  }
  check_product<T>(130, 129, 1);
  check_product<T>(1925, 2050, 18);  // of many tiles: large ones
  // Of few tiles, so that k is divided.
  check_product<T>(3, 5, 1000);
  check_product<T>(70, 3, 257);
}

template <class T>
void check_pair_potential(std::size_t n, std::size_t dim) {
  CAPTURE(n);
  CAPTURE(dim);
  Matrix<T> unit = random_table<T>(n, dim, n + dim);
  for (std::size_t r = 0; r < n; ++r) normalise(rows(unit)[r], rows(unit)[r], dim);
  const auto run = [&](const auto& exec) {
    Scratch scratch;
    Matrix<T> gradient = random_table<T>(n, dim, 3);
    const double total = pair_potential(
        exec, Rows<const T>(rows(unit)), 4, [](double sum) { return 1 + 0.1 * sum; },
        rows(gradient), scratch);
    return std::pair(total, gradient);
  };
  const auto [total, gradient] = run(serial_grid);
  const auto [expected, expected_gradient] = run(serial);
  CHECK(std::abs(total - expected) <= bound<T> * std::max(1.0, expected));
  CHECK(difference(gradient, expected_gradient) <= bound<T>);
}

template <class T>
void check_pair_potentials() {
  for (const std::size_t dim : {1u, 7u, 64u, 65u, 128u, 129u, 200u}) {
    check_pair_potential<T>(100, dim);
  }
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 128u, 200u}) check_pair_potential<T>(n, 17);
  // More tiles than parts, so that parts have unequal numbers of tiles.
  check_pair_potential<T>(64 * 29 + 5, 3);
}

/// A loss of shared negatives, and its gradients.
template <class T, class Loss>
void check_shared(const Loss& loss, NegativeMask mask, Index users, std::size_t pair_count,
                  std::size_t n, std::size_t dim) {
  CAPTURE(mask);
  CAPTURE(users);
  CAPTURE(pair_count);
  CAPTURE(n);
  CAPTURE(dim);
  constexpr Index items = 40;
  const Random random(users + n, Stream::synthetic);
  std::uint64_t draw = 0;
  std::vector<Interaction> pairs;
  std::vector<Index> negatives;
  for (std::size_t p = 0; p < pair_count; ++p) {
    const Index user = random.uniform_int(draw++, users);
    pairs.push_back({user, random.uniform_int(draw++, items)});
  }
  for (std::size_t q = 0; q < n; ++q) negatives.push_back(random.uniform_int(draw++, items));
  std::vector<Interaction> all = pairs;
  for (Index u = 0; u < users; ++u) all.push_back({u, random.uniform_int(draw++, items)});
  const Interactions train(users, items, all);
  const Matrix<T> user_table = random_table<T>(users, dim, 5);
  const Matrix<T> item_table = random_table<T>(items, dim, 6);
  const auto run = [&]<class X>(const X&) {
    test::Evaluation<T, MF<dynamic>, Loss, X> evaluate(MF<dynamic>(dim), loss, train, pairs,
                                                       BatchNegatives(negatives, mask));
    test::Gradients<T> gradients;
    const double value = evaluate(user_table, item_table, &gradients);
    return std::pair(value, gradients);
  };
  const auto [value, gradients] = run(serial_grid);
  const auto [expected, expected_gradients] = run(serial);
  CHECK(std::abs(value - expected) <= bound<T> * std::max(1.0, std::abs(expected)));
  CHECK(difference(gradients.users, expected_gradients.users) <= bound<T>);
  CHECK(difference(gradients.items, expected_gradients.items) <= bound<T>);
}

template <class T>
void check_shared_sizes(NegativeMask mask) {
  for (const std::size_t n : {1u, 7u, 64u, 65u, 200u}) {
    check_shared<T>(BPR{.negatives = n}, mask, 12, 30, n, 9);
    check_shared<T>(SSM{.negatives = n}, mask, 70, 100, n, 33);
  }
  for (const std::size_t dim : {1u, 7u, 64u, 65u, 200u}) {
    check_shared<T>(SSM{.negatives = 20}, mask, 40, 70, 20, dim);
  }
  // Products whose k is divided.
  check_shared<T>(SSM{.negatives = 300}, mask, 100, 400, 300, 5);
  // All pairs of one user.
  check_shared<T>(SSM{.negatives = 10}, mask, 1, 20, 10, 5);
}

/// Checks a tower's output, and its gradients, which are added to what is already there.
template <class T, std::size_t Layers, class Activation>
void check_tower(std::size_t size, std::size_t dim, const Activation& activation) {
  CAPTURE(size);
  CAPTURE(dim);
  const Matrix<T> table = random_table<T>(size + 2, dim, 1);
  const Matrix<T> output_gradient = random_table<T>(size, dim, 2);
  std::vector<Index> selected(size);
  for (std::size_t r = 0; r < size; ++r) selected[r] = static_cast<Index>((3 * r + 1) % (size + 2));
  std::vector<Matrix<T>> weights, biases;
  std::array<LayerView<T>, Layers> layers;
  for (std::size_t l = 0; l < Layers; ++l) {
    weights.push_back(random_table<T>(dim, dim, 10 + l));
    for (T& weight : weights.back()) weight /= std::sqrt(static_cast<T>(dim));
    biases.push_back(random_table<T>(1, dim, 20 + l));
  }
  for (std::size_t l = 0; l < Layers; ++l) layers[l] = {rows(weights[l]), biases[l].data()};

  const auto run = [&](const auto& exec) {
    Scratch scratch;
    std::vector<Matrix<T>> results;
    std::vector<Rows<T>> layer_gradients;
    for (std::size_t l = 0; l < Layers; ++l) {
      results.push_back(random_table<T>(dim, dim, 30 + l));
      results.push_back(random_table<T>(1, dim, 40 + l));
    }
    for (Matrix<T>& gradient : results) layer_gradients.push_back(rows(gradient));
    Matrix<T> output = make_table<T>(size, dim);
    const auto saved =
        tower_forward<T>(exec, {rows(table), selected}, layers, activation, rows(output), scratch);
    const Rows<const T> gradient =
        tower_backward<T>(exec, saved, rows(output_gradient), activation,
                          std::span<const Rows<T>>(layer_gradients), scratch);
    Matrix<T> of_rows = make_table<T>(size, dim);
    std::copy_n(gradient.data(), of_rows.size(), of_rows.data());
    results.push_back(output);
    results.push_back(of_rows);
    return results;
  };
  const auto found = run(serial_grid), expected = run(serial);
  for (std::size_t k = 0; k < found.size(); ++k) {
    CAPTURE(k);
    CHECK(difference(found[k], expected[k]) <= bound<T>);
  }
}

/// For inputs below 0 the derivative is neither 0 nor 1.
struct Halved {
  [[maybe_unused]] static constexpr std::string_view name = "Halved";
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return x > 0 ? x : x / 2;
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T y) const noexcept {
    return y > 0 ? T{1} : T{1} / 2;
  }
};

template <class T>
void check_towers() {
  for (const std::size_t dim : {1u, 7u, 64u, 65u, 200u}) check_tower<T, 2>(100, dim, Halved{});
  for (const std::size_t size : {1u, 63u, 65u, 300u}) {
    check_tower<T, 1>(size, 5, Halved{});
    check_tower<T, 3>(size, 5, Halved{});
  }
}

}  // namespace

TEST_CASE("a device's matrix product equals its definition, of any shape") {
  SUBCASE("float") { check_products<float>(); }
  SUBCASE("double") { check_products<double>(); }
}

TEST_CASE("a device's pair potential equals the host's") {
  SUBCASE("float") { check_pair_potentials<float>(); }
  SUBCASE("double") { check_pair_potentials<double>(); }
}

TEST_CASE("a device's scores of shared negatives equal the host's") {
  NegativeMask mask = NegativeMask::none;
  SUBCASE("without a mask") {}
  SUBCASE("own item masked") { mask = NegativeMask::own_item; }
  SUBCASE("seen items masked") { mask = NegativeMask::seen_items; }
  check_shared_sizes<float>(mask);
  check_shared_sizes<double>(mask);
}

TEST_CASE("a device's tower equals the host's") {
  SUBCASE("float") { check_towers<float>(); }
  SUBCASE("double") { check_towers<double>(); }
}

TEST_CASE("a device computes the output of a model with towers") {
  using Model = Recommender<MLP<dynamic, 3>, BPR>;
  const Interactions train = synthetic_interactions({.users = 120, .items = 90});
  const Model model(train, {.backbone = MLP<dynamic, 3>(19)});
  const auto output = model.output(serial_grid), expected = model.output(serial);
  CHECK(difference(output.users(), expected.users()) <= bound<float>);
  CHECK(difference(output.items(), expected.items()) <= bound<float>);
}
