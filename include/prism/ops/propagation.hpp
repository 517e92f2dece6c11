// SPDX-License-Identifier: BSD-3-Clause
// Propagation over the bipartite graph of interactions: products with its sparse adjacency matrix.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// The diagonal of D^-1/2: one number for each user and each item.
template <class T>
struct DegreeScale {
  std::span<const T> users;
  std::span<const T> items;
};

namespace detail {

/// next[r] = scale_of[r] * sum over neighbours j of r of from_scale[j] * from[j];
/// sum[r] = weight * (partial_sum[r] + next[r])
template <class T, Execution X>
void propagate_side(const X& exec, Adjacency neighbours, Rows<const T> from,
                    std::span<const T> from_scale, std::span<const T> scale_of, Rows<T> next,
                    Rows<const T> partial_sum, Rows<T> sum, T weight) {
  constexpr std::size_t grain = 64;
  for_each_row(exec, neighbours.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
    using Isa = typename X::isa;
    const std::size_t dim = from.dim();
    T* const row = next[r];
    const std::span<const Index> indices = neighbours[r];
    weighted_sum<Isa>(
        row, scale_of[r], indices, [=](std::size_t j) { return from_scale[indices[j]]; }, from);
    scale<Isa>(sum[r], weight, partial_sum[r], dim);
    add_scaled<Isa>(sum[r], weight, row, dim);
  });
}

}  // namespace detail

/// The mean of `start` and its products with the powers 1 ... layers of D^-1/2 A D^-1/2, where A is
/// the bipartite graph of `train`. He et al.: "LightGCN", SIGIR 2020, equation 8.
/// @param start   users x dim and items x dim
/// @param layers  at least 1
/// @return rows in `scratch`
template <class T, Execution X>
[[nodiscard]] Embeddings<T> mean_of_layers(const X& exec, Embeddings<const T> start,
                                           const Interactions& train, DegreeScale<T> scale,
                                           std::size_t layers, Scratch& scratch) {
  const std::size_t dim = start.users.dim();
  const auto allocate = [&] {
    return Embeddings<T>{scratch.allocate<T>(start.users.size(), dim),
                         scratch.allocate<T>(start.items.size(), dim)};
  };
  const Embeddings<T> sum = allocate(), even = allocate(), odd = allocate();
  Embeddings<const T> layer = start;
  for (std::size_t l = 1; l <= layers; ++l) {
    const Embeddings<T> next = l % 2 == 0 ? even : odd;
    const T weight = l == layers ? T{1} / static_cast<T>(layers + 1) : T{1};
    detail::propagate_side<T>(exec, train.items_by_user(), layer.items, scale.items, scale.users,
                              next.users, l == 1 ? start.users : sum.users, sum.users, weight);
    detail::propagate_side<T>(exec, train.users_by_item(), layer.users, scale.users, scale.items,
                              next.items, l == 1 ? start.items : sum.items, sum.items, weight);
    layer = next;
  }
  return sum;
}

}  // namespace prism::inline PRISM_ISA
