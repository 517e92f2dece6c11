// SPDX-License-Identifier: BSD-3-Clause
// Version, required compilers, and the inline namespace that separates code compiled for different
// instruction sets.
#pragma once

#if __cplusplus < 202002L
#error "prism needs C++20: compile with -std=c++20, using g++ 12, clang 16 or newer"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#error "prism needs clang 16 or newer (or g++ 12): older clang fails in the standard library"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "prism needs g++ 12 or newer (or clang 16)"
#endif

// libstdc++ undefines the macros min and max, but only in the first of its headers to be included,
// so one has to precede the check below.
#include <cstddef>

#ifdef None
#error "a macro None, as X11 defines it, hides prism::None: #undef None after X11's headers"
#endif
#if defined(min) || defined(max)
#error "macros min and max hide std::min and std::max: #undef them, or define NOMINMAX for Windows"
#endif

#define PRISM_VERSION_MAJOR 0
#define PRISM_VERSION_MINOR 1
#define PRISM_VERSION_PATCH 0
#define PRISM_VERSION "0.1.0"

// Two objects compiled with different -m flags would silently share one copy of each template, and
// a machine without AVX-512 could run the AVX-512 copy. The instruction set is therefore part of
// the mangled name of everything that has code: `namespace prism::inline PRISM_ISA`. Users still
// write `prism::`. Code for two of the sets below links into one program; passing an object from
// one to the other is a link error that names the caller's set. Types that may be shared (those of
// error.hpp, a few enumerations) are in `namespace prism` itself and are the same in all
// translation units. Templates of other headers (xtensor, the standard library) stay shared where
// they are instantiated for built-in types.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#if defined(__AVX512VNNI__) && defined(__AVXVNNI__) && defined(__AMX_TILE__) && \
    defined(__AMX_BF16__) && defined(__linux__)
#define PRISM_ISA compiled_for_amx
#define PRISM_AMX  // kernel/bfloat16_tile_amx.hpp
#elif defined(__AVX512VNNI__) && defined(__AVXVNNI__)
#define PRISM_ISA compiled_for_avx512_vnni_avx_vnni
#elif defined(__AVX512VNNI__)
#define PRISM_ISA compiled_for_avx512_vnni
#else
#define PRISM_ISA compiled_for_avx512
#endif
#elif defined(__AVX512F__) && defined(__AVXVNNI__)
#define PRISM_ISA compiled_for_avx512f_avx_vnni
#elif defined(__AVX512F__)
#define PRISM_ISA compiled_for_avx512f
#elif defined(__AVX2__) && !defined(__FMA__) && defined(__AVXVNNI__)
#define PRISM_ISA compiled_for_avx_vnni_without_fma
#elif defined(__AVX2__) && defined(__AVXVNNI__)
#define PRISM_ISA compiled_for_avx_vnni
#elif defined(__AVX2__) && defined(__FMA__)
#define PRISM_ISA compiled_for_avx2_fma
#elif defined(__AVX2__)
#define PRISM_ISA compiled_for_avx2
#elif defined(__AVX__) && defined(__FMA__)
#define PRISM_ISA compiled_for_avx_fma
#elif defined(__AVX__)
#define PRISM_ISA compiled_for_avx
#elif defined(__SSE4_2__)
#define PRISM_ISA compiled_for_sse4_2
#elif defined(__SSE2__)
#define PRISM_ISA compiled_for_sse2
#elif defined(__ARM_FEATURE_DOTPROD)
#define PRISM_ISA compiled_for_neon_dotprod
#elif defined(__ARM_NEON)
#define PRISM_ISA compiled_for_neon
#else
#define PRISM_ISA compiled_for_generic
#endif

// The library is header-only unless PRISM_COMPILED is defined, as the CMake target prism::compiled
// does. Then headers only declare the functions marked PRISM_INLINE, which X.inl.hpp defines for
// X.hpp, and prism/model.hpp, training.hpp and serving.hpp include lists of templates that are not
// instantiated (FOLDER/compiled.hpp): src/ compiles both, once. Members of the templates in these
// lists are defined outside their class, because members defined within it are inline, which a
// compiler instantiates all the same. Files with and without PRISM_COMPILED may be in one program.
#if defined(PRISM_COMPILED)
#define PRISM_INLINE
#if defined(PRISM_INSTANTIATE)
#define PRISM_EXTERN_TEMPLATE template
#else
#define PRISM_EXTERN_TEMPLATE extern template
#endif
#else
#define PRISM_INLINE inline
#endif

// Exceptions have default visibility, so that an error is one type on both sides of a shared
// library's boundary even under -fvisibility=hidden.
#if defined(__GNUC__)
#define PRISM_ONE_TYPE __attribute__((visibility("default")))
#define PRISM_ALWAYS_INLINE [[gnu::always_inline]]
#else
#define PRISM_ONE_TYPE
#define PRISM_ALWAYS_INLINE
#endif

// Marks functions, and lambdas that capture by copy, that a device runs as well as the host.
#if defined(__CUDACC__)
#define PRISM_HOST_DEVICE __host__ __device__
#else
#define PRISM_HOST_DEVICE
#endif

// Before a loop over a thread's own array on a device: registers have no addresses, so an index
// unknown to the compiler would move the array to memory.
#if defined(__CUDA_ARCH__)
#define PRISM_UNROLL _Pragma("unroll")
#else
#define PRISM_UNROLL
#endif
