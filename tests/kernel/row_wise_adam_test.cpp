// SPDX-License-Identifier: BSD-3-Clause
// Adam with one second moment a row: a step against its plain loop, and deferred steps, of one row
// or of one on each lane, against single ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <prism/core/matrix.hpp>
#include <prism/kernel/row_wise_adam.hpp>
#include <prism/optimizer/adam_history.hpp>
#include <prism/optimizer/row_wise_adam_rows.hpp>
#include <prism/regularizer/full_wd.hpp>
#include <prism/regularizer/none.hpp>
#include <span>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

/// Rows that took their last step at different times of a history; the first had none.
template <class T, class Isa>
struct WaitingRows {
  static constexpr std::size_t dim = 37;
  static constexpr std::size_t size = detail::RowWiseAdamRows<T>::template group<Isa> + 3;
  static constexpr std::size_t steps = 90;

  Matrix<T> weights = zeros<T>(size, dim), moments = zeros<T>(size, dim);
  std::vector<typename detail::RowWiseAdamRows<T>::Row> row{size};
  AdamHistory<T> history;
  std::vector<Index> indices;

  WaitingRows() {
    const std::vector<T> w = draws<T>(size * dim, 1), m = draws<T>(size * dim, 2);
    std::ranges::copy(w, weights.data());
    for (std::size_t i = dim; i < m.size(); ++i) moments.data()[i] = T(0.01) * m[i];
    for (std::size_t r = 0; r < size; ++r) {
      indices.push_back(static_cast<Index>(r));
      if (r == 0) continue;
      const auto last = static_cast<std::uint32_t>(r * 7 % steps);
      row[r] = {{.weights = last, .moments = last}, static_cast<T>(1e-4 * static_cast<double>(r))};
    }
    for (std::size_t s = 1; s <= steps; ++s) history.add(rate(s), beta1, beta2, s);
  }

  static double rate(std::size_t s) { return s % 2 == 0 ? 0.01 : 0.013; }
  [[nodiscard]] detail::RowWiseAdamRows<T> view() {
    return {rows(moments), row.data(), history.view()};
  }
  [[nodiscard]] ParameterView<T> table() { return {.rows = rows(weights)}; }

  /// As single steps leave them. @return weights, then first moments, then the second one, each row
  [[nodiscard]] std::vector<std::vector<double>> stepped(double decay) {
    std::vector<std::vector<double>> all;
    for (std::size_t r = 0; r < size; ++r) {
      std::vector<double> w(rows(weights)[r], rows(weights)[r] + dim);
      std::vector<double> m(rows(moments)[r], rows(moments)[r] + dim);
      double v = static_cast<double>(row[r].second);
      for (std::size_t s = r == 0 ? 0 : row[r].last.weights; s < steps; ++s) {
        v = row_wise_adam_row<isa::scalar, double>(w.data(), m.data(), v, nullptr, decay,
                                                   {beta1, beta2, epsilon},
                                                   {rate(s + 1), beta1, beta2, s + 1}, dim);
      }
      w.insert(w.end(), m.begin(), m.end());
      w.push_back(v);
      all.push_back(w);
    }
    return all;
  }

  void check(const std::vector<std::vector<double>>& expected) {
    constexpr double rounding = std::is_same_v<T, double> ? 1e-12 : 1e-5;
    for (std::size_t r = 0; r < size; ++r) {
      CAPTURE(r);
      for (std::size_t i = 0; i < dim; ++i) {
        REQUIRE(static_cast<double>(weights(r, i)) ==
                doctest::Approx(expected[r][i]).epsilon(rounding).scale(1));
        REQUIRE(static_cast<double>(moments(r, i)) ==
                doctest::Approx(expected[r][dim + i]).epsilon(rounding).scale(0.01));
      }
      CHECK(static_cast<double>(row[r].second) ==
            doctest::Approx(expected[r][2 * dim]).epsilon(rounding).scale(1e-4));
    }
  }
};

}  // namespace

PRISM_FOR_EACH_VARIANT("a step with one second moment a row equals its plain loop") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    const AdamConstants<T> constant(beta1, beta2, epsilon);
    const AdamStep<T> step(1e-2, beta1, beta2, 3);
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      for (const T decay : {T(0), T(0.01)}) {
        for (const bool has_gradient : {true, false}) {
          std::vector<T> w = draws<T>(n, 1), m = draws<T>(n, 2);
          const std::vector<T> g = draws<T>(n, 4);
          const T before = T(0.3);
          std::vector<T> ew(w), em(m);
          T squares = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const T gradient = (has_gradient ? g[i] : T(0)) + decay * ew[i];
            em[i] = T(0.9) * em[i] + T(0.1) * gradient;
            squares += gradient * gradient / static_cast<T>(n);
          }
          const T second = T(0.999) * before + T(0.001) * squares;
          const T root = std::sqrt(second / static_cast<T>(1 - 0.999 * 0.999 * 0.999));
          for (std::size_t i = 0; i < n; ++i) {
            ew[i] -= T(1e-2) * em[i] / (1 - T(0.9 * 0.9 * 0.9)) / (root + T(1e-8));
          }
          const T after = row_wise_adam_row<Isa, T>(w.data(), m.data(), before,
                                                    has_gradient ? g.data() : nullptr, decay,
                                                    constant, step, n);
          CHECK(difference(w, ew) <= 10 * tolerance<T>);
          CHECK(difference(m, em) <= tolerance<T>);
          CHECK(std::abs(after - second) <= tolerance<T>);
        }
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("deferred steps with decay, one row on each lane, equal single steps") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr double decay = 0.02;
    const FullWD regularizer{decay};
    const RowDecay row_decay(regularizer, {}, false);
    const AdamConstants<T> constant(beta1, beta2, epsilon);
    WaitingRows<T, Isa> together, alone;
    const auto expected = together.stepped(static_cast<double>(static_cast<T>(decay)));
    const std::span<const Index> all(together.indices);
    constexpr std::size_t group = detail::RowWiseAdamRows<T>::template group<Isa>;
    for (std::size_t k = 0; k < all.size(); k += group) {
      together.view().template replay_group<Isa>(
          together.table(), all.subspan(k, std::min(group, all.size() - k)), row_decay, constant);
    }
    for (const auto& row : together.row) CHECK(row.last.weights == together.steps);
    together.check(expected);
    for (const Index r : all) {
      alone.view().template apply_deferred<Isa>(alone.table(), r, decay, constant);
    }
    alone.check(expected);
  }
}

PRISM_FOR_EACH_VARIANT("deferred steps of a row without decay equal single steps") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    const AdamConstants<T> constant(beta1, beta2, epsilon);
    WaitingRows<T, Isa> waiting;
    const auto expected = waiting.stepped(0);
    for (const Index r : waiting.indices) {
      waiting.view().template apply_deferred<Isa>(waiting.table(), r, 0, constant);
      if (r > 0) waiting.view().template apply_deferred_moments<Isa>(r);
    }
    waiting.check(expected);
  }
}
