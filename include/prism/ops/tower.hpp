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
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_bits.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/device/tower.hpp"
#include "prism/ops/layer.hpp"

namespace prism::inline PRISM_ISA {

/// Saved for the backward pass: the input of each layer, rows x padded(dim), and the packed layers.
template <class T, std::size_t Layers>
struct TowerSaved {
  std::array<Rows<T>, Layers> input;
  std::array<detail::LinearLayer<T>, Layers> layer;
};

/// What tower_forward returns for an execution X.
template <class T, std::size_t Layers, Execution X>
using tower_saved_t =
    std::conditional_t<DeviceExecution<X>, DeviceTowerSaved<T, Layers>, TowerSaved<T, Layers>>;

namespace detail {

inline constexpr std::size_t tower_grain = 64;

/// Packs a layer's weights into scratch memory.
/// @param weight  out x in
/// @param bias    out
template <class T, Execution X>
[[nodiscard]] LinearLayer<T> pack_layer(const X& exec, Rows<const T> weight, const T* bias,
                                        Scratch& scratch) {
  using Isa = typename X::isa;
  constexpr std::size_t w = panel_columns<T, Isa>;
  const std::size_t out = weight.size(), in = weight.dim();
  const auto allocate = [&](std::size_t n) { return scratch.allocate<T>(n, 1).data(); };
  const LinearLayer<T> layer{in, out, allocate(padded<T, Isa>(out)),
                             allocate(panel_elements<T, Isa>(in, out)),
                             allocate(panel_elements<T, Isa>(out, in))};
  std::copy_n(bias, out, layer.bias);
  std::fill(layer.bias + out, layer.bias + padded<T, Isa>(out), T{0});
  const std::size_t transposed_panels = (out + w - 1) / w,
                    panels = transposed_panels + (in + w - 1) / w;
  constexpr std::size_t grain = std::size_t{1} << 14;  // numbers
  parallel_chunks(exec, panels, std::max<std::size_t>(grain / (w * std::max(in, out)), 1),
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t p = begin; p < end; ++p) {
                      const bool transposed = p < transposed_panels;
                      const std::size_t column = (transposed ? p : p - transposed_panels) * w;
                      T* const to = transposed ? layer.weight_transposed + column * in
                                               : layer.weight + column * out;
                      pack_panel<Isa>(weight, column, transposed, transposed ? in : out, to);
                    }
                  });
  return layer;
}

/// Whether an activation's functions take packs as well as single numbers, which it declares with
/// `static constexpr bool takes_packs = true`.
template <class Activation>
inline constexpr bool takes_packs = requires { requires Activation::takes_packs; };

/// Applies f to each number of a pack.
template <AnyPack P, class F>
[[nodiscard]] P map_numbers(P x, const F& f) {
  pack_number_t<P> numbers[P::width];
  x.store(numbers);
  for (auto& number : numbers) number = f(number);
  return P::load(numbers);
}

/// y[e] = activation.apply(y[e]), for n numbers in whole packs
template <class Isa, class T, class Activation>
void activate(const Activation& activation, T* y, std::size_t n) {
  using P = Pack<T, Isa>;
  for (std::size_t e = 0; e < n; e += P::width) {
    const P x = P::load(y + e);
    if constexpr (takes_packs<Activation>) {
      activation.apply(x).store(y + e);
    } else {
      map_numbers(x, [&](T number) { return activation.apply(number); }).store(y + e);
    }
  }
}
/// g[e] *= activation.derivative(y[e]), for n numbers in whole packs
template <class Isa, class T, class Activation>
void differentiate(const Activation& activation, const T* y, T* g, std::size_t n) {
  using P = Pack<T, Isa>;
  for (std::size_t e = 0; e < n; e += P::width) {
    P derivative = P::load(y + e);
    if constexpr (takes_packs<Activation>) {
      derivative = activation.derivative(derivative);
    } else {
      derivative = map_numbers(derivative, [&](T number) { return activation.derivative(number); });
    }
    (P::load(g + e) * derivative).store(g + e);
  }
}

/// Copies a row of dim numbers and pads it with zeros to width.
template <class T>
void copy_padded(T* to, const T* from, std::size_t dim, std::size_t width) {
  std::copy_n(from, dim, to);
  std::fill(to + dim, to + width, T{0});
}

}  // namespace detail

