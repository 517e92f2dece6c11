// SPDX-License-Identifier: BSD-3-Clause
// A tower of dense layers on a device, layer by layer. See ops/tower.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/ops/device/matrix_product.hpp"
#include "prism/ops/layer.hpp"
#include "prism/ops/ordered_sums.hpp"

namespace prism::inline PRISM_ISA {

/// Saved for the backward pass: the input of each layer, and the layers.
template <class T, std::size_t Layers>
struct DeviceTowerSaved {
  IndexedRows<const T> from;            // the first layer's input
  std::array<Rows<T>, Layers> input{};  // the others'
  std::array<LayerView<T>, Layers> layers{};
};

namespace detail {

/// Stores a layer's output in `to`: the products plus the bias, after the activation.
template <class T, class Activation>
struct ActivateInto {
  Rows<T> to;
  const T* bias;
  Activation activation;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][column] = activation.apply(number + bias[column]);
  }
};
/// Stores the last layer's output in `to`: the products plus the bias, without an activation.
template <class T>
struct AddBiasInto {
  Rows<T> to;
  const T* bias;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][column] = number + bias[column];
  }
};
/// Stores the gradient of an activation's input, from the gradient of its output y.
template <class T, class Activation>
struct DifferentiateInto {
  Rows<T> to;
  Rows<const T> y;
  Activation activation;
  PRISM_HOST_DEVICE void operator()(std::size_t row, std::size_t column, T number) const noexcept {
    to[row][column] = number * activation.derivative(y[row][column]);
  }
};

/// to += the sum of all rows
template <class T, DeviceExecution X>
void add_sum_of_rows(const X& exec, Rows<const T> from, T* to, Scratch& scratch) {
  T* const sum = scratch.allocate<T>(1, from.dim()).data();
  sum_rows<T>(exec, from, nullptr, sum, scratch);
  for_each_element(exec, from.dim(),
                   [=] PRISM_HOST_DEVICE(std::size_t column) { to[column] += sum[column]; });
}

}  // namespace detail

/// tower_forward on a device: see ops/tower.hpp.
/// @param from    rows x dim; tower_backward reads the rows again
/// @param output  rows x dim, overwritten
template <class T, DeviceExecution X, std::size_t Layers, class Activation>
DeviceTowerSaved<T, Layers> tower_forward(const X& exec, IndexedRows<const T> from,
                                          const std::array<LayerView<T>, Layers>& layers,
                                          const Activation& activation, Rows<T> output,
                                          Scratch& scratch) {
  using namespace detail;
  const std::size_t size = from.size(), dim = from.dim();
  DeviceTowerSaved<T, Layers> saved{.from = from, .layers = layers};
  for (std::size_t l = 0; l < Layers; ++l) {
    const ByLine<Rows<const T>> weight{layers[l].weight};
    const IndexedRows<const T> x = l == 0 ? from : IndexedRows<const T>(saved.input[l]);
    const ByLine<IndexedRows<const T>> input{x};
    if (l + 1 == Layers) {
      multiply<T>(exec, {size, dim, dim}, input, weight, AddBiasInto<T>{output, layers[l].bias},
                  scratch);
      break;
    }
    saved.input[l + 1] = scratch.allocate<T>(size, dim);
    multiply<T>(exec, {size, dim, dim}, input, weight,
                ActivateInto<T, Activation>{saved.input[l + 1], layers[l].bias, activation},
                scratch);
  }
  return saved;
}

/// tower_backward on a device: see ops/tower.hpp.
/// @param output_gradient  rows x dim
/// @param layer_gradients  of the weight and the bias of each layer in turn; added to
/// @return the gradient of the rows, in `scratch`
template <class T, DeviceExecution X, std::size_t Layers, class Activation>
[[nodiscard]] Rows<const T> tower_backward(const X& exec, const DeviceTowerSaved<T, Layers>& saved,
                                           Rows<const T> output_gradient,
                                           const Activation& activation,
                                           std::span<const Rows<T>> layer_gradients,
                                           Scratch& scratch) {
  using namespace detail;
  const std::size_t size = output_gradient.size(), dim = output_gradient.dim();
  Rows<const T> g = output_gradient;
  for (std::size_t l = Layers; l-- > 0;) {
    const IndexedRows<const T> x =
        l == 0 ? saved.from : IndexedRows<const T>(Rows<const T>(saved.input[l]));
    multiply<T>(exec, {dim, dim, size}, ByDepth<Rows<const T>>{g}, ByDepth<IndexedRows<const T>>{x},
                AddTo<T>{layer_gradients[2 * l]}, scratch);
    add_sum_of_rows<T>(exec, g, layer_gradients[2 * l + 1][0], scratch);
    const Rows<T> g_x = scratch.allocate<T>(size, dim);
    const ByLine<Rows<const T>> left{g};
    const ByDepth<Rows<const T>> weight{saved.layers[l].weight};
    if (l == 0) {
      multiply<T>(exec, {size, dim, dim}, left, weight, OverwriteWith<T>{g_x}, scratch);
    } else {
      multiply<T>(exec, {size, dim, dim}, left, weight,
                  DifferentiateInto<T, Activation>{g_x, saved.input[l], activation}, scratch);
    }
    g = g_x;
  }
  return g;
}

}  // namespace prism::inline PRISM_ISA
