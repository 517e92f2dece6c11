// SPDX-License-Identifier: BSD-3-Clause
// The law of kernels: each equals a plain scalar loop, for every dimension from 1 to 257 and every
// instruction set that the compiler's flags allow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <prism/kernel/matrix_product.hpp>
#include <prism/kernel/row.hpp>
#include <prism/kernel/softmax.hpp>
#include <prism/kernel/surrogate.hpp>
#include <prism/kernel/top_k.hpp>
#include <prism/kernel/weighted_sum.hpp>
#include <span>
#include <string>
#include <vector>

#include "variants.hpp"

using namespace prism;
using namespace test;

TEST_CASE("instruction sets covered here") {
  // Reports which of the cases below run with these compiler flags.
  MESSAGE("sse2 ", isa_supported<isa::sse2>, ", avx2 ", isa_supported<isa::avx2>, ", avx512 ",
          isa_supported<isa::avx512>);
  CHECK((isa_supported<isa::native>));
}

PRISM_FOR_EACH_VARIANT("row kernels equal their plain loops") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      const std::vector<T> a = draws<T>(n, 1), b = draws<T>(n, 2);
      const T factor = T(0.37);

      T expected_dot = 0;
      std::vector<T> expected_sum(b), expected_scaled(n);
      for (std::size_t i = 0; i < n; ++i) {
        expected_dot += a[i] * b[i];
        expected_sum[i] += factor * a[i];
        expected_scaled[i] = factor * a[i];
      }
      CHECK(std::abs(dot<Isa>(a.data(), b.data(), n) - expected_dot) <=
            tolerance<T> * static_cast<T>(n));
      std::vector<T> sum(b), scaled(n);
      add_scaled<Isa>(sum.data(), factor, a.data(), n);
      scale<Isa>(scaled.data(), factor, a.data(), n);
      CHECK(difference(sum, expected_sum) <= tolerance<T>);
      CHECK(difference(scaled, expected_scaled) <= tolerance<T>);
      std::vector<T> descended(b), expected_descent(b);
      descend<Isa>(descended.data(), T(0.25), a.data(), factor, n);
      for (std::size_t i = 0; i < n; ++i) expected_descent[i] -= T(0.25) * (a[i] + factor * b[i]);
      CHECK(difference(descended, expected_descent) <= tolerance<T>);

      std::vector<T> unit(n), gradient(b), expected_gradient(b);
      const T length = normalise<Isa>(unit.data(), a.data(), n);
      T squares = 0, radial = 0;
      for (const T x : a) squares += x * x;
      CHECK(std::abs(length - std::sqrt(squares)) <= tolerance<T> * length);
      for (std::size_t i = 0; i < n; ++i) radial += a[i] / length * b[i];
      for (std::size_t i = 0; i < n; ++i) {
        expected_gradient[i] += (b[i] - a[i] / length * radial) / length;
      }
      add_normalise_gradient<Isa>(gradient.data(), b.data(), unit.data(), length, n);
      T largest = 1;
      for (const T x : expected_gradient) largest = std::max(largest, std::abs(x));
      CHECK(difference(gradient, expected_gradient) <= 10 * tolerance<T> * largest);
      for (std::size_t i = 0; i < n; ++i) expected_gradient[i] -= b[i];
      std::ranges::fill(gradient, std::numeric_limits<T>::quiet_NaN());
      normalise_gradient<Isa>(gradient.data(), b.data(), unit.data(), length, n);
      CHECK(difference(gradient, expected_gradient) <= 10 * tolerance<T> * largest);
      // A row shorter than min_norm is divided by min_norm.
      std::vector<T> tiny(n);
      scale<Isa>(tiny.data(), static_cast<T>(min_norm / 2) / length, a.data(), n);
      const T divisor = normalise<Isa>(unit.data(), tiny.data(), n);
      normalise_gradient<Isa>(gradient.data(), b.data(), unit.data(), divisor, n);
      for (std::size_t i = 0; i < n; ++i) gradient[i] *= divisor;
      CHECK(difference(gradient, b) <= tolerance<T>);
    }
  }
}

