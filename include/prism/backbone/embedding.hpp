// SPDX-License-Identifier: BSD-3-Clause
// The dimension of embeddings, for all backbones.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The dimension of embeddings: a compile-time constant, in an empty class, or a number chosen at
/// run time.
template <std::size_t Dim>
struct EmbeddingDim {
  static_assert(Dim > 0, "an embedding's dimension must be at least 1, not 0");
  static constexpr std::size_t value = Dim;
};
template <>
struct EmbeddingDim<dynamic> {
  std::size_t value = 64;
};

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
