// SPDX-License-Identifier: BSD-3-Clause
// A linear layer y = x W' + b on a block of rows, and its gradients. Rows are padded with zeros to
// whole packs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// `dim` rounded up to a number of columns that matrix_product() takes.
template <class T, class Isa = isa::native>
[[nodiscard]] constexpr std::size_t padded(std::size_t dim) noexcept {
  constexpr std::size_t width = pack_width<T, Isa>;
  return (dim + width - 1) / width * width;
}

/// A layer's weights, laid out for the forward and the backward pass.
template <class T>
struct LinearLayer {
  Rows<const T> weight;       // out x in
  const T* bias;              // out
  Rows<T> weight_transposed;  // in x padded(out): W transposed
  Rows<T> weight_padded;      // out x padded(in): W

  [[nodiscard]] std::size_t in() const noexcept { return weight.dim(); }
  [[nodiscard]] std::size_t out() const noexcept { return weight.size(); }
};

/// Packs a layer's weights into scratch memory.
/// @param weight  out x in
/// @param bias    out
template <class T, Execution X>
[[nodiscard]] LinearLayer<T> pack_layer(const X& exec, Rows<const T> weight, const T* bias,
                                        Scratch& scratch) {
  using Isa = typename X::isa;
  const std::size_t out = weight.size(), in = weight.dim();
  const LinearLayer<T> layer{weight, bias, scratch.allocate_zeros<T>(exec, in, padded<T, Isa>(out)),
                             scratch.allocate_zeros<T>(exec, out, padded<T, Isa>(in))};
  for (std::size_t o = 0; o < out; ++o) {
    std::copy_n(weight[o], in, layer.weight_padded[o]);
    for (std::size_t i = 0; i < in; ++i) layer.weight_transposed[i][o] = weight[o][i];
  }
  return layer;
}

/// y = x W' + b
/// @param x  rows x padded(in)
/// @param y  rows x padded(out), overwritten; padding becomes zero
template <class Isa = isa::native, class T>
void linear_forward(const LinearLayer<T>& layer, std::size_t rows, const T* x, T* y) noexcept {
  const std::size_t in = padded<T, Isa>(layer.in()), out = padded<T, Isa>(layer.out());
  matrix_product<Store::overwrite, Isa>(rows, out, layer.in(), LeftFactor<T>{x, in, 1},
                                        layer.weight_transposed.data(), out, y, out);
  for (std::size_t r = 0; r < rows; ++r)
    add_scaled<Isa>(y + r * out, T{1}, layer.bias, layer.out());
}

/// The gradients of a block of rows.
/// @param x         rows x padded(in), the input
/// @param g         rows x padded(out), the gradient with respect to the output
/// @param g_x       rows x padded(in), overwritten
/// @param g_weight  out x padded(in), overwritten
/// @param g_bias    out, overwritten
template <class Isa = isa::native, class T>
void linear_backward(const LinearLayer<T>& layer, std::size_t rows, const T* x, const T* g, T* g_x,
                     T* g_weight, T* g_bias) noexcept {
  const std::size_t in = padded<T, Isa>(layer.in()), out = padded<T, Isa>(layer.out());
  matrix_product<Store::overwrite, Isa>(rows, in, layer.out(), LeftFactor<T>{g, out, 1},
                                        layer.weight_padded.data(), in, g_x, in);
  matrix_product<Store::overwrite, Isa>(layer.out(), in, rows, LeftFactor<T>{g, 1, out}, x, in,
                                        g_weight, in);
  std::fill_n(g_bias, layer.out(), T{0});
  for (std::size_t r = 0; r < rows; ++r) add_scaled<Isa>(g_bias, T{1}, g + r * out, layer.out());
}

}  // namespace prism::inline PRISM_ISA