PRISM_FOR_EACH_VARIANT("the terms of a softmax equal their plain loop, and do not overflow") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      for (const T inverse_temperature : {T{0}, T{0.5}, T{5}, T{1e6}}) {
        CAPTURE(n);
        CAPTURE(inverse_temperature);
        std::vector<T> x = draws<T>(n, n), expected(n);
        const T maximum = *std::ranges::max_element(x);
        T expected_sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
          expected[j] = std::exp(inverse_temperature * (x[j] - maximum));
          expected_sum += expected[j];
        }
        const T sum = softmax_terms<Isa>(x.data(), inverse_temperature, maximum, n);
        CHECK(difference(x, expected) <= tolerance<T>);
        CHECK(std::abs(sum - expected_sum) <= tolerance<T> * static_cast<T>(n));
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("the largest of n numbers equals its plain loop") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      std::vector<T> x = draws<T>(n, n);
      CHECK(largest_element<Isa>(x.data(), n) == *std::ranges::max_element(x));
      x[n - 1] = 9;  // in the remainder, where there is one
      CHECK(largest_element<Isa>(x.data(), n) == T{9});
    }
  }
}

PRISM_FOR_EACH_VARIANT("the logarithms of surrogates and their slopes equal their plain loop") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (const Surrogate surrogate : {Surrogate::tanh, Surrogate::atan, Surrogate::relu}) {
      for (std::size_t n = 1; n <= last_dimension; ++n) {
        CAPTURE(n);
        std::vector<T> x = draws<T>(n, n), slope(n), expected(n), expected_slope(n);
        for (T& c : x) c = std::clamp<T>(c, -1, 1) * static_cast<T>(0.9);
        const T positive = static_cast<T>(n % 2 == 0 ? 0.8 : -0.7);
        for (std::size_t j = 0; j < n; ++j) {
          const double d = (static_cast<double>(x[j]) - static_cast<double>(positive)) / 2;
          const double sigma = surrogate == Surrogate::tanh   ? std::tanh(d) + 1
                               : surrogate == Surrogate::atan ? std::atan(d) + 1
                                                              : d + 1;
          const double derivative = surrogate == Surrogate::tanh   ? 1 - std::pow(std::tanh(d), 2)
                                    : surrogate == Surrogate::atan ? 1 / (1 + d * d)
                                                                   : 1;
          expected[j] = static_cast<T>(std::log(sigma));
          expected_slope[j] = static_cast<T>(derivative / sigma);
        }
        log_surrogate<Isa>(surrogate, x.data(), slope.data(), positive, n);
        CHECK(difference(x, expected) <= 10 * tolerance<T>);
        CHECK(difference(slope, expected_slope) <= 50 * tolerance<T>);
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("weighted_sum equals its plain loop") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      std::vector<T> table = draws<T>(9 * n, n), to(n, T{7}), expected(n);
      const std::vector<T> weight = draws<T>(9, n + 1);
      const std::vector<Index> picked{8, 0, 3, 3, 5};
      const Rows<const T> from(table.data(), 9, n);
      detail::weighted_sum<Isa>(
          to.data(), T{2}, std::span<const Index>(picked),
          [&](std::size_t j) { return weight[picked[j]]; }, from);
      for (const Index r : picked) {
        for (std::size_t c = 0; c < n; ++c) expected[c] += 2 * weight[r] * from[r][c];
      }
      CAPTURE(n);
      CHECK(difference(to, expected) <= 4 * tolerance<T>);
      detail::weighted_sum<Isa>(
          to.data(), T{2}, std::span<const Index>{}, [](std::size_t) { return T{1}; }, from);
      CHECK(to == std::vector<T>(n));
    }
  }
}

