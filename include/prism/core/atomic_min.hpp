// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Lowers a number to `value` if that is less. On a device, other lanes may do the same
/// concurrently: the minimum of integers does not depend on their order. Not thread-safe on the
/// host.
PRISM_HOST_DEVICE inline void atomic_min(Index* number, Index value) noexcept {
#if defined(__CUDA_ARCH__)
  atomicMin(number, value);
#else
  if (value < *number) *number = value;
#endif
}

}  // namespace prism::inline PRISM_ISA::detail
