// SPDX-License-Identifier: BSD-3-Clause
// A warp's 32 lanes on the host: the numbers of a pack are summed in the order in which a GPU sums
// them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool isa_supported<isa::emulated_warp> = true;

template <class T>
struct Pack<T, isa::emulated_warp> {
  static constexpr std::size_t width = 32;

  T value[width];

  static Pack load(const T* from) noexcept {
    return made([=](std::size_t j) { return from[j]; });
  }
  static Pack broadcast(T number) noexcept {
    return made([=](std::size_t) { return number; });
  }
  void store(T* to) const noexcept {
    for (std::size_t j = 0; j < width; ++j) to[j] = value[j];
  }

  friend Pack operator+(const Pack& a, const Pack& b) noexcept {
    return made([&](std::size_t j) { return a.value[j] + b.value[j]; });
  }
  friend Pack operator-(const Pack& a, const Pack& b) noexcept {
    return made([&](std::size_t j) { return a.value[j] - b.value[j]; });
  }
  friend Pack operator*(const Pack& a, const Pack& b) noexcept {
    return made([&](std::size_t j) { return a.value[j] * b.value[j]; });
  }
  friend Pack operator/(const Pack& a, const Pack& b) noexcept {
    return made([&](std::size_t j) { return a.value[j] / b.value[j]; });
  }
  friend Pack fused_multiply_add(const Pack& a, const Pack& b, const Pack& c) noexcept {
    return made(
        [&](std::size_t j) { return detail::multiply_add(a.value[j], b.value[j], c.value[j]); });
  }
  friend Pack sqrt(const Pack& a) noexcept {
    return made([&](std::size_t j) { return std::sqrt(a.value[j]); });
  }
  friend Pack approximate_reciprocal(const Pack& a) noexcept { return broadcast(1) / a; }
  friend Pack approximate_sqrt(const Pack& a) noexcept { return sqrt(a); }
  friend Pack clamp(const Pack& a, const Pack& lowest, const Pack& highest) noexcept {
    return made([&](std::size_t j) {
      const T raised = a.value[j] < lowest.value[j] ? lowest.value[j] : a.value[j];
      return raised > highest.value[j] ? highest.value[j] : raised;
    });
  }
  friend Pack max(const Pack& a, const Pack& b) noexcept {
    return made([&](std::size_t j) { return a.value[j] > b.value[j] ? a.value[j] : b.value[j]; });
  }
  friend bool any_greater(const Pack& a, const Pack& b) noexcept {
    bool any = false;
    for (std::size_t j = 0; j < width; ++j) any = any || a.value[j] > b.value[j];
    return any;
  }
  friend std::uint64_t not_less_equal_mask(const Pack& a, const Pack& b) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < width; ++j) {
      bits |= std::uint64_t{!(a.value[j] <= b.value[j])} << j;
    }
    return bits;
  }
  /// In the order in which a GPU's lanes exchange numbers: those 16 apart, then 8, 4, 2 and 1.
  friend T sum(Pack a) noexcept {
    for (std::size_t distance = width / 2; distance > 0; distance /= 2) {
      for (std::size_t j = 0; j < distance; ++j) a.value[j] += a.value[j + distance];
    }
    return a.value[0];
  }

 private:
  template <class Number>
  static Pack made(const Number& number) noexcept {
    Pack result;
    for (std::size_t j = 0; j < width; ++j) result.value[j] = number(j);
    return result;
  }
};

}  // namespace prism::inline PRISM_ISA
