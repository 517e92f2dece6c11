// SPDX-License-Identifier: BSD-3-Clause
// A tower of dense layers with an activation between them, forward and backward: a chunk of rows
// passes through all layers while it is in cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/linear.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/device/tower.hpp"

namespace prism::inline PRISM_ISA {

/// Saved for the backward pass: the input of each layer, rows x padded(dim), and the packed layers.
template <class T, std::size_t Layers>
struct TowerSaved {
  std::array<Rows<T>, Layers> input;
  std::array<LinearLayer<T>, Layers> layer;
};

/// What tower_forward returns for an execution X.
template <class T, std::size_t Layers, Execution X>
using tower_saved_t =
    std::conditional_t<DeviceExecution<X>, DeviceTowerSaved<T, Layers>, TowerSaved<T, Layers>>;

namespace detail {
inline constexpr std::size_t tower_grain = 64;
}

/// Applies the layers, all of them dim x dim, to rows; no activation follows the last.
/// @param from    rows x dim
/// @param output  rows x dim, overwritten
template <class T, HostExecution X, std::size_t Layers, class Activation>
TowerSaved<T, Layers> tower_forward(const X& exec, IndexedRows<const T> from,
                                    const std::array<LayerView<T>, Layers>& layers,
                                    const Activation& activation, Rows<T> output,
                                    Scratch& scratch) {
  using Isa = typename X::isa;
  const std::size_t dim = from.dim(), width = padded<T, Isa>(dim);
  TowerSaved<T, Layers> saved;
  for (std::size_t l = 0; l < Layers; ++l) {
    saved.input[l] = scratch.allocate<T>(from.size(), width);
    saved.layer[l] = pack_layer<T>(exec, layers[l].weight, layers[l].bias, scratch);
  }
  const Rows<T> last_output = scratch.allocate<T>(from.size(), width);
  parallel_chunks(exec, from.size(), detail::tower_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      T* const to = saved.input[0][k];
      std::copy_n(from[k], dim, to);
      std::fill(to + dim, to + width, T{0});
    }
    for (std::size_t l = 0; l < Layers; ++l) {
      T* const y = l + 1 < Layers ? saved.input[l + 1][begin] : last_output[begin];
      linear_forward<Isa, T>(saved.layer[l], end - begin, saved.input[l][begin], y);
      if (l + 1 == Layers) break;
      for (std::size_t e = 0; e < (end - begin) * width; ++e) y[e] = activation.apply(y[e]);
    }
    for (std::size_t k = begin; k < end; ++k) std::copy_n(last_output[k], dim, output[k]);
  });
  return saved;
}

/// The backward pass of tower_forward. The sums over rows are added up in the order of chunks that
/// depend on the number of rows alone.
/// @param output_gradient  rows x dim
/// @param layer_gradients  of the weight and the bias of each layer in turn; added to
/// @return the gradient of the rows, in `scratch`
template <class T, HostExecution X, std::size_t Layers, class Activation>
[[nodiscard]] Rows<const T> tower_backward(const X& exec, const TowerSaved<T, Layers>& saved,
                                           Rows<const T> output_gradient,
                                           const Activation& activation,
                                           std::span<const Rows<T>> layer_gradients,
                                           Scratch& scratch) {
  using Isa = typename X::isa;
  const std::size_t size = output_gradient.size(), dim = output_gradient.dim();
  const std::size_t width = padded<T, Isa>(dim);
  constexpr std::size_t max_chunks = 16;
  const std::size_t chunk = std::max(detail::tower_grain, (size + max_chunks - 1) / max_chunks);
  const std::size_t chunks = (size + chunk - 1) / chunk;
  const Rows<T> g_weight = scratch.allocate<T>(chunks * Layers * dim, width);
  const Rows<T> g_bias = scratch.allocate<T>(chunks * Layers, dim);
  const Rows<T> g_out_rows = scratch.allocate<T>(size, width);
  const Rows<T> g_in_rows = scratch.allocate<T>(size, width);
  const Rows<T> gradient = scratch.allocate<T>(size, dim);
  parallel_chunks(exec, size, chunk, [&](std::size_t begin, std::size_t end) {
    const std::size_t first_layer = begin / chunk * Layers;
    T* g_out = g_out_rows[begin];
    T* g_in = g_in_rows[begin];
    for (std::size_t k = begin; k < end; ++k) {
      T* const to = g_out + (k - begin) * width;
      std::copy_n(output_gradient[k], dim, to);
      std::fill(to + dim, to + width, T{0});
    }
    for (std::size_t l = Layers; l-- > 0;) {
      linear_backward<Isa, T>(saved.layer[l], end - begin, saved.input[l][begin], g_out, g_in,
                              g_weight[(first_layer + l) * dim], g_bias[first_layer + l]);
      if (l > 0) {
        const T* const y = saved.input[l][begin];
        for (std::size_t e = 0; e < (end - begin) * width; ++e) {
          g_in[e] *= activation.derivative(y[e]);
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
        add_scaled<Isa>(layer_gradients[2 * l][o], T{1}, g_weight[(c * Layers + l) * dim + o], dim);
      }
      add_scaled<Isa>(layer_gradients[2 * l + 1][0], T{1}, g_bias[c * Layers + l], dim);
    }
  }
  return gradient;
}

}  // namespace prism::inline PRISM_ISA
