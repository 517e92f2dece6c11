// SPDX-License-Identifier: BSD-3-Clause
// The weighted sum of indexed rows: the inner loop of graph propagation.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// N packs of columns from `column` on, summed in registers.
template <class P, std::size_t N, class T, class IndexOf, class WeightOf, class From>
PRISM_HOST_DEVICE inline void sum_columns(T* to, std::size_t column, T factor, std::size_t count,
                                          const IndexOf& index_of, const WeightOf& weight_of,
                                          const From& from) noexcept {
  P sums[N];
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) sums[n] = P::broadcast(0);
  for (std::size_t j = 0; j < count; ++j) {
    const T* const row = from[index_of(j)] + column;
    const P w = P::broadcast(weight_of(j));
#pragma GCC unroll 8
    for (std::size_t n = 0; n < N; ++n) {
      sums[n] = fused_multiply_add(w, P::load(row + n * P::width), sums[n]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t n = 0; n < N; ++n) {
    (P::broadcast(factor) * sums[n]).store(to + column + n * P::width);
  }
}

/// to = factor * sum over j < count of weight_of(j) * from[index_of(j)]
/// @param to    from.dim() elements, overwritten
/// @param from  Rows or IndexedRows
template <class Isa = isa::native, class T, class IndexOf, class WeightOf, class From>
PRISM_HOST_DEVICE inline void weighted_sum(T* to, T factor, std::size_t count,
                                           const IndexOf& index_of, const WeightOf& weight_of,
                                           const From& from) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t w = P::width;
  const std::size_t dim = from.dim();
  const std::size_t quad_end = dim - dim % (4 * w), pair_end = dim - dim % (2 * w),
                    pack_end = dim - dim % w;
  for (std::size_t c = 0; c < quad_end; c += 4 * w) {
    sum_columns<P, 4>(to, c, factor, count, index_of, weight_of, from);
  }
  for (std::size_t c = quad_end; c < pair_end; c += 2 * w) {
    sum_columns<P, 2>(to, c, factor, count, index_of, weight_of, from);
  }
  for (std::size_t c = pair_end; c < pack_end; c += w) {
    sum_columns<P, 1>(to, c, factor, count, index_of, weight_of, from);
  }
  for (std::size_t c = pack_end + Lanes<Isa>::first(); c < dim; c += Lanes<Isa>::step()) {
    sum_columns<Pack<T, isa::scalar>, 1>(to, c, factor, count, index_of, weight_of, from);
  }
  Lanes<Isa>::synchronise();
}

/// to = factor * sum over j of weight_of(j) * from[indices[j]]
template <class Isa = isa::native, class T, class WeightOf, class From>
PRISM_HOST_DEVICE inline void weighted_sum(T* to, T factor, std::span<const Index> indices,
                                           const WeightOf& weight_of, const From& from) noexcept {
  weighted_sum<Isa>(
      to, factor, indices.size(), [=](std::size_t j) { return indices[j]; }, weight_of, from);
}

}  // namespace prism::inline PRISM_ISA::detail
