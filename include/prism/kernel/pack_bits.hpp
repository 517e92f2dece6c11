// SPDX-License-Identifier: BSD-3-Clause
// What elementary functions need of a pack besides arithmetic: selecting numbers, and access to the
// exponents in their bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// IEEE 754's layout of a number.
template <class T>
struct NumberLayout;
template <>
struct NumberLayout<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
  static constexpr Bits sqrt_half = 0x3f35'04f3;  // the bits of sqrt(1/2)
};
template <>
struct NumberLayout<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
  static constexpr Bits sqrt_half = 0x3fe6'a09e'667f'3bcd;
};

/// The number whose exponent bits are the lowest bits of t's mantissa: 2^(n - bias) for
/// t = 1.5 * 2^mantissa_bits + n, 0 < n < 2 bias + 1, and 0 for n = 0.
template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline T mantissa_as_exponent(T t) noexcept {
  using Layout = NumberLayout<T>;
  const auto bits = std::bit_cast<typename Layout::Bits>(t);
  return std::bit_cast<T>(static_cast<typename Layout::Bits>(bits << Layout::mantissa_bits));
}

/// x = mantissa * 2^exponent, the mantissa in [sqrt(1/2), sqrt(2))
template <class P>
struct SplitNumber {
  P mantissa, exponent;
};

/// @param x  positive, finite, not denormal
template <class T>
[[nodiscard]] PRISM_HOST_DEVICE inline SplitNumber<T> split_number(T x) noexcept {
  using Layout = NumberLayout<T>;
  using Bits = typename Layout::Bits;
  constexpr Bits one = Bits{Layout::bias} << Layout::mantissa_bits;
  constexpr Bits mantissa_mask = (Bits{1} << Layout::mantissa_bits) - 1;
  const Bits shifted = std::bit_cast<Bits>(x) + (one - Layout::sqrt_half);
  const Bits mantissa = (shifted & mantissa_mask) + Layout::sqrt_half;
  // Puts the integer into the mantissa of 2^mantissa_bits, since AVX2 cannot convert 64-bit
  // integers.
  const Bits integer = (shifted >> Layout::mantissa_bits) |
                       (Bits{Layout::bias + Layout::mantissa_bits} << Layout::mantissa_bits);
  constexpr T offset = static_cast<T>((Bits{1} << Layout::mantissa_bits) + Layout::bias);
  return {std::bit_cast<T>(mantissa), std::bit_cast<T>(integer) - offset};
}

/// The number type of a pack.
template <class P>
struct PackNumber;
template <class T, class Isa>
struct PackNumber<Pack<T, Isa>> {
  using type = T;
};

}  // namespace detail

template <class P>
inline constexpr bool is_pack = false;
template <class T, class Isa>
inline constexpr bool is_pack<Pack<T, Isa>> = true;

/// Any Pack<T, Isa>.
template <class P>
concept AnyPack = is_pack<P>;

template <AnyPack P>
using pack_number_t = typename detail::PackNumber<P>::type;

/// The operations by which kernel/elementary.hpp computes exponentials and other functions. They
/// work number by number unless specialised by an instruction set that has instructions for them.
template <AnyPack P>
struct PackBits {
  using T = pack_number_t<P>;

  /// a[j] < b[j] ? yes[j] : no[j]
  PRISM_HOST_DEVICE static P where_less(P a, P b, P yes, P no) noexcept {
    if constexpr (has_one_value) {
      return a.value < b.value ? yes : no;
    } else {
      T left[P::width], right[P::width], chosen[P::width], other[P::width];
      a.store(left);
      b.store(right);
      yes.store(chosen);
      no.store(other);
      for (std::size_t j = 0; j < P::width; ++j) {
        chosen[j] = left[j] < right[j] ? chosen[j] : other[j];
      }
      return P::load(chosen);
    }
  }
  /// The numbers whose exponent bits are the lowest bits of t's mantissas: 2^(n - bias) for
  /// t = 1.5 * 2^m + n, with m bits in a mantissa and 0 < n < 2 bias + 1; 0 for n = 0.
  PRISM_HOST_DEVICE static P mantissa_as_exponent(P t) noexcept {
    if constexpr (has_one_value) {
      return {detail::mantissa_as_exponent(t.value)};
    } else {
      T numbers[P::width];
      t.store(numbers);
      for (T& number : numbers) number = detail::mantissa_as_exponent(number);
      return P::load(numbers);
    }
  }
  /// x = mantissa * 2^exponent, the mantissa in [sqrt(1/2), sqrt(2)); x is positive, finite and not
  /// denormal, otherwise the result is meaningless.
  PRISM_HOST_DEVICE static detail::SplitNumber<P> split(P x) noexcept {
    if constexpr (has_one_value) {
      const auto [mantissa, exponent] = detail::split_number(x.value);
      return {{mantissa}, {exponent}};
    } else {
      T mantissas[P::width], exponents[P::width];
      x.store(mantissas);
      for (std::size_t j = 0; j < P::width; ++j) {
        const auto [mantissa, exponent] = detail::split_number(mantissas[j]);
        mantissas[j] = mantissa;
        exponents[j] = exponent;
      }
      return {P::load(mantissas), P::load(exponents)};
    }
  }
  /// x, hidden from the compiler: -ffast-math would simplify (x + y) - y.
  PRISM_HOST_DEVICE static P opaque(P x) noexcept {
#if (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)) && defined(__GNUC__) && \
    !defined(__CUDA_ARCH__)
    asm("" : "+m"(x));
#endif
    return x;
  }

 private:
  // One number in a pack, or in each lane that is a thread.
  static constexpr bool has_one_value = [] {
    if constexpr (requires(P p) { requires std::is_same_v<decltype(p.value), T>; }) {
      return true;
    } else {
      return false;
    }
  }();
};

}  // namespace prism::inline PRISM_ISA
