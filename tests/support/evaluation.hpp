// SPDX-License-Identifier: BSD-3-Clause
// The forward and backward pass of one batch, without an optimizer.
#pragma once

#include <algorithm>
#include <limits>
#include <prism/prism.hpp>
#include <span>
#include <vector>

namespace test {

/// The gradients of tables and parameters, in their shapes.
template <class T>
struct Gradients {
  prism::Matrix<T> users;
  prism::Matrix<T> items;
  std::vector<prism::Matrix<T>> parameters;  // the backbone's, then the loss's
};

/// The loss of a fixed batch as a function of tables and parameters.
template <class T, class Backbone, class Loss, class X = prism::Host<>>
class Evaluation {
 public:
  Evaluation(Backbone backbone, Loss loss, prism::Interactions train,
             std::span<const prism::Interaction> pairs, std::span<const prism::Index> negatives,
             std::uint64_t seed = 1)
      : backbone_(std::move(backbone)),
        loss_(std::move(loss)),
        train_(std::move(train)),
        builder_(train_),
        batch_(builder_.build(exec_, pairs, negatives, prism::loss_traits(loss_).needs_all_rows)),
        backbone_state_(prism::make_state<T>(backbone_, context(seed))),
        loss_state_(prism::make_state<T>(loss_, context(seed))) {}

  [[nodiscard]] auto& backbone_state() { return backbone_state_; }
  [[nodiscard]] auto& loss_state() { return loss_state_; }

  /// All parameters, the backbone's first.
  [[nodiscard]] std::vector<prism::ParameterView<T>> parameters() {
    std::vector<prism::ParameterView<T>> all;
    const auto collect = [&](const prism::ParameterView<T>& parameter) {
      all.push_back(parameter);
    };
    backbone_state_.for_each_parameter(collect);
    of_backbone_ = all.size();
    loss_state_.for_each_parameter(collect);
    return all;
  }

  double operator()(const prism::Matrix<T>& users, const prism::Matrix<T>& items,
                    Gradients<T>* gradients = nullptr) {
    using namespace prism;
    scratch_.reset();
    const std::size_t nu = batch_.user_side.unique_rows.size(),
                      ni = batch_.item_side.unique_rows.size();
    const std::size_t dim = backbone_.dim();
    std::vector<Rows<T>> parameter_gradients;
    for (const ParameterView<T>& parameter : parameters()) {
      const std::size_t size = parameter.reached == ParameterRows::users   ? nu
                               : parameter.reached == ParameterRows::items ? ni
                                                                           : parameter.rows.size();
      parameter_gradients.push_back(scratch_.allocate_zeros<T>(exec_, size, parameter.rows.dim()));
    }
    const std::span<const Rows<T>> all(parameter_gradients);
    const BackboneStep<T, X> backbone_step{
        {rows(users), rows(items)}, batch_, scratch_, exec_, all.first(of_backbone_)};
    const Embeddings<T> gradient{allocate_loss_gradient(batch_.user_side),
                                 allocate_loss_gradient(batch_.item_side)};
    const auto forward_pass = backbone_.template forward<T>(backbone_step, backbone_state_);
    const double value = evaluate_loss(loss_,
                                       LossStep<T, X>{batch_, forward_pass.output, gradient,
                                                      scratch_, exec_, all.subspan(of_backbone_)},
                                       loss_state_);
    if (gradients == nullptr) return value;

    const auto tables = backbone_.template backward<T>(backbone_step, backbone_state_,
                                                       forward_pass.saved, gradient);
    gradients->users = scatter(tables.users, users.shape(0), dim);
    gradients->items = scatter(tables.items, items.shape(0), dim);
    gradients->parameters.clear();
    std::size_t k = 0;
    for (const ParameterView<T>& parameter : parameters()) {
      const Rows<const T> from = parameter_gradients[k++];
      const BatchSide& side =
          parameter.reached == ParameterRows::users ? batch_.user_side : batch_.item_side;
      const auto by_row = parameter.reached == ParameterRows::all
                              ? TableGradient<T>::dense(from, {})
                              : TableGradient<T>::sparse(from, side);
      gradients->parameters.push_back(scatter(by_row, parameter.rows.size(), parameter.rows.dim()));
    }
    return value;
  }

  /// The output rows of all users and items.
  [[nodiscard]] prism::Output<T> output(const prism::Matrix<T>& users,
                                        const prism::Matrix<T>& items) const {
    return backbone_.template output<T>(exec_, {prism::rows(users), prism::rows(items)}, train_,
                                        backbone_state_);
  }

 private:
  /// As in the trainer, but rows that the loss must overwrite are NaN, to reveal any that it does
  /// not.
  prism::Rows<T> allocate_loss_gradient(const prism::BatchSide& side) {
    const std::size_t set = prism::loss_traits(loss_).overwrites_gradient ? side.num_active : 0;
    const auto rows =
        scratch_.allocate_zeros<T>(exec_, side.unique_rows.size(), backbone_.dim(), set);
    std::fill(rows[0], rows[set], std::numeric_limits<T>::quiet_NaN());
    return rows;
  }

  [[nodiscard]] prism::StateContext context(std::uint64_t seed) const {
    return {train_, backbone_.dim(), seed};
  }

  static prism::Matrix<T> scatter(const prism::TableGradient<T>& from, std::size_t size,
                                  std::size_t dim) {
    auto table = prism::zeros<T>(size, dim);
    for (std::size_t r = 0; r < size; ++r) {
      if (from.of(r) != nullptr) std::copy_n(from.of(r), dim, prism::rows(table)[r]);
    }
    return table;
  }

  [[no_unique_address]] X exec_;
  Backbone backbone_;
  Loss loss_;
  prism::Interactions train_;
  prism::BatchBuilder builder_;
  prism::Batch batch_;
  prism::state_t<Backbone, T> backbone_state_;
  prism::state_t<Loss, T> loss_state_;
  prism::Scratch scratch_;
  std::size_t of_backbone_ = 0;  // number of the backbone's parameters
};

}  // namespace test
