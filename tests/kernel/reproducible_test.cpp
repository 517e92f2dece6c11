// SPDX-License-Identifier: BSD-3-Clause
// isa::reproducible is bit-identical to its definition in plain C++, whatever registers there are.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <prism/kernel/adam.hpp>
#include <prism/kernel/matrix_product.hpp>
#include <prism/kernel/pack_reproducible.hpp>
#include <prism/kernel/row.hpp>
#include <prism/kernel/softmax.hpp>
#include <prism/kernel/surrogate.hpp>
#include <prism/kernel/weighted_sum.hpp>
#include <span>
#include <vector>

#include "variants.hpp"

namespace test {

struct Definition {};

}  // namespace test

/// 16 floats or 8 doubles, one after another.
template <class T>
struct prism::Pack<T, test::Definition> {
  static constexpr std::size_t width = 64 / sizeof(T);

  std::array<T, width> number;

  static Pack load(const T* from) noexcept {
    return each([=](std::size_t j) { return from[j]; });
  }
  static Pack broadcast(T one) noexcept {
    return each([=](std::size_t) { return one; });
  }
  void store(T* to) const noexcept {
    for (std::size_t j = 0; j < width; ++j) to[j] = number[j];
  }
  friend Pack operator+(const Pack& a, const Pack& b) noexcept {
    return each([&](std::size_t j) { return a.number[j] + b.number[j]; });
  }
  friend Pack operator-(const Pack& a, const Pack& b) noexcept {
    return each([&](std::size_t j) { return a.number[j] - b.number[j]; });
  }
  friend Pack operator*(const Pack& a, const Pack& b) noexcept {
    return each([&](std::size_t j) {
      volatile T product = a.number[j] * b.number[j];  // not to be contracted
      return T{product};
    });
  }
  friend Pack operator/(const Pack& a, const Pack& b) noexcept {
    return each([&](std::size_t j) { return a.number[j] / b.number[j]; });
  }
  friend Pack fused_multiply_add(const Pack& a, const Pack& b, const Pack& c) noexcept {
    return each([&](std::size_t j) { return std::fma(a.number[j], b.number[j], c.number[j]); });
  }
  friend Pack sqrt(const Pack& a) noexcept {
    return each([&](std::size_t j) { return std::sqrt(a.number[j]); });
  }
  friend Pack approximate_reciprocal(const Pack& a) noexcept { return broadcast(1) / a; }
  friend Pack approximate_sqrt(const Pack& a) noexcept { return sqrt(a); }
  friend Pack clamp(const Pack& a, const Pack& lowest, const Pack& highest) noexcept {
    return each([&](std::size_t j) {
      const T raised = a.number[j] < lowest.number[j] ? lowest.number[j] : a.number[j];
      return raised > highest.number[j] ? highest.number[j] : raised;
    });
  }
  friend Pack max(const Pack& a, const Pack& b) noexcept {
    return each([&](std::size_t j) { return std::max(a.number[j], b.number[j]); });
  }
  friend T sum(Pack a) noexcept {
    for (std::size_t apart = width / 2; apart > 0; apart /= 2) {
      for (std::size_t j = 0; j < apart; ++j) a.number[j] += a.number[j + apart];
    }
    return a.number[0];
  }

 private:
  template <class Number>
  static Pack each(const Number& number_of) noexcept {
    Pack result;
    for (std::size_t j = 0; j < width; ++j) result.number[j] = number_of(j);
    return result;
  }
};

using namespace prism;
using namespace test;

namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = typename prism::detail::NumberLayout<T>::Bits;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<Bits>(a[i]) != std::bit_cast<Bits>(b[i])) return false;
  }
  return a.size() == b.size();
}

/// The results of the kernels on n numbers.
template <class Isa, class T>
std::vector<T> kernels(std::size_t n) {
  std::vector<T> x = draws<T>(n, 1), y = draws<T>(n, 2), results;
  const auto add = [&](const std::vector<T>& more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  results.push_back(dot<Isa>(x.data(), y.data(), n));
  std::vector<T> unit(n), gradient(y);
  results.push_back(normalise<Isa>(unit.data(), x.data(), n));
  add_normalise_gradient<Isa>(gradient.data(), y.data(), unit.data(), results.back(), n);
  add(unit);
  add(gradient);

  std::vector<T> terms(x), slope(n);
  const T maximum = largest_element<Isa>(terms.data(), n);
  results.push_back(maximum);
  results.push_back(softmax_terms<Isa>(terms.data(), T(1.7), maximum, n));
  add(terms);
  for (const Surrogate surrogate : {Surrogate::tanh, Surrogate::atan, Surrogate::relu}) {
    std::vector<T> cosine(x);
    for (T& c : cosine) c = std::clamp<T>(c, -1, 1);
    log_surrogate<Isa>(surrogate, cosine.data(), slope.data(), T(0.5), n);
    add(cosine);
    add(slope);
  }

  const std::vector<T> table = draws<T>(5 * n, 3), weight = draws<T>(5, 4);
  std::vector<T> to(n);
  detail::weighted_sum<Isa>(
      to.data(), T(0.3), 5, [](std::size_t j) { return j; },
      [&](std::size_t j) { return weight[j]; }, Rows<const T>(table.data(), 5, n));
  add(to);

  std::vector<T> first(n, T(0.1)), second(n, T(0.01));
  const detail::AdamConstants<T> constant(0.9, 0.999, 1e-8);
  detail::adam_row<Isa>(x.data(), first.data(), second.data(), y.data(), T(1e-3), constant,
                        detail::AdamStep<T>(0.01, 0.9, 0.999, 3), n);
  const std::vector<detail::AdamStep<T>> steps(3, detail::AdamStep<T>(0.01, 0.9, 0.999, 4));
  detail::adam_replay<Isa>(x.data(), first.data(), second.data(), T(1e-3), constant,
                           std::span<const detail::AdamStep<T>>(steps), n);
  add(x);
  add(first);
  add(second);

  const std::size_t columns = 2 * Pack<T, Isa>::width;
  const std::vector<T> right = draws<T>(n * columns, 5), left = draws<T>(11 * n, 6);
  std::vector<T> product(11 * columns);
  detail::matrix_product<detail::Store::overwrite, Isa>(
      11, columns, n, detail::LeftFactor<T>{left.data(), n, 1}, right.data(), columns,
      product.data(), columns);
  add(product);
  return results;
}

}  // namespace

TEST_CASE_TEMPLATE("isa::reproducible has the bits of its definition", T, float, double) {
  if constexpr (isa_supported<isa::reproducible>) {
    for (std::size_t n = 1; n <= last_dimension; ++n) {
      CAPTURE(n);
      CHECK(same_bits(kernels<isa::reproducible, T>(n), kernels<Definition, T>(n)));
    }
  }
}
