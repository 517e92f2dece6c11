// SPDX-License-Identifier: BSD-3-Clause
// The tile unit of Intel's processors from Sapphire Rapids on (AMX-BF16), which multiplies and adds
// 16 times as many bfloat16 numbers per cycle as AVX-512 does floats.
#pragma once

#include "prism/core/config.hpp"
#include "prism/kernel/bfloat16_tile.hpp"

#if defined(PRISM_AMX) && !defined(__CUDA_ARCH__)

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
// g++ 12 warns about its own _mm512_undefined_ps.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace prism::inline PRISM_ISA::detail {

/// See EmulatedTiles.
struct AmxTiles {
  /// Whether the operating system lets this process use tiles, as Linux does from 5.16 on; queried
  /// once.
  [[nodiscard]] static bool permitted() noexcept {
    static const bool granted = [] {
      constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
      constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
      return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
    }();
    return granted;
  }

  class Session {
   public:
    Session() noexcept {
      Configuration configuration{};
      configuration.palette = 1;
      for (std::size_t t = 0; t < 8; ++t) {
        configuration.bytes_of_line[t] = line_bytes;
        configuration.lines[t] = Bfloat16Tile::lines;
      }
      asm volatile("ldtilecfg %0" : : "m"(configuration));
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { _tile_release(); }

   private:
    struct Configuration {
      std::uint8_t palette;
      std::uint8_t start_line;
      std::uint8_t reserved[14];
      std::uint16_t bytes_of_line[16];
      std::uint8_t lines[16];
    };
    static_assert(sizeof(Configuration) == 64);
  };

  template <class Isa, std::size_t Parts, class Map>
  PRISM_ALWAYS_INLINE static inline void split_line(const float* row, const float* row_16,
                                                    std::size_t l, const SplitSquare<Parts>& to,
                                                    const Map& map) noexcept {
    using P = Pack<float, Isa>;
    const __m512i half = _mm512_set1_epi32(0x8000);
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000U));
    __m512 a = map(P::load(row)).value, b = map(P::load(row + 16)).value;
    __m512 c = map(P::load(row_16)).value, d = map(P::load(row_16 + 16)).value;
#pragma GCC unroll 3
    for (std::size_t part = 0; part < Parts; ++part) {
      const auto rounded = [&](__m512 x) { return _mm512_add_epi32(_mm512_castps_si512(x), half); };
      const __m512i bits_a = rounded(a), bits_b = rounded(b), bits_c = rounded(c),
                    bits_d = rounded(d);
      const auto pairs = [&](__m512i shifted, __m512i bits) {
        constexpr int first_or_second_and_third = 0xf8;
        return _mm512_ternarylogic_epi32(shifted, bits, upper, first_or_second_and_third);
      };
      const auto line_of = [&](SplitTile<Parts>* tile) { return tile->parts[part].numbers[l]; };
      const __m512i low_a = _mm512_srli_epi32(bits_a, 16), low_b = _mm512_srli_epi32(bits_b, 16),
                    low_c = _mm512_srli_epi32(bits_c, 16);
      _mm512_store_si512(line_of(to.left), pairs(low_a, bits_b));
      _mm512_store_si512(line_of(to.left + to.left_stride), pairs(low_c, bits_d));
      _mm512_store_si512(line_of(to.right), pairs(low_a, bits_c));
      _mm512_store_si512(line_of(to.right + to.right_stride), pairs(low_b, bits_d));
      const auto remainder = [&](__m512 x, __m512i bits) {
        return _mm512_sub_ps(x, _mm512_castsi512_ps(_mm512_and_si512(bits, upper)));
      };
      a = remainder(a, bits_a);
      b = remainder(b, bits_b);
      c = remainder(c, bits_c);
      d = remainder(d, bits_d);
    }
  }

  template <Store Mode, std::size_t A, std::size_t B>
  static void product(TiledFactor<A> a, TiledFactor<B> b, std::size_t tiles, float* c,
                      std::size_t c_stride) noexcept {
    constexpr std::size_t parts = std::min(A, B);
    float* const c_16 = c + 16 * c_stride;
    const std::size_t c_bytes = c_stride * sizeof(float);
    if constexpr (Mode == Store::overwrite) {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
    } else {
      load<0>(c, c_bytes);
      load<1>(c + 16, c_bytes);
      load<2>(c_16, c_bytes);
      load<3>(c_16 + 16, c_bytes);
    }
    for (std::size_t t = 0; t < tiles; ++t) {
      const SplitTile<A>*const a_0 = a.tiles + t, *const a_16 = a_0 + a.stride;
      const SplitTile<B>*const b_0 = b.tiles + t, *const b_16 = b_0 + b.stride;
      const auto add = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        constexpr const auto& terms = terms_of_parts<parts>;
        constexpr PartsOfTerm term = terms[I];
        if constexpr (I == 0 || term.left != terms[I == 0 ? 0 : I - 1].left) {
          load<4>(&a_0->parts[term.left], line_bytes);
          load<5>(&a_16->parts[term.left], line_bytes);
        }
        if constexpr (I == 0 || term.right != terms[I == 0 ? 0 : I - 1].right) {
          load<6>(&b_0->parts[term.right], line_bytes);
          load<7>(&b_16->parts[term.right], line_bytes);
        }
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      };
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add(std::integral_constant<std::size_t, I>{}), ...);
      }(std::make_index_sequence<terms_of_parts<parts>.size()>{});
    }
    store<0>(c, c_bytes);
    store<1>(c + 16, c_bytes);
    store<2>(c_16, c_bytes);
    store<3>(c_16 + 16, c_bytes);
  }

 private:
  static constexpr std::size_t line_bytes = sizeof(Bfloat16Tile) / Bfloat16Tile::lines;

  // The intrinsics of g++ 12 do not declare all that they read: earlier stores may move past them.
  template <int Tile>
  PRISM_ALWAYS_INLINE static inline void load(const void* from, std::size_t stride) noexcept {
    asm volatile("{tileloadd (%0,%1,1), %%tmm%c2|tileloadd tmm%c2, [%0+%1*1]}"
                 :
                 : "r"(from), "r"(stride), "i"(Tile)
                 : "memory");
  }
  template <int Tile>
  PRISM_ALWAYS_INLINE static inline void store(void* to, std::size_t stride) noexcept {
    asm volatile("{tilestored %%tmm%c2, (%0,%1,1)|tilestored [%0+%1*1], tmm%c2}"
                 :
                 : "r"(to), "r"(stride), "i"(Tile)
                 : "memory");
  }
};

template <>
struct TileUnit<isa::amx> {
  using type = AmxTiles;
};
template <>
struct TileUnit<isa::native> : TileUnit<isa::amx> {};

}  // namespace prism::inline PRISM_ISA::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
