// SPDX-License-Identifier: BSD-3-Clause
// A backbone turns table rows into output rows, and output gradients into table gradients. It knows
// no loss.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

// struct MyBackbone {
//   static constexpr std::string_view name = "MyBackbone";
//   std::size_t dim() const;                        // columns of both tables, at least 1
//   template <class T> struct State;                // optional: weights, the training graph
//
//   // Fills output.users and output.items: one row for each of the batch's distinct rows.
//   template <class T> void forward(Embeddings<const T> tables, const Batch&, state_t<..., T>&,
//                                   Embeddings<T> output) const;
//   // Turns the gradient of forward's output into the tables' gradients.
//   template <class T> TableGradients<T> backward(Embeddings<const T> tables, const Batch&,
//       state_t<..., T>&, Embeddings<const T> output_gradient, Scratch&) const;
//   // The output of every row, for ranking; may point into the tables, or into the state.
//   template <class T> Embeddings<const T> output(Embeddings<const T> tables,
//                                                 state_t<..., T>&) const;
// };
template <class B>
concept BackbonePolicy = std::copyable<B> &&
    requires(const B& backbone, const Batch& batch, Embeddings<const double> in,
             Embeddings<double> out, state_t<B, double>& state, Scratch& scratch) {
  { B::name } -> std::convertible_to<std::string_view>;
  { backbone.dim() } -> std::convertible_to<std::size_t>;
  {backbone.template forward<double>(in, batch, state, out)};
  {
    backbone.template backward<double>(in, batch, state, in, scratch)
    } -> std::same_as<TableGradients<double>>;
  { backbone.template output<double>(in, state) } -> std::same_as<Embeddings<const double>>;
};

}  // namespace prism::inline PRISM_ISA
