// SPDX-License-Identifier: BSD-3-Clause
// What cannot compile says why; version, and the inline namespace that keeps code for different
// instruction sets apart.
#pragma once

#if __cplusplus < 202002L
#error "prism needs C++20: compile with -std=c++20, by g++ 12, clang 16 or a newer one"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#error "prism needs clang 16 or newer (or g++ 12): older ones fail in the standard library"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "prism needs g++ 12 or newer (or clang 16)"
#endif

// libstdc++ takes back macros min and max with the first of its headers, but not later ones.
#include <cstddef>

#ifdef None
#error "a macro None, as X11 has it, hides prism::None: include prism first, or #undef None"
#endif
#if defined(min) || defined(max)
#error "macros min and max hide std::min and std::max: #undef them, or define NOMINMAX for Windows"
#endif

#define PRISM_VERSION_MAJOR 0
#define PRISM_VERSION_MINOR 1
#define PRISM_VERSION_PATCH 0
#define PRISM_VERSION "0.1.0"

// Two objects built with different -m flags would silently share one copy of each template, and a
// machine without AVX-512 could run the AVX-512 copy. The instruction set is therefore part of
// the mangled name of all that has code: `namespace prism::inline PRISM_ISA`. Users still write
// `prism::`; the library's code for two of the sets below links side by side, and handing an object
// across is a link error, which names the two sets. What has no code (error.hpp's types, and
// choices of a few names) stands in `namespace prism` itself, and is one in every unit. What other
// headers (xtensor, the standard library) instantiate on plain types stays shared.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#if defined(__AVX512VNNI__)
#define PRISM_ISA compiled_for_avx512_vnni
#else
#define PRISM_ISA compiled_for_avx512
#endif
#elif defined(__AVX512F__)
#define PRISM_ISA compiled_for_avx512f
#elif defined(__AVX2__) && defined(__FMA__)
#define PRISM_ISA compiled_for_avx2_fma
#elif defined(__AVX2__)
#define PRISM_ISA compiled_for_avx2
#elif defined(__AVX__)
#define PRISM_ISA compiled_for_avx
#elif defined(__SSE4_2__)
#define PRISM_ISA compiled_for_sse4_2
#elif defined(__SSE2__)
#define PRISM_ISA compiled_for_sse2
#elif defined(__ARM_NEON)
#define PRISM_ISA compiled_for_neon
#else
#define PRISM_ISA compiled_for_generic
#endif

// An error is one type on both sides of a shared library's border, also where all else is hidden.
#if defined(__GNUC__)
#define PRISM_ONE_TYPE __attribute__((visibility("default")))
#define PRISM_ALWAYS_INLINE [[gnu::always_inline]]
#else
#define PRISM_ONE_TYPE
#define PRISM_ALWAYS_INLINE
#endif
