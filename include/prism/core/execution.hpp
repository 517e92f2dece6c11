// SPDX-License-Identifier: BSD-3-Clause
// Executions: where the heavy operations run. As with std::execution, an execution is the first
// argument of fit, evaluate and others: a value, which may say how many threads, and is passed on
// and kept. execution/ has their back ends.
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
struct avx2 {};         ///< with fused multiply-add
struct avx_vnni {};     ///< AVX2 with byte dot products (-mavxvnni)
struct avx512 {};       ///< F, BW, DQ and VL
struct avx512_vnni {};  ///< with byte dot products
/// avx512_vnni, but with products of floats computed from bfloat16 tiles where such a product is
/// most of a loss's work (kernel/bfloat16_tile.hpp).
struct amx {};
struct neon {};
struct neon_dotprod {};  ///< with byte dot products (-march=armv8.2-a+dotprod)
/// The same operations and order of summation on every processor with fused multiply-add: the
/// results are bit-identical, see kernel/pack_reproducible.hpp. Compile with -ffp-contract=off;
/// otherwise the compiler may contract a loss's own a * b + c.
struct reproducible {};
struct warp {};           ///< the 32 lanes of a GPU's warp, one number in each
struct emulated_warp {};  ///< a warp's lanes on the host, one after another
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

  /// At most so many threads run a loop, and never more than a ThreadLimit allows; 0: no limit of
  /// its own.
  std::size_t threads = 0;
};

/// One thread and plain C++: the reference that other executions are compared with. Implemented by
/// execution/serial.hpp, which needs neither oneTBB nor xsimd.
struct Serial {
  using isa = prism::isa::scalar;
};

/// A device's grids of warps, run on the host, one warp after another, so that device code can be
/// tested without a device. Implemented by execution/serial_grid.hpp.
struct SerialGrid {
  using isa = prism::isa::emulated_warp;
};

/// Names the calling thread's current CUDA device in files that are not compiled as CUDA. Loops run
/// on cuda::device() of prism/cuda.hpp, whose type is another in each file that is.
struct CudaDevice {
  using isa = prism::isa::warp;
};

/// `fit(par, model, split)`, the default.
inline constexpr Host<> par{};
/// `fit(threads(4), model, split)`: at most so many of the host's threads. 0: as par.
[[nodiscard]] constexpr Host<> threads(std::size_t at_most) noexcept { return {at_most}; }
/// `fit(host<isa::avx2>, model, split)`: the whole model uses one kernel variant.
template <class Isa>
inline constexpr Host<Isa> host{};
/// `fit(serial, model, split)`
inline constexpr Serial serial{};
/// `fit(serial_grid, model, split)`
inline constexpr SerialGrid serial_grid{};

/// What an execution runs on: its loops, its memory, and what it can read; specialised for each in
/// execution/. `exec` is the execution's value.
///   // Calls body(i) once for each i in [0, n), in any order, possibly from several threads.
///   template <class Body> static void tasks(const X& exec, std::size_t n, const Body& body);
/// An execution on a device has the following instead; the device runs a copy of each body:
///   // The execution for loops that only the host can run.
///   static auto host_of(const X& exec);
///   // Call body(i) for each i in [0, n), each on a warp, or each on a lane of a warp.
///   template <class Body> static void on_warps(const X& exec, std::size_t n, const Body& body);
///   template <class Body> static void on_lanes(const X& exec, std::size_t n, const Body& body);
///   // The sum of body(i), a double, over warps, in a fixed order; waits for it.
///   template <class Body>
///   static double sum_on_warps(const X& exec, std::size_t n, const Body& body);
///   // Calls kernel(block, shared, i) for each i in [0, n), each on a block of threads that share
///   // `shared`, a Kernel::Shared: kernel/thread_block.hpp says what `block` provides.
///   template <class Kernel>
///   static void on_blocks(const X& exec, std::size_t n, const Kernel& kernel);
///   // Waits for all pending work.
///   static void synchronise(const X& exec);
///   // Its memory, a DeviceMemory unless the host reads and writes there too; and whether the
///   // device can read an address.
///   static std::pmr::memory_resource* memory(const X& exec);
///   static bool can_read(const X& exec, const void* address);
template <class X>
struct Backend {
  static_assert(
      !std::is_same_v<X, X>,
      "this execution has no implementation here: include prism/execution/host.hpp for par "
      "and host<>, prism/execution/serial.hpp for serial, prism/execution/serial_grid.hpp for "
      "serial_grid, prism/cuda.hpp for cuda::device()");
};

/// Checked where training or ranking begins, so that the compiler's first error comes from Backend,
/// not from a kernel.
template <class X>
inline constexpr bool has_implementation = sizeof(Backend<X>) > 0;

/// An execution: a value with the instruction set of its per-row kernels. A copy runs
/// where the original does, with the same limits.
template <class X>
concept Execution = std::copyable<X> && requires { typename X::isa; };

/// Whether loops run on the host's threads.
template <class X>
inline constexpr bool runs_on_host = false;
template <class Isa>
inline constexpr bool runs_on_host<Host<Isa>> = true;
template <>
inline constexpr bool runs_on_host<Serial> = true;

template <class X>
concept HostExecution = Execution<X> && runs_on_host<X>;

/// Whether loops run as grids on a device, in its memory.
template <class X>
inline constexpr bool runs_on_device = false;
template <>
inline constexpr bool runs_on_device<SerialGrid> = true;

template <class X>
concept DeviceExecution = Execution<X> && runs_on_device<X>;

static_assert(HostExecution<Host<>> && HostExecution<Serial> && DeviceExecution<SerialGrid>);

}  // namespace prism::inline PRISM_ISA
