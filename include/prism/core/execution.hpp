// SPDX-License-Identifier: BSD-3-Clause
// Executions: where the heavy operations run. As with std::execution, the first argument of fit,
// evaluate and others. The types are empty; execution/ has their implementations.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Instruction sets, as tags. A kernel takes one as its first template parameter; kernel/pack.hpp
/// says what a user-defined set has to provide.
namespace isa {
struct scalar {};  ///< one number at a time, in plain C++
struct sse2 {};
struct avx2 {};  ///< with fused multiply-add
struct avx512 {};
struct neon {};
#if defined(__SSE2__) || defined(__ARM_NEON)
struct native {};  ///< the best that the compiler's flags allow
#else
using native = scalar;
#endif
}  // namespace isa

/// The host's threads (oneTBB), with kernels of one instruction set. Implemented by
/// execution/host.hpp. The results do not depend on the number of threads.
template <class Isa = isa::native>
struct Host {
  using isa = Isa;
};

/// One thread and plain C++: the reference that other executions are compared with. Implemented by
/// execution/serial.hpp, which needs neither oneTBB nor xsimd.
struct Serial {
  using isa = prism::isa::scalar;
};

/// `fit(par, model, split)`, the default.
inline constexpr Host<> par{};
/// `fit(host<isa::avx2>, model, split)`: the whole model uses one kernel variant.
template <class Isa>
inline constexpr Host<Isa> host{};
/// `fit(serial, model, split)`
inline constexpr Serial serial{};

/// How an execution runs independent tasks; specialised for each in execution/:
///   // Calls body(i) once for each i in [0, n), in any order, possibly from several threads.
///   template <class Body> static void tasks(std::size_t n, const Body& body);
template <class X>
struct Loops {
  static_assert(
      !std::is_same_v<X, X>,
      "this execution has no implementation here: include prism/execution/host.hpp for par "
      "and host<>, prism/execution/serial.hpp for serial");
};

/// An execution: an empty type with the instruction set of its per-row kernels.
template <class X>
concept Execution = std::is_empty_v<X> && std::copyable<X> && requires {
  typename X::isa;
};

/// Whether rows lie in host memory, so that the operations of ops/ apply. Any other execution
/// provides its own overloads of them.
template <class X>
inline constexpr bool runs_on_host = false;
template <class Isa>
inline constexpr bool runs_on_host<Host<Isa>> = true;
template <>
inline constexpr bool runs_on_host<Serial> = true;

template <class X>
concept HostExecution = Execution<X> && runs_on_host<X>;

static_assert(HostExecution<Host<>> && HostExecution<Serial>);

}  // namespace prism::inline PRISM_ISA
