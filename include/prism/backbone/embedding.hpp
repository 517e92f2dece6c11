// SPDX-License-Identifier: BSD-3-Clause
// What backbones share: an embedding's dimension, and the way between a table and a batch's rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// An embedding's dimension as a constant of the type, which takes no room, or as a number.
template <std::size_t Dim>
struct EmbeddingDim {
  static_assert(Dim > 0, "an embedding's dimension must be at least 1, not 0");
  static constexpr std::size_t value = Dim;
};
template <>
struct EmbeddingDim<dynamic> {
  std::size_t value = 64;
};

/// to[k] = table[from[k]]
template <class T>
void gather(Rows<const T> table, std::span<const Index> from, Rows<T> to) {
  constexpr std::size_t grain = 512;
  parallel_chunks(from.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) std::copy_n(table[from[k]], table.dim(), to[k]);
  });
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
