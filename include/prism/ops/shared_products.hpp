// SPDX-License-Identifier: BSD-3-Clause
// The matrix products of shared negatives: the scores of all negatives for a block of users, and
// the gradients of both from the derivatives of the scores.
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

namespace prism::inline PRISM_ISA::detail {

/// The number of users, and of negatives, in a product.
inline constexpr std::size_t shared_block = 64;

/// Computes the products of each group of users, one block at a time. Different groups may be
/// computed concurrently. Each group has its own sum of the negatives' gradients; the groups' sums
/// are added in order.
template <class T, class Isa>
class SharedProducts {
  static constexpr std::size_t block = shared_block;

 public:
  /// @param items      the rows that `negatives` index
  /// @param groups     of users
  /// @param stride     from the scores of one user to those of the next
  template <HostExecution X>
  SharedProducts(const X& exec, IndexedRows<const T> items, std::span<const Index> negatives,
                 std::size_t groups, std::size_t stride, Scratch& scratch)
      : dim_(items.dim()),
        padded_dim_(padded<T, Isa>(dim_)),
        negatives_(negatives.size()),
        blocks_((negatives_ + block - 1) / block),
        groups_(groups),
        stride_(stride),
        negative_rows_(scratch.allocate<T>(blocks_ * block, padded_dim_)),
        transposed_(scratch.allocate<T>(blocks_ * dim_, block)),
        gradient_(scratch.allocate<T>(groups * blocks_ * block, padded_dim_)),
        users_(scratch.allocate<T>(groups * block, padded_dim_)),
        user_gradient_(scratch.allocate<T>(groups * block, padded_dim_)) {
    parallel_tasks(exec, blocks_, [&](std::size_t b) { pack_negatives(b, items, negatives); });
  }

  /// scores[r * stride + q] = user first + r times negative q, for r < count; zeros pad q to a
  /// whole block.
  void multiply(std::size_t group, IndexedRows<const T> users, std::size_t first, std::size_t count,
                T* scores) const;

  /// Returns the gradients of the users whose scores were computed last, one row each; adds those
  /// of the negatives to the group's sum.
  /// @tparam Mode     Store::overwrite for the group's first block
  /// @param d_scores  the derivatives, laid out as the scores were
  template <Store Mode>
  Rows<T> gradients(std::size_t group, std::size_t count, const T* d_scores) const;

  /// Call once, after all groups and before add_negative_gradient.
  template <HostExecution X>
  void finish(const X& /*exec*/) const noexcept {}

  /// Adds the gradient of negative q to `to`.
  void add_negative_gradient(std::size_t q, T* to) const noexcept {
    for (std::size_t g = 0; g < groups_; ++g) {
      add_scaled<Isa>(to, T{1}, gradient_[g * blocks_ * block + q], dim_);
    }
  }

 private:
  void pack_negatives(std::size_t b, IndexedRows<const T> items,
                      std::span<const Index> negatives) const noexcept;

  std::size_t dim_;
  std::size_t padded_dim_;
  std::size_t negatives_;
  std::size_t blocks_;  // of negatives
  std::size_t groups_;
  std::size_t stride_;
  Rows<T> negative_rows_;  // padded with zeros, rows and columns
  Rows<T> transposed_;     // block by block
  Rows<T> gradient_;       // of the negatives, group by group
  Rows<T> users_;          // a block for each group
  Rows<T> user_gradient_;
};

}  // namespace prism::inline PRISM_ISA::detail

#include "prism/ops/shared_products.inl.hpp"
