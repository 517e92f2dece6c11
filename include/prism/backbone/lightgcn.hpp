// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/backbone/embedding.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/propagation.hpp"
#include "prism/policy/backbone.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// d^-1/2 for each degree d, 0 for d = 0.
template <class T>
[[nodiscard]] TableVector<T> inverse_sqrt(std::span<const Index> degree,
                                          std::pmr::memory_resource* memory) {
  TableVector<T> result(degree.size(), T{0}, memory);
  for (std::size_t r = 0; r < degree.size(); ++r) {
    if (degree[r] > 0) result[r] = static_cast<T>(1 / std::sqrt(static_cast<double>(degree[r])));
  }
  return result;
}

/// to[rows[k]] = from[k]
template <class T, Execution X>
void scatter_rows(const X& exec, Rows<const T> from, std::span<const Index> rows, Rows<T> to) {
  constexpr std::size_t grain = 256;
  for_each_row(exec, from.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    copy<typename X::isa>(to[rows[k]], from[k], from.dim());
  });
}

}  // namespace detail

/// Propagation over the training graph: output rows are the mean of layers 0 ... Layers, where
/// layer l + 1 is D^-1/2 A D^-1/2 times layer l and A is the whole bipartite training graph,
/// without self-loops. He et al.: "LightGCN: Simplifying and powering graph convolution network for
/// recommendation", SIGIR 2020. Each training step propagates all rows, forward and backward.
///
/// @tparam Dim     columns of both tables, at least 1; or `dynamic`: `LightGCN<dynamic>(48)`
/// @tparam Layers  number of propagations, at least 1
template <std::size_t Dim, std::size_t Layers = 3>
class LightGCN {
  static_assert(Layers > 0, "LightGCN<Dim, Layers>: there must be at least 1 layer, not 0");

 public:
  static constexpr std::string_view name = "LightGCN";

  constexpr LightGCN() = default;
  constexpr explicit LightGCN(std::size_t dim)
    requires(Dim == dynamic)
      : dim_{dim} {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  /// "LightGCN<64, 3>"
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + std::to_string(dim()) + ", " + std::to_string(Layers) + ">";
  }

  /// The diagonal of D^-1/2 for users and items; not trained.
  template <class T>
  struct State : Stateless<LightGCN> {
    TableVector<T> user_scale;
    TableVector<T> item_scale;

    State(const LightGCN&, const StateContext& context)
        : user_scale(detail::inverse_sqrt<T>(context.train.user_degree(), context.memory)),
          item_scale(detail::inverse_sqrt<T>(context.train.item_degree(), context.memory)) {}
    State(const State& other, std::pmr::memory_resource* memory)
        : user_scale(other.user_scale, memory), item_scale(other.item_scale, memory) {}
  };

  template <class T, Execution X>
  [[nodiscard]] ForwardResult<T> forward(const BackboneStep<T, X>& step,
                                         const State<T>& state) const {
    const Embeddings<const T> all =
        propagate(step.exec, step.tables, step.batch.train, state, step.scratch);
    return {{{all.users, step.batch.user_side.unique_rows},
             {all.items, step.batch.item_side.unique_rows}}};
  }

  /// The propagation matrix is symmetric: the backward pass is the same propagation.
  template <class T, Execution X>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>& state,
                                           NothingSaved,
                                           Embeddings<const T> output_gradient) const {
    const auto scatter = [&](Rows<const T> from, const BatchSide& side) {
      const Rows<T> to =
          step.scratch.template allocate_zeros<T>(step.exec, side.inverse_index.size(), from.dim());
      detail::scatter_rows<T>(step.exec, from, side.unique_rows, to);
      return to;
    };
    const Embeddings<T> gradient{scatter(output_gradient.users, step.batch.user_side),
                                 scatter(output_gradient.items, step.batch.item_side)};
    const Embeddings<T> all =
        propagate<T>(step.exec, gradient, step.batch.train, state, step.scratch);
    return {TableGradient<T>::dense(all.users, step.batch.user_side),
            TableGradient<T>::dense(all.items, step.batch.item_side)};
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& exec, Embeddings<const T> tables,
                                 const Interactions& train, const State<T>& state) const {
    Scratch scratch(memory_of(exec));
    const Embeddings<T> all = propagate(exec, tables, train, state, scratch);
    const auto copy_rows = [&](Rows<const T> from) {
      Matrix<T> table = make_table<T>(from.size(), from.dim(), memory_of(exec));
      copy_numbers(exec, std::span<const T>(from.data(), from.num_elements()),
                   std::span<T>(table.data(), table.size()));
      return table;
    };
    Output<T> output(copy_rows(all.users), copy_rows(all.items));
    synchronise(exec);  // a device may still read the scratch memory
    return output;
  }

 private:
  template <class T, Execution X>
  static Embeddings<T> propagate(const X& exec, Embeddings<const T> start,
                                 const Interactions& train, const State<T>& state,
                                 Scratch& scratch) {
    return mean_of_layers<T>(exec, start, train, {state.user_scale, state.item_scale}, Layers,
                             scratch);
  }

  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
};

static_assert(BackbonePolicy<LightGCN<64, 3>>);
static_assert(BackbonePolicy<LightGCN<dynamic>>);

}  // namespace prism::inline PRISM_ISA
