// SPDX-License-Identifier: BSD-3-Clause
// A pack: the numbers in one SIMD register. Kernels are written in terms of Pack, with the
// instruction set as a template parameter. Here is the scalar one; pack_xsimd.hpp has the others.
//
// A user-defined instruction set is an empty type with specialisations of Pack for float and double
// that have the members of Pack<T, isa::scalar>; `fit(host<my_isa>, ...)` then trains with it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"

namespace prism::inline PRISM_ISA {

/// `width` numbers of type T in one register of instruction set Isa.
template <class T, class Isa = isa::native>
struct Pack;

/// Whether this translation unit's compiler flags allow the instruction set.
template <class Isa>
inline constexpr bool isa_supported = false;
template <>
inline constexpr bool isa_supported<isa::scalar> = true;

/// Whether the instruction set multiplies bytes and sums the products in one instruction.
template <class Isa>
inline constexpr bool has_byte_dot_product = false;

/// `width` sums of products of bytes in one register; an instruction adds four products to each.
template <class Isa = isa::native>
struct ByteAccumulator;

template <class T>
struct Pack<T, isa::scalar> {
  static constexpr std::size_t width = 1;

  T value;

  static Pack load(const T* from) noexcept { return {*from}; }
  static Pack broadcast(T number) noexcept { return {number}; }
  void store(T* to) const noexcept { *to = value; }

  friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  friend Pack operator/(Pack a, Pack b) noexcept { return {a.value / b.value}; }
  friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    return {a.value * b.value + c.value};
  }
  friend Pack sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  friend Pack approximate_reciprocal(Pack a) noexcept { return {T{1} / a.value}; }
  friend Pack approximate_sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  friend Pack exp(Pack a) noexcept { return {std::exp(a.value)}; }
  friend Pack log(Pack a) noexcept { return {std::log(a.value)}; }
  friend Pack atan(Pack a) noexcept { return {std::atan(a.value)}; }
  friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const T raised = a.value < lowest.value ? lowest.value : a.value;
    return {raised > highest.value ? highest.value : raised};
  }
  friend Pack max(Pack a, Pack b) noexcept { return {a.value > b.value ? a.value : b.value}; }
  friend bool any_greater(Pack a, Pack b) noexcept { return a.value > b.value; }
  friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
    return !(a.value <= b.value);
  }
  friend T sum(Pack a) noexcept { return a.value; }
};

template <>
struct ByteAccumulator<isa::scalar> {
  static constexpr std::size_t width = 1;

  template <class Byte>
  struct ByteQuads {
    Byte value[4];
  };

  std::int32_t value;

  static ByteAccumulator load(const std::int32_t* from) noexcept { return {*from}; }
  static ByteQuads<std::uint8_t> broadcast(const std::uint8_t* from) noexcept {
    return {{from[0], from[1], from[2], from[3]}};
  }
  static ByteQuads<std::int8_t> load(const std::int8_t* from) noexcept {
    return {{from[0], from[1], from[2], from[3]}};
  }

  friend ByteAccumulator dot_accumulate(ByteQuads<std::uint8_t> a, ByteQuads<std::int8_t> b,
                                        ByteAccumulator sums) noexcept {
    for (int j = 0; j < 4; ++j) sums.value += a.value[j] * b.value[j];
    return sums;
  }
  friend std::uint64_t greater_mask(ByteAccumulator sums, std::int32_t bound) noexcept {
    return sums.value > bound;
  }
};

/// Calls body(tag, i) for i = 0, width, ...: first for whole packs of Isa, then for single numbers;
/// `tag` holds the Pack type to use at i.
template <class Isa, class T, class Body>
inline void for_each_pack(std::size_t n, const Body& body) {
  using Wide = Pack<T, Isa>;
  const std::size_t pack_end = n - n % Wide::width;
  for (std::size_t i = 0; i < pack_end; i += Wide::width) body(std::type_identity<Wide>{}, i);
  for (std::size_t i = pack_end; i < n; ++i) body(std::type_identity<Pack<T, isa::scalar>>{}, i);
}

}  // namespace prism::inline PRISM_ISA
