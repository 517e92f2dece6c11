// SPDX-License-Identifier: BSD-3-Clause
// A block of threads with shared memory, for kernels that tile matrices. A kernel is a functor,
// copied to the device and called once for each block:
//
//   struct Kernel {
//     // Optional: the number of blocks for which a multiprocessor must have registers, so that one
//     // computes while another waits.
//     static constexpr unsigned resident_blocks = 2;
//     struct Shared {  // trivial, uninitialised, at most 48 KiB
//       float tile[16][64];
//     };
//     template <class Block>
//     PRISM_HOST_DEVICE void operator()(const Block& block, Shared& shared,
//                                       std::size_t index) const {
//       typename Block::template PerThread<float> sum(0);
//       block.for_each_thread([&](unsigned thread) { ... shared.tile ... });
//       block.for_each_thread([&](unsigned thread) { sum[thread] += ... shared.tile ... });
//     }
//   };
//
// for_each_thread(f) calls f(thread) for each thread in [0, block_threads) and then waits for all
// of them: a phase. What one thread stores in shared memory, others may read only in a later phase.
// Outside of phases, everything is the same for all threads: loops and their bounds. PerThread<T>
// is a variable of each thread that lives across phases.
#pragma once

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Threads of a block.
inline constexpr unsigned block_threads = 256;

/// The value that a kernel declares, or 1.
template <class Kernel>
inline constexpr unsigned resident_blocks = 1;
template <class Kernel>
  requires requires { Kernel::resident_blocks; }
inline constexpr unsigned resident_blocks<Kernel> = Kernel::resident_blocks;

}  // namespace prism::inline PRISM_ISA::detail
