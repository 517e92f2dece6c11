// SPDX-License-Identifier: BSD-3-Clause
// A pack: the numbers in one SIMD register. Kernels are written in terms of Pack, with the
// instruction set as a template parameter. The scalar one is here; pack_xsimd.hpp has the others.
//
// A user-defined instruction set is an empty type with specialisations of Pack for float and double
// that have the members of Pack<T, isa::scalar>; `fit(host<my_isa>, ...)` then trains with it. It
// may also specialise PackTraits below and PackBits of pack_bits.hpp, if it has instructions for
// what they otherwise compute number by number.
#pragma once

#include <algorithm>
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

namespace detail {

/// Whether a pack is a single number. A CUDA compiler reads host code again as device code, where
/// the host's registers are unknown and the code never runs.
template <class Isa>
inline constexpr bool has_single_numbers = false;
template <>
inline constexpr bool has_single_numbers<isa::scalar> = true;
#if defined(__CUDA_ARCH__)
template <>
inline constexpr bool has_single_numbers<isa::native> = true;
template <>
inline constexpr bool has_single_numbers<isa::sse2> = true;
template <>
inline constexpr bool has_single_numbers<isa::avx2> = true;
template <>
inline constexpr bool has_single_numbers<isa::avx_vnni> = true;
template <>
inline constexpr bool has_single_numbers<isa::avx512> = true;
template <>
inline constexpr bool has_single_numbers<isa::avx512_vnni> = true;
template <>
inline constexpr bool has_single_numbers<isa::amx> = true;
template <>
inline constexpr bool has_single_numbers<isa::neon> = true;
template <>
inline constexpr bool has_single_numbers<isa::neon_dotprod> = true;
template <>
inline constexpr bool has_single_numbers<isa::reproducible> = true;
#endif

/// a * b + c, rounded once where one instruction does it, as with packs. Elsewhere std::fma would
/// be a function call.
template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T multiply_add(T a, T b, T c) noexcept {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace detail

template <class T, class Isa>
  requires detail::has_single_numbers<Isa>
struct Pack<T, Isa> {
  static constexpr std::size_t width = 1;

  T value;

  PRISM_HOST_DEVICE static Pack load(const T* from) noexcept { return {*from}; }
  PRISM_HOST_DEVICE static Pack broadcast(T number) noexcept { return {number}; }
  PRISM_HOST_DEVICE void store(T* to) const noexcept { *to = value; }

  PRISM_HOST_DEVICE friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  PRISM_HOST_DEVICE friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  PRISM_HOST_DEVICE friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  PRISM_HOST_DEVICE friend Pack operator/(Pack a, Pack b) noexcept { return {a.value / b.value}; }
  PRISM_HOST_DEVICE friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    return {detail::multiply_add(a.value, b.value, c.value)};
  }
  PRISM_HOST_DEVICE friend Pack sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  PRISM_HOST_DEVICE friend Pack approximate_reciprocal(Pack a) noexcept { return {T{1} / a.value}; }
  PRISM_HOST_DEVICE friend Pack approximate_sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  PRISM_HOST_DEVICE friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const T raised = a.value < lowest.value ? lowest.value : a.value;
    return {raised > highest.value ? highest.value : raised};
  }
  PRISM_HOST_DEVICE friend Pack max(Pack a, Pack b) noexcept {
    return {a.value > b.value ? a.value : b.value};
  }
  PRISM_HOST_DEVICE friend bool any_greater(Pack a, Pack b) noexcept { return a.value > b.value; }
  PRISM_HOST_DEVICE friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
    return !(a.value <= b.value);
  }
  PRISM_HOST_DEVICE friend T sum(Pack a) noexcept { return a.value; }
};

/// How the lanes of a register share the numbers left over from whole packs: on the host one after
/// another, on a device one for each lane. Specialised for an instruction set whose lanes are
/// threads.
template <class Isa>
struct Lanes {
  static constexpr bool are_threads = false;
  /// A lane handles the single numbers first(), first() + step(), ...
  PRISM_HOST_DEVICE static constexpr std::size_t first() noexcept { return 0; }
  PRISM_HOST_DEVICE static constexpr std::size_t step() noexcept { return 1; }
  /// The sum over the lanes.
  template <class T>
  PRISM_HOST_DEVICE static constexpr T sum(T value) noexcept {
    return value;
  }
  /// The sum over the lanes before this one, of integers.
  template <class T>
  PRISM_HOST_DEVICE static constexpr T sum_before(T /*value*/) noexcept {
    return 0;
  }
  /// Calls body() on one of the lanes, after all of them have arrived; they continue after it.
  template <class Body>
  PRISM_HOST_DEVICE static void once(const Body& body) noexcept {
    body();
  }
  /// Makes what each lane has stored visible to all of them.
  PRISM_HOST_DEVICE static void synchronise() noexcept {}
};

/// Operations of a pack that an instruction set may specialise, but need not.
template <class P>
struct PackTraits {
  /// A pack of n <= width numbers, filled up with `fill`.
  template <class T>
  PRISM_HOST_DEVICE static P load_first(const T* from, std::size_t n, T fill) noexcept {
    T numbers[P::width];
    std::fill_n(numbers, P::width, fill);
    std::copy_n(from, n, numbers);
    return P::load(numbers);
  }
  template <class T>
  PRISM_HOST_DEVICE static void store_first(P pack, T* to, std::size_t n) noexcept {
    T numbers[P::width];
    pack.store(numbers);
    std::copy_n(numbers, n, to);
  }
  /// The largest of a pack's numbers.
  template <class T>
  PRISM_HOST_DEVICE static T largest(P pack) noexcept {
    T numbers[P::width];
    pack.store(numbers);
    return *std::max_element(numbers, numbers + P::width);
  }
};

/// Calls body(tag, i) for i = 0, width, ...: first for whole packs of Isa, then for single numbers;
/// `tag` holds the Pack type to use at i.
template <class Isa, class T, class Body>
PRISM_HOST_DEVICE inline void for_each_pack(std::size_t n, const Body& body) {
  using Wide = Pack<T, Isa>;
  const std::size_t pack_end = n - n % Wide::width;
  for (std::size_t i = 0; i < pack_end; i += Wide::width) body(std::type_identity<Wide>{}, i);
  for (std::size_t i = pack_end + Lanes<Isa>::first(); i < n; i += Lanes<Isa>::step()) {
    body(std::type_identity<Pack<T, isa::scalar>>{}, i);
  }
  Lanes<Isa>::synchronise();
}

}  // namespace prism::inline PRISM_ISA
