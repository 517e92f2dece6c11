// SPDX-License-Identifier: BSD-3-Clause
// One Adam step against a plain loop, and a run of zero-gradient steps against single ones.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <prism/execution/serial.hpp>
#include <prism/kernel/adam.hpp>
#include <prism/optimizer/adam_history.hpp>
#include <span>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

/// A row with moments of very different magnitudes, as gradients leave them, zeros included.
template <class T>
struct AdamRow {
  explicit AdamRow(std::size_t n) : w(draws<T>(n, 1)), m(draws<T>(n, 2)), v(draws<T>(n, 3)) {
    for (std::size_t i = 0; i < n; ++i) {
      const T size = std::pow(T(10), -static_cast<T>(i % 12));
      const bool untouched = i % 13 == 12;
      m[i] *= untouched ? 0 : size;
      v[i] *= untouched ? 0 : size * size * v[i];
    }
  }
  std::vector<T> w, m, v;
};

constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

}  // namespace

PRISM_FOR_EACH_VARIANT("an Adam step equals its plain loop") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    const detail::AdamConstants<T> constant(0.9, 0.999, 1e-8);
    const detail::AdamStep<T> step(1e-2, 0.9, 0.999, 3);
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      for (const bool has_gradient : {true, false}) {
        const T decay = T(0.01);
        std::vector<T> w = draws<T>(n, 1), m = draws<T>(n, 2), v = draws<T>(n, 3);
        const std::vector<T> g = draws<T>(n, 4);
        for (T& x : v) x = x * x;
        std::vector<T> ew(w), em(m), ev(v);
        for (std::size_t i = 0; i < n; ++i) {
          const T gradient = (has_gradient ? g[i] : T(0)) + decay * ew[i];
          em[i] = T(0.9) * em[i] + T(0.1) * gradient;
          ev[i] = T(0.999) * ev[i] + T(0.001) * gradient * gradient;
          const T first = em[i] / (1 - T(0.9 * 0.9 * 0.9));
          const T second = ev[i] / static_cast<T>(1 - 0.999 * 0.999 * 0.999);
          ew[i] -= T(1e-2) * first / (std::sqrt(second) + T(1e-8));
        }
        detail::adam_row<Isa>(w.data(), m.data(), v.data(), has_gradient ? g.data() : nullptr,
                              decay, constant, step, n);
        CHECK(difference(w, ew) <= 10 * tolerance<T>);
        CHECK(difference(m, em) <= tolerance<T>);
        CHECK(difference(v, ev) <= tolerance<T>);
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("replayed steps equal as many single ones to the last bit") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon, T(-2), T(1.5));
    std::vector<detail::AdamStep<T>> steps;
    for (std::uint64_t t = 4; t < 24; ++t) steps.emplace_back(0.01, beta1, beta2, t);
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      AdamRow<T> row(n), expected(n);
      const T decay = T(0.01);
      for (const detail::AdamStep<T>& step : steps) {
        detail::adam_row<Isa, T>(expected.w.data(), expected.m.data(), expected.v.data(), nullptr,
                                 decay, constant, step, n);
      }
      detail::adam_replay<Isa, T>(row.w.data(), row.m.data(), row.v.data(), decay, constant, steps,
                                  n);
      CHECK(row.w == expected.w);
      CHECK(row.m == expected.m);
      CHECK(row.v == expected.v);
    }
  }
}

PRISM_FOR_EACH_VARIANT("zero-gradient steps in closed form equal single steps") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr std::size_t n = 67;
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon);
    // The row's last step, from a training's first on; below, the number of steps after it.
    for (const std::uint64_t stood_at :
         std::initializer_list<std::uint64_t>{1, 2, 10, 50, 300, 2000, 100000}) {
      detail::AdamHistory<T> history;
      AdamRow<double> expected(n);
      AdamRow<T> start(n);
      expected.w.assign(start.w.begin(), start.w.end());
      expected.m.assign(start.m.begin(), start.m.end());
      expected.v.assign(start.v.begin(), start.v.end());
      const std::vector<double> began = expected.w;
      const detail::AdamConstants<double> exactly(beta1, beta2, epsilon);
      for (std::size_t steps = 1; steps <= 1000; ++steps) {
        const std::uint64_t t = stood_at + steps;
        const double learning_rate = steps % 2 == 0 ? 0.01 : 0.013;  // need not be constant
        history.add(serial, learning_rate, beta1, beta2, t);
        const detail::AdamStep<double> step(learning_rate, beta1, beta2, t);
        detail::adam_row<isa::scalar, double>(expected.w.data(), expected.m.data(),
                                              expected.v.data(), nullptr, 0, exactly, step, n);
        if (steps > 3 && steps % 97 != 0 && steps != 1000) continue;
        CAPTURE(stood_at);
        CAPTURE(steps);
        AdamRow<T> row(n);
        const detail::DeferredSteps<T> deferred = history.view();
        const std::size_t of_moments = deferred.template apply<Isa>(0, row.w.data(), row.m.data(),
                                                                    row.v.data(), 0, constant, n);
        REQUIRE(of_moments <= steps);
        deferred.template decay_moments<Isa>(row.m.data(), row.v.data(),
                                             deferred.moment_decay(steps - of_moments), n);
        constexpr double rounding = std::is_same_v<T, double> ? 1e-13 : 1e-6;
        for (std::size_t i = 0; i < n; ++i) {
          CAPTURE(i);
          // The error is relative to the distance moved and to the weight.
          const double way = std::abs(expected.w[i] - began[i]);
          REQUIRE(std::abs(static_cast<double>(row.w[i]) - expected.w[i]) <=
                  rounding * (way + std::abs(began[i])));
          REQUIRE(row.m[i] == doctest::Approx(expected.m[i]).epsilon(rounding * 100));
          REQUIRE(row.v[i] == doctest::Approx(expected.v[i]).epsilon(rounding * 100));
        }
      }
    }
  }
}

TEST_CASE("the closed form applies to nearly every row") {
  // This is about speed, not results: the closed form is accurate, and so is used, from the first
  // deferred steps on.
  for (const std::uint64_t stood_at : std::initializer_list<std::uint64_t>{20, 400, 5000}) {
    detail::AdamHistory<float> history;
    for (std::uint64_t t = stood_at + 1; t <= stood_at + 500; ++t) {
      history.add(serial, 0.001, beta1, beta2, t);
      CHECK(history.view().closed_forms[0].is_accurate());
    }
  }
  // A row last updated in a training's first step: few steps are replayed until it is accurate.
  detail::AdamHistory<float> history;
  for (std::uint64_t t = 2; t <= 500; ++t) history.add(serial, 0.001, beta1, beta2, t);
  AdamRow<float> row(8);
  CHECK(history.view().apply(0, row.w.data(), row.m.data(), row.v.data(), 0,
                             detail::AdamConstants<float>(beta1, beta2, epsilon), 8) < 32);
}
