// SPDX-License-Identifier: BSD-3-Clause
// A user-defined instruction set: two numbers at a time in plain C++. Counts its calls.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <prism/prism.hpp>

namespace test {

struct TwoWide {
  inline static std::atomic<std::size_t> multiply_adds{0};
};

}  // namespace test

template <class T>
struct prism::Pack<T, test::TwoWide> {
  static constexpr std::size_t width = 2;

  T low, high;

  static Pack load(const T* from) noexcept { return {from[0], from[1]}; }
  static Pack broadcast(T number) noexcept { return {number, number}; }
  void store(T* to) const noexcept {
    to[0] = low;
    to[1] = high;
  }

  friend Pack operator+(Pack a, Pack b) noexcept { return {a.low + b.low, a.high + b.high}; }
  friend Pack operator-(Pack a, Pack b) noexcept { return {a.low - b.low, a.high - b.high}; }
  friend Pack operator*(Pack a, Pack b) noexcept { return {a.low * b.low, a.high * b.high}; }
  friend Pack operator/(Pack a, Pack b) noexcept { return {a.low / b.low, a.high / b.high}; }
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    test::TwoWide::multiply_adds.fetch_add(1, std::memory_order_relaxed);
    return {a.low * b.low + c.low, a.high * b.high + c.high};
  }
  friend Pack sqrt(Pack a) noexcept { return {std::sqrt(a.low), std::sqrt(a.high)}; }
  friend Pack approximate_reciprocal(Pack a) noexcept { return broadcast(T{1}) / a; }
  friend Pack approximate_sqrt(Pack a) noexcept { return sqrt(a); }
  friend Pack exp(Pack a) noexcept { return {std::exp(a.low), std::exp(a.high)}; }
  friend Pack log(Pack a) noexcept { return {std::log(a.low), std::log(a.high)}; }
  friend Pack atan(Pack a) noexcept { return {std::atan(a.low), std::atan(a.high)}; }
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const auto one = [](T x, T least, T most) { return x < least ? least : x > most ? most : x; };
    return {one(a.low, lowest.low, highest.low), one(a.high, lowest.high, highest.high)};
  }
  friend Pack max(Pack a, Pack b) noexcept {
    return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
  friend bool any_greater(Pack a, Pack b) noexcept { return a.low > b.low || a.high > b.high; }
  friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
    return std::uint64_t{!(a.low <= b.low)} | std::uint64_t{!(a.high <= b.high)} << 1;
  }
  friend T sum(Pack a) noexcept { return a.low + a.high; }
};
