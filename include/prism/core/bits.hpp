// SPDX-License-Identifier: BSD-3-Clause
// Bits of a word, counted on host and device. In device code nvcc 13 compiles std::popcount and
// std::countr_zero of libstdc++ 12 into calls of address 0, without a warning.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

[[nodiscard]] PRISM_HOST_DEVICE inline std::size_t count_ones(std::uint64_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<std::size_t>(__popcll(bits));
#else
  return static_cast<std::size_t>(std::popcount(bits));
#endif
}

/// The position of the lowest bit that is 1; bits are not 0.
[[nodiscard]] PRISM_HOST_DEVICE inline std::size_t lowest_one(std::uint64_t bits) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<std::size_t>(__ffsll(static_cast<long long>(bits)) - 1);
#else
  return static_cast<std::size_t>(std::countr_zero(bits));
#endif
}

}  // namespace prism::inline PRISM_ISA::detail
