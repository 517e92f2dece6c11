// SPDX-License-Identifier: BSD-3-Clause
// A backbone turns table rows into output rows, and output gradients into table gradients. It knows
// no loss.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

// struct MyBackbone {
//   static constexpr std::string_view name = "MyBackbone";
//   std::size_t dim() const;                        // columns of both tables, at least 1
//   std::size_t output_dim() const;                 // optional: of output rows; dim() if left out
//   // Optional: trainable weights, see parameter.hpp.
//   template <class T> struct State;
//   // Optional: promises that forward and backward read no table row but those that the batch's
//   // sides list, so that a step costs what the batch costs.
//   static constexpr bool needs_all_rows = false;
//
//   // The output: a row for each row that the batch's sides list. Rows made anew lie in memory
//   // from step.scratch, in the sides' order: {{users, items}, saved}. The table's own are picked:
//   // {{{step.tables.users, step.batch.user_side.unique_rows},
//   //   {step.tables.items, step.batch.item_side.unique_rows}}, saved}. `saved` is handed to
//   //   backward.
//   template <class T, Execution X> Forward<T, Saved> forward(const BackboneStep<T, X>& step,
//                                                            const state_t<MyBackbone, T>&) const;
//   // Turns the gradient of forward's output into the tables' gradients, and adds to those of the
//   // state's parameters, step.parameter_gradients.
//   template <class T, Execution X>
//   TableGradients<T> backward(const BackboneStep<T, X>&, const state_t<MyBackbone, T>&,
//                              const Saved& saved, Embeddings<const T> output_gradient) const;
//   // The output of every row, for ranking.
//   template <class T, Execution X>
//   Output<T> output(const X& exec, Embeddings<const T> tables, const Interactions& train,
//                    const state_t<MyBackbone, T>&) const;
// };

/// What forward keeps where the way back has nothing to know.
struct NothingSaved {};

/// What forward returns.
template <class T, class Saved = NothingSaved>
struct Forward {
  BatchRows<T> output;
  /// What the way back has to know of the way there.
  [[no_unique_address]] Saved saved{};
};

template <class B, class T = double>
concept BackbonePolicy = std::copyable<B> && TrainableState<B, T> &&
    requires(const B& backbone, const BackboneStep<T>& step, Embeddings<const T> in,
             const Interactions& train, const state_t<B, T>& state) {
  { B::name } -> std::convertible_to<std::string_view>;
  { backbone.dim() } -> std::convertible_to<std::size_t>;
  { backbone.template forward<T>(step, state).output } -> std::convertible_to<BatchRows<T>>;
  {
    backbone.template backward<T>(step, state, backbone.template forward<T>(step, state).saved, in)
    } -> std::same_as<TableGradients<T>>;
  { backbone.template output<T>(par, in, train, state) } -> std::same_as<Output<T>>;
};

/// Columns of a backbone's output rows.
template <class B>
[[nodiscard]] constexpr std::size_t output_dim(const B& backbone) noexcept {
  if constexpr (requires { backbone.output_dim(); }) {
    return backbone.output_dim();
  } else {
    return backbone.dim();
  }
}

/// Whether a step may read table rows outside the batch.
template <class B>
[[nodiscard]] constexpr bool needs_all_rows() noexcept {
  if constexpr (requires { B::needs_all_rows; }) {
    static_assert(std::is_same_v<decltype(B::needs_all_rows), const bool>,
                  "a backbone's needs_all_rows is a constant: static constexpr bool");
    return B::needs_all_rows;
  } else {
    return true;
  }
}

}  // namespace prism::inline PRISM_ISA
