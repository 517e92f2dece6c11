// SPDX-License-Identifier: BSD-3-Clause
// A backbone maps embeddings to output rows (forward) and output gradients to table gradients
// (backward). It does not depend on the loss.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/contract.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// The properties that a backbone declares.
struct BackboneTraits {
  /// Whether forward and backward may read any table row. If they read only the unique rows of the
  /// batch's sides, the cost of a training step does not depend on the size of the tables.
  bool needs_all_rows = true;
};

// struct MyBackbone {
//   static constexpr std::string_view name = "MyBackbone";
//   std::size_t dim() const;                        // columns of both tables, at least 1
//   std::size_t output_dim() const;                 // optional: of output rows; default dim()
//   // Optional: trainable weights, see parameter.hpp.
//   template <class T> struct State;
//   // Optional: the traits that differ from the defaults, BackboneTraits{}.
//   static constexpr BackboneTraits traits{.needs_all_rows = false};
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
//
//   // The output rows of each side's unique rows, in the same order. Computed rows are allocated
//   // from step.scratch: {{users, items}, saved}. Table rows are selected by their indices:
//   // {{{step.tables.users, step.batch.user_side.unique_rows},
//   //   {step.tables.items, step.batch.item_side.unique_rows}}, saved}. `saved` is passed to
//   //   backward.
//   template <class T, Execution X> ForwardResult<T, Saved> forward(const BackboneStep<T, X>& step,
//                                                            const state_t<MyBackbone, T>&) const;
//   // Computes the tables' gradients from the output gradient, and adds the gradients of the
//   // State's parameters to step.parameter_gradients.
//   template <class T, Execution X>
//   TableGradients<T> backward(const BackboneStep<T, X>&, const state_t<MyBackbone, T>&,
//                              const Saved& saved, Embeddings<const T> output_gradient) const;
//   // The output rows of all users and items, for ranking.
//   template <class T, Execution X>
//   Output<T> output(const X& exec, Embeddings<const T> tables, const Interactions& train,
//                    const state_t<MyBackbone, T>&) const;
// };

/// The saved values of a backbone whose backward needs none.
struct NothingSaved {};

/// What forward returns.
template <class T, class Saved = NothingSaved>
struct ForwardResult {
  BatchRows<T> output;
  /// Values saved for backward, as in autograd.
  [[no_unique_address]] Saved saved{};
};

namespace detail {

template <class B>
concept BackboneTraitsFit = !names_traits<B> || ConstantTraits<B, BackboneTraits>;
template <class B>
concept HasDim = requires(const B& backbone) {
  { backbone.dim() } -> std::convertible_to<std::size_t>;
};
template <class B>
concept OutputDimFits = !names_output_dim<B> || requires(const B& backbone) {
  { backbone.output_dim() } -> std::convertible_to<std::size_t>;
};

template <class B, class T, class X>
concept TakesForward =
    requires(const B& backbone, const BackboneStep<T, X>& step, const state_t<B, T>& state) {
      backbone.template forward<T>(step, state);
    };
template <class B, class T, class X>
concept ReturnsForward =
    requires(const B& backbone, const BackboneStep<T, X>& step, const state_t<B, T>& state) {
      { backbone.template forward<T>(step, state).output } -> std::convertible_to<BatchRows<T>>;
      backbone.template forward<T>(step, state).saved;
    };
template <class B, class T, class X>
concept TakesBackward = requires(const B& backbone, const BackboneStep<T, X>& step,
                                 const state_t<B, T>& state, Embeddings<const T> gradient) {
  {
    backbone.template backward<T>(step, state, backbone.template forward<T>(step, state).saved,
                                  gradient)
  } -> std::same_as<TableGradients<T>>;
};
template <class B, class T, class X>
concept TakesOutput = requires(const B& backbone, const X& exec, Embeddings<const T> tables,
                               const Interactions& train, const state_t<B, T>& state) {
  { backbone.template output<T>(exec, tables, train, state) } -> std::same_as<Output<T>>;
};
template <class B, class T, class X>
concept RunsOn = TakesForward<B, T, X> && ReturnsForward<B, T, X> && TakesBackward<B, T, X> &&
                 TakesOutput<B, T, X>;

}  // namespace detail

/// @tparam T  scalar type
/// @tparam X  execution
template <class B, class T = double, class X = Host<>>
concept BackbonePolicy =
    detail::AnyPolicy<B> && TrainableState<B, T, X> && detail::BackboneTraitsFit<B> &&
    detail::HasDim<B> && detail::OutputDimFits<B> && detail::RunsOn<B, T, X>;

/// Whether B is a backbone. If it is not, the first compiler error names the missing requirement:
/// `static_assert(check_backbone<MyBackbone>())`.
template <class B, class T = double, Execution X = Host<>>
[[nodiscard]] consteval bool check_backbone() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(B, "a backbone");
  PRISM_STATE_CONTRACT(B, T, X, "a backbone");
  static_assert(BackboneTraitsFit<B>,
                "a backbone's traits must be a constant: static constexpr BackboneTraits "
                "traits{...}");
  static_assert(
      HasDim<B>,
      "a backbone must return the number of columns of its tables: std::size_t dim() const");
  static_assert(OutputDimFits<B>,
                "a backbone's output_dim, if it has one, must be: std::size_t output_dim() "
                "const");
  static_assert(RunsOn<B, T, X> || !RunsOn<B, T, Host<>>,
                "a backbone's forward, backward and output must accept every execution, but do not "
                "accept this one: template <class T, Execution X>");
  static_assert(
      TakesForward<B, T, X>,
      "a backbone must have a forward: template <class T, Execution X> ForwardResult<T, Saved> "
      "forward(const BackboneStep<T, X>& step, const state_t<MyBackbone, T>& state) "
      "const");
  static_assert(
      !TakesForward<B, T, X> || ReturnsForward<B, T, X>,
      "a backbone's forward must return a ForwardResult<T, Saved>, or a ForwardResult<T>");
  static_assert(!ReturnsForward<B, T, X> || TakesBackward<B, T, X>,
                "a backbone must have a backward: template <class T, Execution X> "
                "TableGradients<T> backward(const BackboneStep<T, X>& step, const "
                "state_t<MyBackbone, T>& state, const Saved& saved, Embeddings<const T> "
                "output_gradient) const, where Saved is the type of saved in what forward returns");
  static_assert(TakesOutput<B, T, X>,
                "a backbone must have an output: template <class T, Execution X> Output<T> "
                "output(const X& exec, Embeddings<const T> tables, const Interactions& train, "
                "const state_t<MyBackbone, T>& state) const");
  return BackbonePolicy<B, T, X>;
}

/// The traits of a backbone; the defaults if it declares none.
template <class B>
[[nodiscard]] consteval BackboneTraits backbone_traits() noexcept {
  if constexpr (detail::names_traits<B>) {
    static_assert(detail::BackboneTraitsFit<B>,
                  "a backbone's traits must be a constant: static constexpr BackboneTraits "
                  "traits{...}");
    return B::traits;
  } else {
    return {};
  }
}

/// Columns of a backbone's output rows.
template <class B>
[[nodiscard]] constexpr std::size_t output_dim(const B& backbone) noexcept {
  if constexpr (detail::names_output_dim<B>) {
    return backbone.output_dim();
  } else {
    return backbone.dim();
  }
}

}  // namespace prism::inline PRISM_ISA
