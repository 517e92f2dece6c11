// SPDX-License-Identifier: BSD-3-Clause
// Version, and the inline namespace that keeps code for different instruction sets apart.
#pragma once

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
