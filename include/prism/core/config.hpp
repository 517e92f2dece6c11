// SPDX-License-Identifier: BSD-3-Clause
// Version, and the inline namespace that keeps code for different instruction sets apart.
#pragma once

#define PRISM_VERSION_MAJOR 0
#define PRISM_VERSION_MINOR 1
#define PRISM_VERSION_PATCH 0
#define PRISM_VERSION "0.1.0"

// Two objects built with different -m flags would silently share one copy of each template, and a
// machine without AVX-512 could run the AVX-512 copy. The instruction set is therefore part of
// every mangled name: `namespace prism::inline PRISM_ISA`. Users still write `prism::`; the
// library's code for two of the sets below links side by side, and handing an object across is a
// link error. What other headers (xtensor, the standard library) instantiate on plain types stays
// shared.
// Kernels kept scalar (PRISM_SCALAR_KERNELS, see core/execution.hpp) are one more set beside each.
#if defined(PRISM_SCALAR_KERNELS)
#define PRISM_ISA_NAMED(name) name##_scalar_kernels
#else
#define PRISM_ISA_NAMED(name) name
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#if defined(__AVX512VNNI__)
#define PRISM_ISA PRISM_ISA_NAMED(avx512_vnni)
#else
#define PRISM_ISA PRISM_ISA_NAMED(avx512)
#endif
#elif defined(__AVX512F__)
#define PRISM_ISA PRISM_ISA_NAMED(avx512f)
#elif defined(__AVX2__) && defined(__FMA__)
#define PRISM_ISA PRISM_ISA_NAMED(avx2_fma)
#elif defined(__AVX2__)
#define PRISM_ISA PRISM_ISA_NAMED(avx2)
#elif defined(__AVX__)
#define PRISM_ISA PRISM_ISA_NAMED(avx)
#elif defined(__SSE4_2__)
#define PRISM_ISA PRISM_ISA_NAMED(sse4_2)
#elif defined(__SSE2__)
#define PRISM_ISA PRISM_ISA_NAMED(sse2)
#elif defined(__ARM_NEON)
#define PRISM_ISA PRISM_ISA_NAMED(neon)
#else
#define PRISM_ISA PRISM_ISA_NAMED(generic)
#endif
