// SPDX-License-Identifier: BSD-3-Clause
// A warp as an instruction set: a pack has a number in each of the 32 lanes. Needs a CUDA compiler.
// These functions are also compiled for the host, like the kernels that call them, but never run
// there.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool isa_supported<isa::warp> = true;

template <>
struct Lanes<isa::warp> {
  static constexpr bool are_threads = true;
  static constexpr unsigned all = 0xFFFF'FFFF;
  static constexpr std::size_t count = 32;

  [[nodiscard]] PRISM_HOST_DEVICE static unsigned lane() noexcept {
#if defined(__CUDA_ARCH__)
    return threadIdx.x % count;
#else
    return 0;
#endif
  }
  [[nodiscard]] PRISM_HOST_DEVICE static std::size_t first() noexcept { return lane(); }
  [[nodiscard]] PRISM_HOST_DEVICE static constexpr std::size_t step() noexcept { return count; }

  /// combine(a, b) over all lanes, bit-identical in each, since combine must be commutative.
  template <class T, class Combine>
  [[nodiscard]] PRISM_HOST_DEVICE static T over_lanes(
      T value, [[maybe_unused]] const Combine& combine) noexcept {
#if defined(__CUDA_ARCH__)
    for (unsigned distance = count / 2; distance > 0; distance /= 2) {
      value = combine(value, __shfl_xor_sync(all, value, distance));
    }
#endif
    return value;
  }
  template <class T>
  [[nodiscard]] PRISM_HOST_DEVICE static T sum(T value) noexcept {
    return over_lanes(value, [](T a, T b) { return a + b; });
  }
  template <class T>
  [[nodiscard]] PRISM_HOST_DEVICE static T sum_before(T value) noexcept {
    T through = value;
#if defined(__CUDA_ARCH__)
    for (unsigned distance = 1; distance < count; distance *= 2) {
      const T before = __shfl_up_sync(all, through, distance);
      if (lane() >= distance) through += before;
    }
#endif
    return through - value;
  }
  template <class Body>
  PRISM_HOST_DEVICE static void once(const Body& body) noexcept {
    synchronise();
    if (lane() == 0) body();
    synchronise();
  }
  PRISM_HOST_DEVICE static void synchronise() noexcept {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
  }
};

template <class T>
struct Pack<T, isa::warp> {
  static constexpr std::size_t width = 32;

  T value;  // this lane's

  PRISM_HOST_DEVICE static Pack load(const T* from) noexcept {
    return {from[Lanes<isa::warp>::lane()]};
  }
  PRISM_HOST_DEVICE static Pack broadcast(T number) noexcept { return {number}; }
  PRISM_HOST_DEVICE void store(T* to) const noexcept { to[Lanes<isa::warp>::lane()] = value; }

  PRISM_HOST_DEVICE friend Pack operator+(Pack a, Pack b) noexcept { return {a.value + b.value}; }
  PRISM_HOST_DEVICE friend Pack operator-(Pack a, Pack b) noexcept { return {a.value - b.value}; }
  PRISM_HOST_DEVICE friend Pack operator*(Pack a, Pack b) noexcept { return {a.value * b.value}; }
  PRISM_HOST_DEVICE friend Pack operator/(Pack a, Pack b) noexcept { return {a.value / b.value}; }
  PRISM_HOST_DEVICE friend Pack fused_multiply_add(Pack a, Pack b, Pack c) noexcept {
    return {std::fma(a.value, b.value, c.value)};
  }
  PRISM_HOST_DEVICE friend Pack sqrt(Pack a) noexcept { return {std::sqrt(a.value)}; }
  PRISM_HOST_DEVICE friend Pack approximate_reciprocal(Pack a) noexcept { return {T{1} / a.value}; }
  PRISM_HOST_DEVICE friend Pack approximate_sqrt(Pack a) noexcept { return sqrt(a); }
  PRISM_HOST_DEVICE friend Pack clamp(Pack a, Pack lowest, Pack highest) noexcept {
    const T raised = a.value < lowest.value ? lowest.value : a.value;
    return {raised > highest.value ? highest.value : raised};
  }
  PRISM_HOST_DEVICE friend Pack max(Pack a, Pack b) noexcept {
    return {a.value > b.value ? a.value : b.value};
  }
  PRISM_HOST_DEVICE friend std::uint64_t not_less_equal_mask(Pack a, Pack b) noexcept {
#if defined(__CUDA_ARCH__)
    return __ballot_sync(Lanes<isa::warp>::all, !(a.value <= b.value));
#else
    return !(a.value <= b.value);
#endif
  }
  PRISM_HOST_DEVICE friend bool any_greater(Pack a, Pack b) noexcept {
#if defined(__CUDA_ARCH__)
    return __any_sync(Lanes<isa::warp>::all, a.value > b.value) != 0;
#else
    return a.value > b.value;
#endif
  }
  PRISM_HOST_DEVICE friend T sum(Pack a) noexcept { return Lanes<isa::warp>::sum(a.value); }
};

template <class T>
struct PackTraits<Pack<T, isa::warp>> {
  using P = Pack<T, isa::warp>;

  PRISM_HOST_DEVICE static P load_first(const T* from, std::size_t n, T fill) noexcept {
    const std::size_t lane = Lanes<isa::warp>::lane();
    return {lane < n ? from[lane] : fill};
  }
  PRISM_HOST_DEVICE static void store_first(P pack, T* to, std::size_t n) noexcept {
    const std::size_t lane = Lanes<isa::warp>::lane();
    if (lane < n) to[lane] = pack.value;
  }
  template <class Number = T>
  PRISM_HOST_DEVICE static T largest(P pack) noexcept {
    T found = Lanes<isa::warp>::over_lanes(pack.value, [](T a, T b) { return a > b ? a : b; });
#if defined(__CUDA_ARCH__)
    // With NaN, which the comparison does not order, lanes may have found different numbers, and
    // must not take different branches.
    found = __shfl_sync(Lanes<isa::warp>::all, found, 0);
#endif
    return found;
  }
};

}  // namespace prism::inline PRISM_ISA
