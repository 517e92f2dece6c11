// SPDX-License-Identifier: BSD-3-Clause
// IPL over the training interactions: the sums of their scores, and the gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/penalty/ipl_ratios.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

struct Sigmoid {
  template <class Score>
  [[nodiscard]] PRISM_HOST_DEVICE Score operator()(Score score) const noexcept {
    return sigmoid(score);
  }
};
struct SigmoidDerivative {
  template <class Score>
  [[nodiscard]] PRISM_HOST_DEVICE Score operator()(Score score) const noexcept {
    return sigmoid_derivative(score);
  }
};

/// Calls visit(j, function(row . partner_of(j))) for j < n, in order. The host computes a block of
/// dot products, then the function of them in packs; on a device, a warp's lanes share each dot
/// product.
template <class Isa, class T, class PartnerOf, class Function, class Visit>
PRISM_HOST_DEVICE void for_each_score(const T* row, std::size_t dim, std::size_t n,
                                      const PartnerOf& partner_of, const Function& function,
                                      const Visit& visit) {
  if constexpr (Lanes<Isa>::are_threads) {
    for (std::size_t j = 0; j < n; ++j) visit(j, function(dot<Isa>(row, partner_of(j), dim)));
  } else {
    using P = Pack<T, Isa>;
    constexpr std::size_t block = 64;
    static_assert(block % P::width == 0);
    T scores[block];
    for (std::size_t first = 0; first < n; first += block) {
      const std::size_t count = std::min(block, n - first);
      for (std::size_t j = 0; j < count; ++j) {
        scores[j] = dot<Isa>(row, partner_of(first + j), dim);
      }
      // Pads to the end of a pack.
      std::fill(scores + count, scores + (count + P::width - 1) / P::width * P::width, T{0});
      for (std::size_t j = 0; j < count; j += P::width) {
        function(P::load(scores + j)).store(scores + j);
      }
      for (std::size_t j = 0; j < count; ++j) visit(first + j, scores[j]);
    }
  }
}

/// ratio[i] = c_i / d_i^(2 - gamma), where c_i sums over the item's training interactions.
template <class T, Execution X>
void training_ratios(const X& exec, Adjacency users_of, BatchRows<T> output,
                     std::span<const Index> user_row, std::span<const Index> item_row,
                     const ItemDegree& degree, Rows<T> ratio) {
  for_each_row(exec, users_of.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t i) {
    using Isa = typename X::isa;
    const T* const item = output.items[item_row[i]];
    const std::span<const Index> users = users_of[i];
    double sum = 0;  // double, because a popular item has many terms
    for_each_score<Isa>(
        item, output.users.dim(), users.size(),
        [&](std::size_t j) { return output.users[user_row[users[j]]]; }, Sigmoid{},
        [&](std::size_t, T probability) { sum += static_cast<double>(probability); });
    Lanes<Isa>::once([=] { *ratio[i] = static_cast<T>(sum * degree.weight(i)); });
  });
}

/// d penalty / d c_i, for the training interactions of a side's row and those of the other side.
template <class T>
struct TrainingSumGradient {
  Rows<const T> item_gradient;
  bool rows_are_items;

  [[nodiscard]] PRISM_HOST_DEVICE T operator()(std::size_t row, Index partner) const noexcept {
    return *item_gradient[rows_are_items ? row : partner];
  }
};

/// Adds the gradient of the scores of one side's training interactions to that side's rows.
/// @param row_of, partner_row_of  the row of each id
template <class T, Execution X>
void add_training_gradient(const X& exec, Adjacency partners_of, IndexedRows<const T> rows,
                           std::span<const Index> row_of, IndexedRows<const T> partners,
                           std::span<const Index> partner_row_of, TrainingSumGradient<T> d_sum,
                           Rows<T> gradient) {
  for_each_row(exec, partners_of.size(), ipl_grain, [=] PRISM_HOST_DEVICE(std::size_t id) {
    using Isa = typename X::isa;
    const std::size_t dim = rows.dim();
    const Index row = row_of[id];
    const std::span<const Index> partners_of_row = partners_of[id];
    const auto partner = [&](std::size_t j) {
      return partners[partner_row_of[partners_of_row[j]]];
    };
    for_each_score<Isa>(rows[row], dim, partners_of_row.size(), partner, SigmoidDerivative{},
                        [&](std::size_t j, T derivative) {
                          add_scaled<Isa>(gradient[row], d_sum(id, partners_of_row[j]) * derivative,
                                          partner(j), dim);
                        });
  });
}

}  // namespace prism::inline PRISM_ISA::detail
