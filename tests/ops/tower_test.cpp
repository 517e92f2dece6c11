// SPDX-License-Identifier: BSD-3-Clause
// Towers of dense layers against their plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <prism/backbone/activation.hpp>
#include <prism/core/matrix.hpp>
#include <prism/core/random.hpp>
#include <prism/execution/host.hpp>
#include <prism/kernel/normal.hpp>
#include <prism/ops/tower.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "support/nan_max.hpp"

using namespace prism;

namespace {

template <class T>
using TowerTable = std::vector<std::vector<T>>;

/// Rows of random numbers, of variance 1 / divisor.
TowerTable<double> tower_rows(std::size_t size, std::size_t dim, std::uint64_t seed,
                              double divisor = 1) {
  const Random random(seed, Stream::synthetic);
  TowerTable<double> table(size, std::vector<double>(dim));
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c < dim; ++c) {
      table[r][c] = static_cast<double>(
          static_cast<float>(standard_normal(random, r * dim + c) / std::sqrt(divisor)));
    }
  }
  return table;
}

template <class T>
Matrix<T> tower_matrix(const TowerTable<double>& from) {
  Matrix<T> to = zeros<T>(from.size(), from[0].size());
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (std::size_t c = 0; c < from[r].size(); ++c) to(r, c) = static_cast<T>(from[r][c]);
  }
  return to;
}

/// Has no functions of packs. Smooth, because float and double could lie on different sides of a
/// kink.
struct Curve {
  [[maybe_unused]] static constexpr std::string_view name = "Curve";
  template <class T>
  [[nodiscard]] T apply(T x) const noexcept {
    return x / std::sqrt(1 + x * x);
  }
  template <class T>
  [[nodiscard]] T derivative(T y) const noexcept {
    return (1 - y * y) * std::sqrt(1 - y * y);
  }
};
/// The same with functions of packs.
struct CurveOfPacks : Curve {
  static constexpr bool takes_packs = true;
  using Curve::apply;
  using Curve::derivative;
  template <AnyPack P>
  [[nodiscard]] P apply(P x) const noexcept {
    return x / sqrt(fused_multiply_add(x, x, P::broadcast(1)));
  }
  template <AnyPack P>
  [[nodiscard]] P derivative(P y) const noexcept {
    const P rest = P::broadcast(1) - y * y;
    return rest * sqrt(rest);
  }
};

template <class T>
void check_tower_result(Rows<const T> got, const TowerTable<double>& expected) {
  double largest = 1, difference = 0;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t c = 0; c < expected[r].size(); ++c) {
      largest = std::max(largest, std::abs(expected[r][c]));
      difference =
          test::nan_max(difference, std::abs(static_cast<double>(got[r][c]) - expected[r][c]));
    }
  }
  CHECK(difference <= (std::is_same_v<T, double> ? 1e-13 : 1e-5) * largest);
}

template <class Isa, class T, class Activation>
void check_tower_of(std::size_t size, std::size_t dim, const Activation& activation) {
  CAPTURE(size);
  CAPTURE(dim);
  const auto scale = static_cast<double>(dim);
  const TowerTable<double> table = tower_rows(size + 2, dim, 1), g = tower_rows(size, dim, 2);
  const std::array weight{tower_rows(dim, dim, 3, scale), tower_rows(dim, dim, 4, scale)};
  const std::array bias{tower_rows(1, dim, 5), tower_rows(1, dim, 6)};
  std::vector<Index> selected(size);
  for (std::size_t r = 0; r < size; ++r) selected[r] = static_cast<Index>((3 * r + 1) % (size + 2));

  // y = f(x W0' + b0) W1' + b1, row by row
  TowerTable<double> output = g, of_rows = g;
  std::array of_weight{tower_rows(dim, dim, 7), tower_rows(dim, dim, 8)};
  std::array of_bias{tower_rows(1, dim, 9), tower_rows(1, dim, 10)};
  const std::array weight_start = of_weight, bias_start = of_bias;
  for (std::size_t r = 0; r < size; ++r) {
    const std::vector<double>& x = table[selected[r]];
    std::vector<double> hidden(dim), g_hidden(dim);
    for (std::size_t o = 0; o < dim; ++o) {
      double sum = bias[0][0][o];
      for (std::size_t i = 0; i < dim; ++i) sum += weight[0][o][i] * x[i];
      hidden[o] = activation.apply(sum);
    }
    for (std::size_t o = 0; o < dim; ++o) {
      output[r][o] = bias[1][0][o];
      of_bias[1][0][o] += g[r][o];
      for (std::size_t i = 0; i < dim; ++i) {
        output[r][o] += weight[1][o][i] * hidden[i];
        of_weight[1][o][i] += g[r][o] * hidden[i];
        g_hidden[i] += g[r][o] * weight[1][o][i];
      }
    }
    std::ranges::fill(of_rows[r], 0.0);
    for (std::size_t o = 0; o < dim; ++o) {
      const double of_sum = g_hidden[o] * activation.derivative(hidden[o]);
      of_bias[0][0][o] += of_sum;
      for (std::size_t i = 0; i < dim; ++i) {
        of_weight[0][o][i] += of_sum * x[i];
        of_rows[r][i] += of_sum * weight[0][o][i];
      }
    }
  }

  const Matrix<T> rows_of_table = tower_matrix<T>(table), of_output = tower_matrix<T>(g);
  const std::array w{tower_matrix<T>(weight[0]), tower_matrix<T>(weight[1])};
  const std::array b{tower_matrix<T>(bias[0]), tower_matrix<T>(bias[1])};
  std::array got_weight{tower_matrix<T>(weight_start[0]), tower_matrix<T>(weight_start[1])};
  std::array got_bias{tower_matrix<T>(bias_start[0]), tower_matrix<T>(bias_start[1])};
  const std::array<LayerView<T>, 2> layers{LayerView<T>{rows(w[0]), b[0].data()},
                                           LayerView<T>{rows(w[1]), b[1].data()}};
  const std::array<Rows<T>, 4> gradients{rows(got_weight[0]), rows(got_bias[0]),
                                         rows(got_weight[1]), rows(got_bias[1])};
  Matrix<T> got = zeros<T>(size, dim);
  Scratch scratch;
  const auto saved = tower_forward<T>(host<Isa>, {rows(rows_of_table), selected}, layers,
                                      activation, rows(got), scratch);
  const Rows<const T> got_of_rows =
      tower_backward<T>(host<Isa>, saved, rows(of_output), activation, gradients, scratch);
  check_tower_result<T>(rows(std::as_const(got)), output);
  check_tower_result<T>(got_of_rows, of_rows);
  for (std::size_t l = 0; l < 2; ++l) {
    check_tower_result<T>(gradients[2 * l], of_weight[l]);
    check_tower_result<T>(gradients[2 * l + 1], of_bias[l]);
  }
}

