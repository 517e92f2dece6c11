// SPDX-License-Identifier: BSD-3-Clause
// Every instruction set with every number type, and tolerances of comparisons.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <prism/core/random.hpp>
#include <prism/kernel/normal.hpp>
#include <prism/kernel/pack_reproducible.hpp>
#include <prism/kernel/pack_xsimd.hpp>
#include <type_traits>
#include <vector>

#include "support/nan_max.hpp"

namespace test {

template <class Isa, class T>
struct Variant {
  using isa = Isa;
  using scalar = T;
};

template <class T>
inline constexpr T tolerance = std::is_same_v<T, double> ? T(1e-13) : T(2e-5);

template <class T>
[[nodiscard]] std::vector<T> draws(std::size_t n, std::uint64_t seed) {
  const prism::Random random(seed, prism::Stream::synthetic);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(prism::standard_normal(random, i));
  return values;
}

template <class T>
[[nodiscard]] T difference(const std::vector<T>& a, const std::vector<T>& b) {
  T largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = nan_max(largest, std::abs(a[i] - b[i]));
  return largest;
}

inline constexpr std::size_t last_dimension = 257;

}  // namespace test

/// A test case for each variant; empty for those that the compiler's flags do not allow.
#define PRISM_FOR_EACH_VARIANT(NAME)                                                             \
  TEST_CASE_TEMPLATE(                                                                            \
      NAME, V, test::Variant<prism::isa::scalar, float>,                                         \
      test::Variant<prism::isa::scalar, double>, test::Variant<prism::isa::sse2, float>,         \
      test::Variant<prism::isa::sse2, double>, test::Variant<prism::isa::avx2, float>,           \
      test::Variant<prism::isa::avx2, double>, test::Variant<prism::isa::avx512, float>,         \
      test::Variant<prism::isa::avx512, double>, test::Variant<prism::isa::neon, float>,         \
      test::Variant<prism::isa::neon, double>, test::Variant<prism::isa::native, float>,         \
      test::Variant<prism::isa::native, double>, test::Variant<prism::isa::reproducible, float>, \
      test::Variant<prism::isa::reproducible, double>)
