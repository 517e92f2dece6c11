// SPDX-License-Identifier: BSD-3-Clause
// Adam with one second moment per row: a step against its plain loop, and deferred steps, of a
// single row or of one row per lane, against single steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <prism/core/denormals.hpp>
#include <prism/core/finite.hpp>
#include <prism/core/matrix.hpp>
#include <prism/execution/serial.hpp>
#include <prism/kernel/row_wise_adam.hpp>
#include <prism/optimizer/adam_history.hpp>
#include <prism/optimizer/row_wise_adam_rows.hpp>
#include <prism/regularizer/full_wd.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

/// Rows that took their last step at different times of a history; the first never took one.
template <class T, class Isa>
struct WaitingRows {
  static constexpr std::size_t dim = 37;
  static constexpr std::size_t size = detail::RowWiseAdamRows<T>::template group<Isa> + 3;
  static constexpr std::size_t steps = 90;

  Matrix<T> weights = zeros<T>(size, dim), moments = zeros<T>(size, dim);
  std::vector<typename detail::RowWiseAdamRows<T>::Row> row{size};
  detail::AdamHistory<T> history;
  std::vector<Index> indices;

  WaitingRows() {
    const std::vector<T> w = draws<T>(size * dim, 1), m = draws<T>(size * dim, 2);
    std::ranges::copy(w, weights.data());
    for (std::size_t i = dim; i < m.size(); ++i) moments.data()[i] = T(0.01) * m[i];
    for (std::size_t r = 0; r < size; ++r) {
      indices.push_back(static_cast<Index>(r));
      if (r == 0) continue;
      // The second is up to date; the moments of the third lag behind its weights.
      const auto last = static_cast<std::uint32_t>(r == 1 ? steps : r * 7 % steps);
      const std::uint32_t of_moments = r == 2 ? last - 3 : last;
      row[r] = {{.weights = last, .moments = of_moments},
                static_cast<T>(1e-4 * static_cast<double>(r))};
    }
    for (std::size_t s = 1; s <= steps; ++s) history.add(serial, rate(s), beta1, beta2, s);
  }

  static double rate(std::size_t s) { return s % 2 == 0 ? 0.01 : 0.013; }
  [[nodiscard]] detail::RowWiseAdamRows<T> view() {
    return {rows(moments), row.data(), history.view()};
  }
  [[nodiscard]] ParameterView<T> table() { return {.rows = rows(weights)}; }

  /// The rows after single steps. @return for each row: weights, first moments, the second moment
  [[nodiscard]] std::vector<std::vector<double>> stepped(double decay) {
    std::vector<std::vector<double>> all;
    for (std::size_t r = 0; r < size; ++r) {
      std::vector<double> w(rows(weights)[r], rows(weights)[r] + dim);
      std::vector<double> m(rows(moments)[r], rows(moments)[r] + dim);
      double v = static_cast<double>(row[r].second);
      if (r == 2) {
        for (double& moment : m) moment *= beta1 * beta1 * beta1;
        v *= beta2 * beta2 * beta2;
      }
      for (std::size_t s = r == 0 ? 0 : row[r].last.weights; s < steps; ++s) {
        v = detail::row_wise_adam_row<isa::scalar, double>(w.data(), m.data(), v, nullptr, decay,
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
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon);
    const detail::AdamStep<T> step(1e-2, beta1, beta2, 3);
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
          const T after = detail::row_wise_adam_row<Isa, T>(w.data(), m.data(), before,
                                                            has_gradient ? g.data() : nullptr,
                                                            decay, constant, step, n);
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
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon);
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
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon);
    WaitingRows<T, Isa> waiting;
    const auto expected = waiting.stepped(0);
    for (const Index r : waiting.indices) {
      waiting.view().template apply_deferred<Isa>(waiting.table(), r, 0, constant);
      if (r > 0) waiting.view().template apply_deferred_moments<Isa>(r);
    }
    waiting.check(expected);
  }
}

TEST_CASE_TEMPLATE("rows that decay to nothing stay finite, and zeros stay zeros", T, float,
                   double) {
  constexpr std::size_t dim = 16, steps = 200, flushes = 100;
  const FlushDenormals flush_denormals;
  for (const double start : {0.1, 0.0, 1e-20, 1e-30}) {
    for (const auto& [rate, decay] : {std::pair(1e-3, 1e-2), {1e-3, 1e-3}, {1e-2, 1e-3}}) {
      CAPTURE(start);
      CAPTURE(rate);
      CAPTURE(decay);
      Matrix<T> weights = zeros<T>(3, dim), moments = zeros<T>(3, dim);
      for (T& weight : std::span(weights.data(), weights.size())) weight = static_cast<T>(start);
      std::vector<typename detail::RowWiseAdamRows<T>::Row> row(3);
      detail::AdamHistory<T> history;
      const FullWD regularizer{decay};
      const RowDecay row_decay(regularizer, {}, false);
      const std::vector<Index> indices{0, 1};
      for (std::size_t t = 1; t <= steps * flushes; ++t) {
        history.add(serial, rate, beta1, beta2, t);
        if (t % steps != 0) continue;
        const detail::RowWiseAdamRows<T> view{rows(moments), row.data(), history.view()};
        const ParameterView<T> table{.rows = rows(weights)};
        const detail::AdamConstants<T> constant(beta1, beta2, epsilon);
        view.template replay_group<isa::native>(table, indices, row_decay, constant);
        view.template apply_deferred<isa::native>(table, 2, decay, constant);
        for (auto& of_row : row) of_row.last = {0, 0};
        history.clear();
        for (const T weight : std::span(weights.data(), weights.size())) {
          REQUIRE(std::abs(static_cast<double>(weight)) <= (start == 0 ? 0 : 0.2));
        }
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("a row that is not a number is not hidden by its decay") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (const T odd : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      WaitingRows<T, Isa> waiting;
      waiting.weights(3, 5) = odd;
      const FullWD regularizer{0.02};
      const RowDecay row_decay(regularizer, {}, false);
      constexpr std::size_t group = detail::RowWiseAdamRows<T>::template group<Isa>;
      std::span<const Index> first(waiting.indices);
      // The group that the row is in.
      first = first.subspan(3 / group * group);
      first = first.first(std::min(group, first.size()));
      waiting.view().template replay_group<Isa>(waiting.table(), first, row_decay,
                                                {beta1, beta2, epsilon});
      CHECK_FALSE(detail::is_finite(waiting.weights(3, 5)));
      CHECK_FALSE(detail::is_finite(waiting.row[3].second));
    }
  }
}
