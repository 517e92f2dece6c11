// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "prism/backbone/activation.hpp"
#include "prism/backbone/embedding.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/scratch.hpp"
#include "prism/execution/serial.hpp"
#include "prism/ops/fill.hpp"
#include "prism/ops/layer.hpp"
#include "prism/ops/tower.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/options.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The layers of one side: weight W (dim x dim, out x in) and bias b (1 x dim), y = x W' + b.
template <class T, std::size_t Layers>
struct Tower {
  std::array<Matrix<T>, Layers> weight;
  std::array<Matrix<T>, Layers> bias;

  /// Weights and biases are uniform in [-1, 1] / sqrt(dim).
  Tower(std::size_t dim, const Random& random, std::pmr::memory_resource* memory) {
    const double bound = 1 / std::sqrt(static_cast<double>(dim));
    std::uint64_t draw = 0;
    for (std::size_t l = 0; l < Layers; ++l) {
      weight[l] = make_table<T>(dim, dim, memory);
      bias[l] = make_table<T>(1, dim, memory);
      for (Matrix<T>* table : {&weight[l], &bias[l]}) {
        fill_uniform(serial, rows(*table), bound, random.from(draw));
        draw += table->size();
      }
    }
  }

  Tower(const Tower& other, std::pmr::memory_resource* memory) {
    for (std::size_t l = 0; l < Layers; ++l) {
      weight[l] = copy_of(other.weight[l], memory);
      bias[l] = copy_of(other.bias[l], memory);
    }
  }

  /// Number of random draws for a tower.
  [[nodiscard]] static constexpr std::uint64_t draws(std::size_t dim) noexcept {
    return Layers * dim * (dim + 1);
  }

  template <class Visit>
  void for_each_parameter(const Visit& visit) {
    for (std::size_t l = 0; l < Layers; ++l) {
      visit(ParameterView<T>{rows(weight[l])});
      visit(ParameterView<T>{rows(bias[l])});
    }
  }
};

/// Views of the layers, the argument of tower_forward.
template <class T, std::size_t Layers>
[[nodiscard]] std::array<LayerView<T>, Layers> layers_of(const Tower<T, Layers>& tower) {
  std::array<LayerView<T>, Layers> views;
  for (std::size_t l = 0; l < Layers; ++l) {
    views[l] = {rows(tower.weight[l]), tower.bias[l].data()};
  }
  return views;
}

}  // namespace detail

/// A tower for each side: linear layers of Dim x Dim with an activation between them (none after
/// the last), applied to the embeddings. The tower is that of He et al.: "Neural collaborative
/// filtering", WWW 2017; here the score compares the outputs of two towers.
///
/// @tparam Dim         columns of tables and layers, at least 1; or `dynamic`: `MLP<dynamic>(48)`
/// @tparam Layers      number of linear layers, at least 1
/// @tparam Activation  ReLU, or Identity
template <std::size_t Dim, std::size_t Layers = 2, class Activation = ReLU>
class MLP {
  static_assert(Layers > 0, "MLP<Dim, Layers>: there must be at least 1 layer, not 0");
  static_assert(check_activation<Activation>(),
                "MLP: argument 3 (Activation) is not an activation such as ReLU; "
                "prism/backbone/activation.hpp lists the requirements");

 public:
  static constexpr std::string_view name = "MLP";
  static constexpr BackboneTraits traits{.needs_all_rows = false};

  constexpr MLP() = default;
  constexpr explicit MLP(std::size_t dim, Activation activation = {})
    requires(Dim == dynamic)
      : dim_{dim}, activation_(activation) {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  [[nodiscard]] const Activation& activation() const noexcept { return activation_; }
  [[nodiscard]] Activation& activation() noexcept { return activation_; }

  /// @throws ArgumentError  for an option of the activation outside its domain
  void check() const { prism::check_options(activation_); }

  /// "MLP<64, 2, ReLU>"
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + std::to_string(dim()) + ", " + std::to_string(Layers) + ", " +
           prism::label(activation_) + ">";
  }

  template <class T>
  struct State {
    detail::Tower<T, Layers> users;
    detail::Tower<T, Layers> items;

    State(const MLP& mlp, const StateContext& context)
        : users(mlp.dim(), context.random(), context.memory),
          items(mlp.dim(), context.random().from(detail::Tower<T, Layers>::draws(mlp.dim())),
                context.memory) {}
    State(const State& other, std::pmr::memory_resource* memory)
        : users(other.users, memory), items(other.items, memory) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      users.for_each_parameter(visit);
      items.for_each_parameter(visit);
    }
  };

  /// Values of both towers saved for backward.
  template <class T, Execution X>
  struct Saved {
    tower_saved_t<T, Layers, X> users;
    tower_saved_t<T, Layers, X> items;
  };

  template <class T, Execution X>
  [[nodiscard]] ForwardResult<T, Saved<T, X>> forward(const BackboneStep<T, X>& step,
                                                      const State<T>& state) const {
    const std::span<const Index> users = step.batch.user_side.unique_rows;
    const std::span<const Index> items = step.batch.item_side.unique_rows;
    const Embeddings<T> output{step.scratch.template allocate<T>(users.size(), dim()),
                               step.scratch.template allocate<T>(items.size(), dim())};
    return {{output.users, output.items},
            {tower_forward<T>(step.exec, {step.tables.users, users}, detail::layers_of(state.users),
                              activation_, output.users, step.scratch),
             tower_forward<T>(step.exec, {step.tables.items, items}, detail::layers_of(state.items),
                              activation_, output.items, step.scratch)}};
  }

  template <class T, Execution X>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>&,
                                           const Saved<T, X>& saved,
                                           Embeddings<const T> output_gradient) const {
    return {TableGradient<T>::sparse(
                tower_backward<T>(step.exec, saved.users, output_gradient.users, activation_,
                                  step.parameter_gradients.first(2 * Layers), step.scratch),
                step.batch.user_side),
            TableGradient<T>::sparse(
                tower_backward<T>(step.exec, saved.items, output_gradient.items, activation_,
                                  step.parameter_gradients.subspan(2 * Layers), step.scratch),
                step.batch.item_side)};
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& exec, Embeddings<const T> tables,
                                 const Interactions& /*train*/, const State<T>& state) const {
    const auto all = [&](Rows<const T> table, const detail::Tower<T, Layers>& tower) {
      Matrix<T> result = make_table<T>(table.size(), table.dim(), memory_of(exec));
      TableVector<Index> all_indices(table.size(), memory_of(exec));
      number_from_zero(exec, std::span(all_indices));
      // In blocks, because tower_forward saves the input of each layer.
      constexpr std::size_t block_size = 8192;
      for (std::size_t r = 0; r < all_indices.size(); r += block_size) {
        const std::size_t count = std::min(block_size, all_indices.size() - r);
        Scratch scratch(memory_of(exec));
        static_cast<void>(
            tower_forward<T>(exec, {table, std::span<const Index>(all_indices).subspan(r, count)},
                             detail::layers_of(tower), activation_,
                             Rows<T>(rows(result)[r], count, table.dim()), scratch));
        synchronise(exec);  // a device may still use the scratch memory
      }
      return result;
    };
    return {all(tables.users, state.users), all(tables.items, state.items)};
  }

 private:
  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
  [[no_unique_address]] Activation activation_{};
};

static_assert(BackbonePolicy<MLP<64>>);
static_assert(BackbonePolicy<MLP<dynamic, 3, Identity>>);

}  // namespace prism::inline PRISM_ISA
