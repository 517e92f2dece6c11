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
#include <vector>

#include "prism/backbone/activation.hpp"
#include "prism/backbone/embedding.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/exec/serial.hpp"
#include "prism/kernel/fill.hpp"
#include "prism/kernel/linear.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/label.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// One side's layers: W (out x in) and b, as y = x W' + b.
template <class T, std::size_t Layers>
struct Tower {
  std::array<Matrix<T>, Layers> weight;
  std::array<Matrix<T>, Layers> bias;

  /// Uniform in +-1/sqrt(fan-in), biases too.
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

  /// How many draws a tower takes.
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

/// What went into each layer, rows x padded(dim), and the layers laid out.
template <class T, std::size_t Layers>
struct TowerSaved {
  std::array<Rows<T>, Layers> input;
  std::array<LinearLayer<T>, Layers> layer;
};

}  // namespace detail

/// A tower a side: linear layers of Dim x Dim with an activation between them (none after the
/// last), over the table rows. He et al.: "Neural collaborative filtering", WWW 2017, has the
/// tower; here users and items are compared by their towers' outputs.
///
/// @tparam Dim         columns of tables and layers, at least 1; or `dynamic`: `MLP<dynamic>(48)`
/// @tparam Layers      linear layers, at least 1
/// @tparam Activation  ReLU, or Identity
template <std::size_t Dim, std::size_t Layers = 2, class Activation = ReLU>
class MLP {
  static_assert(Layers > 0, "MLP<Dim, Layers>: there must be at least 1 layer, not 0");
  static_assert(check_activation<Activation>(),
                "MLP<Dim, Layers, Activation>: the 3rd argument is no activation, as ReLU is; what "
                "one has to have stands in prism/backbone/activation.hpp");

 public:
  static constexpr std::string_view name = "MLP";
  static constexpr BackboneTraits traits{.needs_all_rows = false};