template <class Isa>
void check_towers() {
  if constexpr (isa_supported<Isa>) {
    for (std::size_t dim = 1; dim <= 140; dim += dim < 20 ? 1 : 17) {
      check_tower_of<Isa, float>(5, dim, Curve{});
      check_tower_of<Isa, double>(5, dim, CurveOfPacks{});
    }
    for (const std::size_t dim : {64U, 128U, 256U, 257U}) {
      check_tower_of<Isa, float>(3, dim, CurveOfPacks{});
      check_tower_of<Isa, double>(3, dim, Curve{});
    }
    // Around the blocks' 64 rows, and with blocks in chunks.
    for (const std::size_t size : {1U, 63U, 64U, 65U, 200U, 1100U}) {
      check_tower_of<Isa, float>(size, 16, CurveOfPacks{});
      check_tower_of<Isa, double>(size, 9, Curve{});
    }
  }
}

}  // namespace

TEST_CASE("towers equal their plain loops, scalar") { check_towers<isa::scalar>(); }
TEST_CASE("towers equal their plain loops, SSE2") { check_towers<isa::sse2>(); }
TEST_CASE("towers equal their plain loops, AVX2") { check_towers<isa::avx2>(); }
TEST_CASE("towers equal their plain loops, AVX-512") { check_towers<isa::avx512>(); }

TEST_CASE_TEMPLATE("activations of packs are those of single numbers", A, ReLU, Identity) {
  using P = Pack<float>;
  std::vector<float> x(P::width), got(P::width);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<float>(j % 3) - 1;
  const A activation;
  activation.apply(P::load(x.data())).store(got.data());
  for (std::size_t j = 0; j < x.size(); ++j) CHECK(got[j] == activation.apply(x[j]));
  activation.derivative(P::load(x.data())).store(got.data());
  for (std::size_t j = 0; j < x.size(); ++j) CHECK(got[j] == activation.derivative(x[j]));
}

TEST_CASE("towers are the same to the last bit for any number of threads") {
  const Matrix<float> table = tower_matrix<float>(tower_rows(900, 24, 1)),
                      g = tower_matrix<float>(tower_rows(900, 24, 2)),
                      weight = tower_matrix<float>(tower_rows(24, 24, 3)),
                      bias = tower_matrix<float>(tower_rows(1, 24, 4));
  const std::array<LayerView<float>, 2> layers{LayerView<float>{rows(weight), bias.data()},
                                               LayerView<float>{rows(weight), bias.data()}};
  const auto run = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    Matrix<float> output = zeros<float>(900, 24), of_weight = zeros<float>(24, 24),
                  of_bias = zeros<float>(1, 24), of_weight_1 = of_weight, of_bias_1 = of_bias;
    const std::array<Rows<float>, 4> gradients{rows(of_weight), rows(of_bias), rows(of_weight_1),
                                               rows(of_bias_1)};
    Scratch scratch;
    const auto saved =
        tower_forward<float>(par, rows(table), layers, ReLU{}, rows(output), scratch);
    const Rows<const float> of_rows =
        tower_backward<float>(par, saved, rows(g), ReLU{}, gradients, scratch);
    std::vector<float> all(output.data(), output.data() + output.size());
    all.insert(all.end(), of_rows.data(), of_rows.data() + of_rows.num_elements());
    for (const Matrix<float>* of : {&of_weight, &of_bias, &of_weight_1, &of_bias_1}) {
      all.insert(all.end(), of->data(), of->data() + of->size());
    }
    return all;
  };
  const auto alone = run(1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    CHECK(run(2) == alone);
    CHECK(run(7) == alone);
  }
}
