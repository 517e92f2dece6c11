// SPDX-License-Identifier: BSD-3-Clause
// A dense layer's weights, as they are, and packed for the host's kernels.
#pragma once

#include <algorithm>
#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/linear.hpp"
#include "prism/kernel/matrix_product.hpp"

namespace prism::inline PRISM_ISA {

/// A dense layer y = x W' + b.
template <class T>
struct LayerView {
  Rows<const T> weight;  // out x in
  const T* bias;         // out
};

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
  const std::size_t of_transposed = (out + w - 1) / w, panels = of_transposed + (in + w - 1) / w;
  constexpr std::size_t grain = std::size_t{1} << 14;  // numbers
  parallel_chunks(exec, panels, std::max<std::size_t>(grain / (w * std::max(in, out)), 1),
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t p = begin; p < end; ++p) {
                      const bool transposed = p < of_transposed;
                      const std::size_t column = (transposed ? p : p - of_transposed) * w;
                      T* const to = transposed ? layer.weight_transposed + column * in
                                               : layer.weight + column * out;
                      pack_panel<Isa>(weight, column, transposed, transposed ? in : out, to);
                    }
                  });
  return layer;
}

}  // namespace prism::inline PRISM_ISA
