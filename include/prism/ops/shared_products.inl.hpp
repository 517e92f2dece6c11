// SPDX-License-Identifier: BSD-3-Clause
// Members of the templates of shared_products.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/linear.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/shared_products.hpp"

namespace prism::inline PRISM_ISA::detail {

template <class T, class Isa>
void SharedProducts<T, Isa>::multiply(std::size_t group, IndexedRows<const T> users,
                                      std::size_t first, std::size_t count, T* scores) const {
  T* const block_users = users_[group * block];
  for (std::size_t r = 0; r < count; ++r) {
    T* const to = block_users + r * padded_dim_;
    std::copy_n(users[first + r], dim_, to);
    std::fill(to + dim_, to + padded_dim_, T{0});
  }
  for (std::size_t b = 0; b < blocks_; ++b) {
    matrix_product<Store::overwrite, Isa>(count, block, dim_, {block_users, padded_dim_, 1},
                                          transposed_[b * dim_], block, scores + b * block,
                                          stride_);
  }
}

template <class T, class Isa>
template <Store Mode>
Rows<T> SharedProducts<T, Isa>::gradients(std::size_t group, std::size_t count,
                                          const T* d_scores) const {
  T* const block_users = users_[group * block];
  T* const user_gradient = user_gradient_[group * block];
  std::fill_n(user_gradient, count * padded_dim_, T{0});
  for (std::size_t b = 0; b < blocks_; ++b) {
    const T* const block_scores = d_scores + b * block;
    matrix_product<Store::add, Isa>(count, padded_dim_, block, {block_scores, stride_, 1},
                                    negative_rows_[b * block], padded_dim_, user_gradient,
                                    padded_dim_);
    matrix_product<Mode, Isa>(block, padded_dim_, count, {block_scores, 1, stride_}, block_users,
                              padded_dim_, gradient_[(group * blocks_ + b) * block], padded_dim_);
  }
  return {user_gradient, count, padded_dim_};
}

template <class T, class Isa>
void SharedProducts<T, Isa>::pack_negatives(std::size_t b, IndexedRows<const T> items,
                                            std::span<const Index> negatives) const noexcept {
  for (std::size_t r = 0; r < block; ++r) {
    const std::size_t q = b * block + r;
    T* const to = negative_rows_[q];
    const std::size_t filled = q < negatives_ ? dim_ : 0;
    if (filled > 0) std::copy_n(items[negatives[q]], dim_, to);
    std::fill(to + filled, to + padded_dim_, T{0});
    for (std::size_t c = 0; c < dim_; ++c) transposed_[b * dim_ + c][r] = to[c];
  }
}

}  // namespace prism::inline PRISM_ISA::detail