/// Applies the layers, all of them dim x dim, to rows; no activation follows the last.
/// @param from    rows x dim
/// @param output  rows x dim, overwritten
template <class T, HostExecution X, std::size_t Layers, class Activation>
TowerSaved<T, Layers> tower_forward(const X& exec, IndexedRows<const T> from,
                                    const std::array<LayerView<T>, Layers>& layers,
                                    const Activation& activation, Rows<T> output,
                                    Scratch& scratch) {
  using Isa = typename X::isa;
  const std::size_t dim = from.dim(), width = detail::padded<T, Isa>(dim);
  TowerSaved<T, Layers> saved;
  for (std::size_t l = 0; l < Layers; ++l) {
    saved.input[l] = scratch.allocate<T>(from.size(), width);
    saved.layer[l] = detail::pack_layer<T>(exec, layers[l].weight, layers[l].bias, scratch);
  }
  const bool whole_packs = dim == width;
  const Rows<T> last_output = whole_packs ? output : scratch.allocate<T>(from.size(), width);
  parallel_chunks(exec, from.size(), detail::tower_grain, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t ahead = 8;
    for (std::size_t k = begin; k < end; ++k) {
      if (k + ahead < from.size()) prefetch(from[k + ahead], dim);
      detail::copy_padded(saved.input[0][k], from[k], dim, width);
    }
    for (std::size_t l = 0; l < Layers; ++l) {
      const bool last = l + 1 == Layers;
      T* const y = last ? last_output[begin] : saved.input[l + 1][begin];
      detail::linear_forward<Isa>(saved.layer[l], end - begin, saved.input[l][begin], y);
      if (!last) detail::activate<Isa>(activation, y, (end - begin) * width);
    }
    if (whole_packs) return;
    for (std::size_t k = begin; k < end; ++k) std::copy_n(last_output[k], dim, output[k]);
  });
  return saved;
}

/// The backward pass of tower_forward. Sums over rows are added up block by block, in the order of
/// chunks that depend only on the number of rows.
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
  const std::size_t width = detail::padded<T, Isa>(dim);
  constexpr std::size_t max_chunks = 16, block = detail::tower_grain;
  // Whole blocks, whose rows go through all layers while they are in cache.
  const std::size_t blocks = (size + block - 1) / block;
  const std::size_t chunk =
      std::max<std::size_t>((blocks + max_chunks - 1) / max_chunks, 1) * block;
  const std::size_t chunks = (size + chunk - 1) / chunk;
  // The last row of a layer is its bias.
  const std::size_t layer_rows = dim + 1;
  const Rows<T> sums = scratch.allocate<T>(chunks * Layers * layer_rows, width);
  const Rows<T> work = scratch.allocate<T>(chunks * 2 * block, width);
  const Rows<T> gradient = scratch.allocate<T>(size, dim);
  parallel_chunks(exec, size, chunk, [&](std::size_t begin, std::size_t end) {
    const std::size_t c = begin / chunk;
    T* const chunk_sums = sums[c * Layers * layer_rows];
    std::fill_n(chunk_sums, Layers * layer_rows * width, T{0});
    for (std::size_t first = begin; first < end; first += block) {
      const std::size_t rows = std::min(block, end - first);
      T* free = work[c * 2 * block];
      T* other = work[(c * 2 + 1) * block];
      const T* g = output_gradient[first];
      if (dim != width) {
        for (std::size_t r = 0; r < rows; ++r) {
          detail::copy_padded(free + r * width, output_gradient[first + r], dim, width);
        }
        g = free;
        std::swap(free, other);
      }
      for (std::size_t l = Layers; l-- > 0;) {
        const T* const x = saved.input[l][first];
        T* const layer_sums = chunk_sums + l * layer_rows * width;
        detail::add_linear_gradient<Isa>(saved.layer[l], rows, x, g, layer_sums,
                                         layer_sums + dim * width);
        if (l == 0 && dim == width) free = gradient[first];
        detail::linear_input_gradient<Isa>(saved.layer[l], rows, g, free);
        if (l > 0) detail::differentiate<Isa>(activation, x, free, rows * width);
        g = free;
        std::swap(free, other);
      }
      if (dim == width) continue;
      for (std::size_t r = 0; r < rows; ++r) std::copy_n(g + r * width, dim, gradient[first + r]);
    }
  });
  constexpr std::size_t numbers = std::size_t{1} << 15;  // that a task reads from the sums
  const std::size_t grain = std::max<std::size_t>(numbers / (max_chunks * width), 1);
  parallel_chunks(exec, Layers * layer_rows, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t l = r / layer_rows, o = r % layer_rows;
      T* const to = o < dim ? layer_gradients[2 * l][o] : layer_gradients[2 * l + 1][0];
      for (std::size_t c = 0; c < chunks; ++c) {
        add_scaled<Isa>(to, T{1}, sums[c * Layers * layer_rows + r], dim);
      }
    }
  });
  return gradient;
}

}  // namespace prism::inline PRISM_ISA
