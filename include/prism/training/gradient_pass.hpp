// SPDX-License-Identifier: BSD-3-Clause
// Forward pass, loss and backward pass of a batch.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/ops/evaluate_loss.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The parts of a model that a batch passes through.
template <class T, class Backbone, class Loss>
struct ModelParts {
  Embeddings<const T> tables;
  const Backbone& backbone;
  state_t<Backbone, T>& backbone_state;
  const Loss& loss;
  state_t<Loss, T>& loss_state;

  /// The backbone's trained parameters, then the loss's. @return the number of the backbone's
  template <class Visit>
  std::size_t for_each_trained_parameter(const Visit& visit) const {
    std::size_t backbone_parameters = 0;
    prism::for_each_trained_parameter<T>(backbone_state, [&](const ParameterView<T>& parameter) {
      ++backbone_parameters;
      visit(parameter);
    });
    prism::for_each_trained_parameter<T>(loss_state, visit);
    return backbone_parameters;
  }
};

/// The gradient of a parameter as an optimizer takes it. @param values  as in BackboneStep
template <class T>
[[nodiscard]] TableGradient<T> gradient_of(const ParameterView<T>& parameter, Rows<const T> values,
                                           const Batch& batch) {
  switch (parameter.reached) {
    case ParameterRows::users:
      return TableGradient<T>::sparse(values, batch.user_side);
    case ParameterRows::items:
      return TableGradient<T>::sparse(values, batch.item_side);
    case ParameterRows::all:
      break;
  }
  return TableGradient<T>::dense(values, {});
}

/// What the backward pass needs of the forward pass.
template <class T, Execution X, class Forward>
struct LossPass {
  double loss;
  BackboneStep<T, X> step;
  Forward forward;
  Embeddings<T> gradient;  // of the output rows

  /// The gradients of the tables, and those of the backbone's parameters.
  template <class Backbone, class Loss>
  [[nodiscard]] TableGradients<T> backward(const ModelParts<T, Backbone, Loss>& model) const {
    return model.backbone.template backward<T>(step, model.backbone_state, forward.saved, gradient);
  }
};

/// Forward pass and loss of a batch. Afterwards the loss's parameters have their gradients.
/// @param random  the backbone's random numbers in this step
/// @param parameter_gradients  overwritten: one for each of
///     model.for_each_trained_parameter()
/// @param prepare  prepare(rows, n) is called for both sides' output gradients, whose first n rows
///     are uninitialised because the loss overwrites them
/// @return views of `scratch`
template <class T, Execution X, class Backbone, class Loss, class Prepare>
[[nodiscard]] auto loss_pass(const X& exec, const ModelParts<T, Backbone, Loss>& model,
                             const Batch& batch, const Random& random, Scratch& scratch,
                             std::vector<Rows<T>>& parameter_gradients, const Prepare& prepare) {
  parameter_gradients.clear();
  const std::size_t backbone_parameters =
      model.for_each_trained_parameter([&](const ParameterView<T>& parameter) {
        std::size_t size = parameter.rows.size();
        if (parameter.reached == ParameterRows::users) size = batch.user_side.unique_rows.size();
        if (parameter.reached == ParameterRows::items) size = batch.item_side.unique_rows.size();
        parameter_gradients.push_back(scratch.allocate_zeros<T>(exec, size, parameter.rows.dim()));
      });
  const std::span<const Rows<T>> gradients(parameter_gradients);

  const BackboneStep<T, X> step{
      model.tables, batch, scratch, exec, gradients.first(backbone_parameters), random};
  auto forward = model.backbone.template forward<T>(step, std::as_const(model.backbone_state));
  const auto output_gradient = [&](const BatchSide& side, std::size_t dim) {
    const std::size_t overwritten =
        prism::loss_traits(model.loss).overwrites_gradient ? side.num_active : 0;
    const Rows<T> rows = scratch.allocate_zeros<T>(exec, side.unique_rows.size(), dim, overwritten);
    prepare(rows, overwritten);
    return rows;
  };
  const std::size_t dim = forward.output.users.dim();
  const Embeddings<T> gradient{output_gradient(batch.user_side, dim),
                               output_gradient(batch.item_side, dim)};
  const double loss = evaluate_loss(model.loss,
                                    LossStep<T, X>{batch, forward.output, gradient, scratch, exec,
                                                   gradients.subspan(backbone_parameters)},
                                    model.loss_state);
  return LossPass<T, X, decltype(forward)>{loss, step, std::move(forward), gradient};
}

}  // namespace prism::inline PRISM_ISA::detail