  constexpr MLP() = default;
  constexpr explicit MLP(std::size_t dim, Activation activation = {}) requires(Dim == dynamic)
      : dim_{dim}, activation_(activation) {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  /// @throws ArgumentError  for an option of the activation outside its domain
  void check() const { check_options(activation_); }

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

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      users.for_each_parameter(visit);
      items.for_each_parameter(visit);
    }
  };

  /// What backward needs of both towers.
  template <class T>
  struct Saved {
    detail::TowerSaved<T, Layers> users;
    detail::TowerSaved<T, Layers> items;
  };

  template <class T, Execution X>
  [[nodiscard]] Forward<T, Saved<T>> forward(const BackboneStep<T, X>& step,
                                             const State<T>& state) const {
    const std::span<const Index> users = step.batch.user_side.unique_rows;
    const std::span<const Index> items = step.batch.item_side.unique_rows;
    const Embeddings<T> output{step.scratch.template allocate<T>(users.size(), dim()),
                               step.scratch.template allocate<T>(items.size(), dim())};
    return {{output.users, output.items},
            {tower_forward(step.exec, step.tables.users, users, state.users, output.users,
                           step.scratch),
             tower_forward(step.exec, step.tables.items, items, state.items, output.items,
                           step.scratch)}};
  }

  template <class T, Execution X>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>&,
                                           const Saved<T>& saved,
                                           Embeddings<const T> output_gradient) const {
    return {TableGradient<T>::sparse(tower_backward(step, saved.users, output_gradient.users,
                                                    step.parameter_gradients.first(2 * Layers)),
                                     step.batch.user_side),
            TableGradient<T>::sparse(tower_backward(step, saved.items, output_gradient.items,
                                                    step.parameter_gradients.subspan(2 * Layers)),
                                     step.batch.item_side)};
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& exec, Embeddings<const T> tables,
                                 const Interactions& /*train*/, const State<T>& state) const {
    const auto all = [&](Rows<const T> table, const detail::Tower<T, Layers>& tower) {
      Matrix<T> result(typename Matrix<T>::shape_type{table.size(), table.dim()});
      std::vector<Index> all_indices(table.size());
      for (std::size_t r = 0; r < all_indices.size(); ++r) all_indices[r] = static_cast<Index>(r);
      // In portions, because climb keeps what goes into each layer.
      constexpr std::size_t block_size = 8192;
      for (std::size_t r = 0; r < all_indices.size(); r += block_size) {
        const std::size_t count = std::min(block_size, all_indices.size() - r);
        Scratch scratch;
        static_cast<void>(
            tower_forward(exec, table, std::span<const Index>(all_indices).subspan(r, count), tower,
                          Rows<T>(rows(result)[r], count, table.dim()), scratch));
      }
      return result;
    };
    return {all(tables.users, state.users), all(tables.items, state.items)};
  }

 private:
  static constexpr std::size_t grain = 64;

  /// Takes table rows up to output rows.
  template <class T, Execution X>
  detail::TowerSaved<T, Layers> tower_forward(const X& exec, Rows<const T> table,
                                              std::span<const Index> from,
                                              const detail::Tower<T, Layers>& tower, Rows<T> output,
                                              Scratch& scratch) const {
    const std::size_t dim = table.dim(), width = padded<T, typename X::isa>(dim);
    detail::TowerSaved<T, Layers> saved;
    for (std::size_t l = 0; l < Layers; ++l) {
      saved.input[l] = scratch.allocate<T>(from.size(), width);
      saved.layer[l] = pack_layer<T>(exec, rows(tower.weight[l]), tower.bias[l].data(), scratch);
    }
    const Rows<T> last_output = scratch.allocate<T>(from.size(), width);
    parallel_chunks(exec, from.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        T* const to = saved.input[0][k];
        std::copy_n(table[from[k]], dim, to);
        std::fill(to + dim, to + width, T{0});
      }
      for (std::size_t l = 0; l < Layers; ++l) {
        T* const y = l + 1 < Layers ? saved.input[l + 1][begin] : last_output[begin];
        linear_forward<typename X::isa, T>(saved.layer[l], end - begin, saved.input[l][begin], y);
        if (l + 1 == Layers) break;
        for (std::size_t e = 0; e < (end - begin) * width; ++e) y[e] = activation_.apply(y[e]);
      }
      for (std::size_t k = begin; k < end; ++k) std::copy_n(last_output[k], dim, output[k]);
    });
    return saved;
  }

  /// Takes the output's gradient down to the table rows, and adds to the layers'. The sums over
  /// rows fold in the order of chunks that depend on the batch alone.
  /// @param tower_gradients  of the layers' weights and biases in turn
  template <class T, Execution X>
  Rows<const T> tower_backward(const BackboneStep<T, X>& step,
                               const detail::TowerSaved<T, Layers>& saved, Rows<const T> output,
                               std::span<const Rows<T>> tower_gradients) const {
    const X& exec = step.exec;
    Scratch& scratch = step.scratch;
    const std::size_t dim = output.dim(), width = padded<T, typename X::isa>(dim);
    constexpr std::size_t max_chunks = 16;
    const std::size_t chunk = std::max(grain, (output.size() + max_chunks - 1) / max_chunks);
    const std::size_t chunks = (output.size() + chunk - 1) / chunk;
    const Rows<T> g_weight = scratch.allocate<T>(chunks * Layers * dim, width);
    const Rows<T> g_bias = scratch.allocate<T>(chunks * Layers, dim);
    const Rows<T> g_out_rows = scratch.allocate<T>(output.size(), width);
    const Rows<T> g_in_rows = scratch.allocate<T>(output.size(), width);
    const Rows<T> gradient = scratch.allocate<T>(output.size(), dim);
    parallel_chunks(exec, output.size(), chunk, [&](std::size_t begin, std::size_t end) {
      const std::size_t place = begin / chunk * Layers;
      T* g_out = g_out_rows[begin];
      T* g_in = g_in_rows[begin];
      for (std::size_t k = begin; k < end; ++k) {
        T* const to = g_out + (k - begin) * width;
        std::copy_n(output[k], dim, to);
        std::fill(to + dim, to + width, T{0});
      }
      for (std::size_t l = Layers; l-- > 0;) {
        linear_backward<typename X::isa, T>(saved.layer[l], end - begin, saved.input[l][begin],
                                            g_out, g_in, g_weight[(place + l) * dim],
                                            g_bias[place + l]);
        if (l > 0) {
          const T* const y = saved.input[l][begin];
          for (std::size_t e = 0; e < (end - begin) * width; ++e) {
            g_in[e] *= activation_.derivative(y[e]);
          }
        }
        std::swap(g_out, g_in);
      }
      for (std::size_t k = begin; k < end; ++k) {
        std::copy_n(g_out + (k - begin) * width, dim, gradient[k]);
      }
    });
    for (std::size_t c = 0; c < chunks; ++c) {
      for (std::size_t l = 0; l < Layers; ++l) {
        for (std::size_t o = 0; o < dim; ++o) {
          add_scaled<typename X::isa>(tower_gradients[2 * l][o], T{1},
                                      g_weight[(c * Layers + l) * dim + o], dim);
        }
        add_scaled<typename X::isa>(tower_gradients[2 * l + 1][0], T{1}, g_bias[c * Layers + l],
                                    dim);
      }
    }
    return gradient;
  }

  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
  [[no_unique_address]] Activation activation_{};
};

static_assert(BackbonePolicy<MLP<64>>);
static_assert(BackbonePolicy<MLP<dynamic, 3, Identity>>);

}  // namespace prism::inline PRISM_ISA