PRISM_FOR_EACH_VARIANT("a product equals its plain loops, from both sides and for every size") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr std::size_t width = detail::pack_width<T, Isa>;
    const auto check = [](std::size_t rows, std::size_t columns, std::size_t k) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(k);
      const std::vector<T> a = draws<T>(rows * k, 1), b = draws<T>(k * columns, 2);
      std::vector<T> transposed(a.size());
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t l = 0; l < k; ++l) transposed[l * rows + r] = a[r * k + l];
      }
      const std::vector<T> start = draws<T>(rows * columns, 3);
      std::vector<T> expected(rows * columns);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t l = 0; l < k; ++l) {
          for (std::size_t c = 0; c < columns; ++c) {
            expected[r * columns + c] += a[r * k + l] * b[l * columns + c];
          }
        }
      }
      std::vector<T> got(start);
      detail::matrix_product<detail::Store::overwrite, Isa>(rows, columns, k,
                                                            detail::LeftFactor<T>{a.data(), k, 1},
                                                            b.data(), columns, got.data(), columns);
      CHECK(difference(got, expected) <= tolerance<T> * static_cast<T>(k));
      std::vector<T> panels(detail::panel_elements<T, Isa>(k, columns)), of_panels(start);
      for (std::size_t i = 0; i < b.size(); ++i) {
        panels[detail::panel_offset<T, Isa>(k, i / columns, i % columns)] = b[i];
      }
      detail::matrix_product<detail::Store::overwrite, Isa>(
          rows, columns, k, detail::LeftFactor<T>{a.data(), k, 1},
          detail::RightFactor<T>::template panels<Isa>(panels.data(), k), of_panels.data(),
          columns);
      CHECK(of_panels == got);
      got = start;
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += start[i];
      detail::matrix_product<detail::Store::add, Isa>(
          rows, columns, k, detail::LeftFactor<T>{transposed.data(), 1, rows}, b.data(), columns,
          got.data(), columns);
      CHECK(difference(got, expected) <= tolerance<T> * static_cast<T>(k));
    };
    for (std::size_t k = 1; k <= last_dimension; ++k) check(7, 2 * width, k);
    for (std::size_t rows = 1; rows <= 13; ++rows) check(rows, 3 * width, 5);
    for (std::size_t packs = 1; packs <= 9; ++packs) check(4, packs * width, 5);
  }
}

PRISM_FOR_EACH_VARIANT("the top k equal a full sort, ties to the lower id") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      std::vector<T> scores = draws<T>(n, n);
      for (T& score : scores) score = std::round(score * 4);  // many ties
      if (n > 3) {
        scores[n / 2] = -std::numeric_limits<T>::infinity();
        scores[n / 3] = std::numeric_limits<T>::quiet_NaN();
      }
      for (const std::size_t k : {std::size_t{1}, std::size_t{20}, n}) {
        std::vector<Index> order;
        for (Index i = 0; i < n; ++i) {
          if (scores[i] > -std::numeric_limits<T>::infinity()) order.push_back(i);
        }
        std::ranges::sort(order, [&](Index x, Index y) {
          return scores[x] != scores[y] ? scores[x] > scores[y] : x < y;
        });
        order.resize(std::min(k, order.size()));
        TopK<T> top(k);
        // In two parts, as ranking pushes them.
        top.template push_all<Isa>(0, scores.data(), n / 2);
        top.template push_all<Isa>(static_cast<Index>(n / 2), scores.data() + n / 2, n - n / 2);
        std::vector<Index> got;
        for (const auto& [item, score] : top.best()) {
          got.push_back(item);
          CHECK(score == scores[item]);
        }
        CHECK(got == order);
      }
    }
  }
}

PRISM_FOR_EACH_VARIANT("pack functions equal the standard library's") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    using P = Pack<T, Isa>;
    std::vector<T> a = draws<T>(P::width, 1), b = draws<T>(P::width, 2), got(P::width);
    const auto check = [&](P result, const auto& plain) {
      result.store(got.data());
      for (std::size_t i = 0; i < P::width; ++i) {
        CHECK(got[i] ==
              doctest::Approx(plain(i)).epsilon(std::is_same_v<T, double> ? 1e-14 : 1e-6));
      }
    };
    const P x = P::load(a.data()), y = P::load(b.data());
    check(exp(x), [&](std::size_t i) { return std::exp(a[i]); });
    check(sqrt(x * x), [&](std::size_t i) { return std::abs(a[i]); });
    check(x / y, [&](std::size_t i) { return a[i] / b[i]; });
    check(fused_multiply_add(x, y, x), [&](std::size_t i) { return a[i] * b[i] + a[i]; });
    T total = 0;
    for (const T value : a) total += value;
    CHECK(sum(x) == doctest::Approx(total).epsilon(1e-5));
    CHECK_FALSE(any_greater(x, x));
    CHECK(any_greater(x + P::broadcast(1), x));
  }
}
