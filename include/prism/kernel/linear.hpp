// SPDX-License-Identifier: BSD-3-Clause
// A linear layer y = x W' + b on a block of rows, and its gradients. Rows are padded with zeros
// to whole packs.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// `dim` rounded up to a number of columns that matrix_product() accepts.
template <class T, class Isa = isa::native>
[[nodiscard]] constexpr std::size_t padded(std::size_t dim) noexcept {
  constexpr std::size_t width = pack_width<T, Isa>;
  return (dim + width - 1) / width * width;
}

/// A layer's weights, laid out for the forward and the backward pass.
template <class T>
struct LinearLayer {
  std::size_t in = 0;
  std::size_t out = 0;
  T* bias = nullptr;               // padded(out)
  T* weight_transposed = nullptr;  // W', in x padded(out), in panels
  T* weight = nullptr;             // W, out x padded(in), in panels
};

/// y = x W' + b
/// @param x  rows x padded(in)
/// @param y  rows x padded(out), overwritten; padding becomes zero
template <class Isa = isa::native, class T>
void linear_forward(const LinearLayer<T>& layer, std::size_t rows, const T* x, T* y) noexcept {
  using P = Pack<T, Isa>;
  const std::size_t in = padded<T, Isa>(layer.in), out = padded<T, Isa>(layer.out);
  matrix_product_with_epilogue<Isa>(
      rows, out, layer.in, LeftFactor<T>{x, in, 1},
      RightFactor<T>::template panels<Isa>(layer.weight_transposed, layer.in), y, out,
      [bias = layer.bias](P sum, std::size_t, std::size_t column) {
        return sum + P::load(bias + column);
      });
}

/// The gradient with respect to x: g W.
/// @param g    rows x padded(out), the gradient with respect to y
/// @param g_x  rows x padded(in), overwritten
template <class Isa = isa::native, class T>
void linear_input_gradient(const LinearLayer<T>& layer, std::size_t rows, const T* g,
                           T* g_x) noexcept {
  const std::size_t in = padded<T, Isa>(layer.in), out = padded<T, Isa>(layer.out);
  matrix_product<Store::overwrite, Isa>(
      rows, in, layer.out, LeftFactor<T>{g, out, 1},
      RightFactor<T>::template panels<Isa>(layer.weight, layer.out), g_x, in);
}

/// Adds the gradients of the weights and the bias for a block of rows.
/// @param x         rows x padded(in)
/// @param g         rows x padded(out), the gradient with respect to y
/// @param g_weight  out x padded(in)
/// @param g_bias    padded(out)
template <class Isa = isa::native, class T>
void add_linear_gradient(const LinearLayer<T>& layer, std::size_t rows, const T* x, const T* g,
                         T* g_weight, T* g_bias) noexcept {
  const std::size_t in = padded<T, Isa>(layer.in), out = padded<T, Isa>(layer.out);
  matrix_product<Store::add, Isa>(layer.out, in, rows, LeftFactor<T>{g, 1, out}, x, in, g_weight,
                                  in);
  // A row of ones times g.
  const T one = 1;
  matrix_product<Store::add, Isa>(1, out, rows, LeftFactor<T>{&one, 0, 0}, g, out, g_bias, out);
}

}  // namespace prism::inline PRISM_ISA::detail
