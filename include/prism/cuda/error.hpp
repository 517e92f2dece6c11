// SPDX-License-Identifier: BSD-3-Clause
// Errors of the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {
namespace cuda {

/// @param what  was attempted, such as "allocating 4096 bytes"
/// @throws DeviceMemoryError  if the device has too little memory left; starting a loop needs some
/// @throws DeviceError        if the call failed otherwise
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // or the next loop would report it again
  const std::string text =
      std::string(what) + ": " + cudaGetErrorString(result) + " (" + cudaGetErrorName(result) + ")";
  if (result == cudaErrorMemoryAllocation) throw DeviceMemoryError(text);
  throw DeviceError(text);
}

}  // namespace cuda
}  // namespace prism::inline PRISM_ISA
