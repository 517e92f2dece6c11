// SPDX-License-Identifier: BSD-3-Clause
// One training step: a batch flows down through backbone and loss, its gradient back up, and the
// optimizer steps what it reaches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/model/recommender.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/train/batch_builder.hpp"

namespace prism::inline PRISM_ISA {

/// Steps a model. Holds the optimizer's memory and the working memory; the model has to outlive it.
/// Between a step and settle() the weights of rows that the step did not reach may be those of an
/// earlier one.
template <class Model>
class Trainer {
  using Scalar = typename Model::scalar_type;
  using OptimizerState = typename Model::optimizer_type::template State<Scalar>;
  static constexpr bool lazy = LazyOptimizer<typename Model::optimizer_type, Scalar>;

 public:
  explicit Trainer(Model& model)
      : model_(model),
        builder_(model.train()),
        sampler_state_(model.options().sampler, model.train()),
        user_state_(model.users().shape(0), model.users().shape(1)),
        item_state_(model.items().shape(0), model.items().shape(1)) {
    for_each_parameter([&](Parameter<Scalar>& parameter) {
      parameter_states_.emplace_back(parameter.value.shape(0), parameter.value.shape(1));
    });
  }

  /// How many negatives a pair the model's loss asks for.
  [[nodiscard]] std::size_t negatives_per_pair() const noexcept {
    return prism::negatives_per_pair(model_.options().loss);
  }

  /// Draws the negatives of a batch, pairs x negatives_per_pair().
  /// @param first  how many pairs of the epoch come before this batch
  [[nodiscard]] std::span<const Index> sample(std::span<const Interaction> pairs,
                                              const Random& random, std::size_t first) {
    const std::size_t n = negatives_per_pair();
    negatives_.resize(pairs.size() * n);
    if (n > 0) {
      draw_negatives(model_.options().sampler,
                     SampleRequest{pairs, n, model_.train(), random, first * n}, sampler_state_,
                     negatives_);
    }
    return negatives_;
  }

  /// Whether every weight is a finite number, and every table row's squared length, without which
  /// rows have no scores; and what the optimizer remembers.
  [[nodiscard]] bool finite() {
    bool all = true;
    const auto look_at_rows = [&](const Matrix<Scalar>& table) {
      const Rows<const Scalar> of = rows(table);
      for (std::size_t r = 0; all && r < of.size(); ++r) {
        all = is_finite(dot(of[r], of[r], of.dim()));
      }
    };
    look_at_rows(model_.weights().users);
    look_at_rows(model_.weights().items);
    for_each_parameter([&](const Parameter<Scalar>& parameter) {
      all = all &&
            std::ranges::all_of(parameter.value, [](Scalar value) { return is_finite(value); });
    });
    const auto look_at_state = [&](const OptimizerState& state) {
      if constexpr (requires { state.finite(); }) all = all && state.finite();
    };
    look_at_state(user_state_);
    look_at_state(item_state_);
    for (const OptimizerState& state : parameter_states_) look_at_state(state);
    return all;
  }

  /// Brings every weight up to the last step. Call it before the model is read, copied or ranked.
  void settle() {
    if constexpr (lazy) {
      const DenormalsAreZero quick;
      const auto& optimizer = model_.options().optimizer;
      const auto& regularizer = model_.options().regularizer;
      optimizer.settle(users_table(), user_state_, regularizer);
      optimizer.settle(items_table(), item_state_, regularizer);
      for_each_trained_parameter([&](Parameter<Scalar>& parameter, OptimizerState& state) {
        optimizer.settle(trainable(parameter), state, regularizer);
      });
    }
  }

  /// Trains on one batch; returns its loss, decay left out.
  /// @param pairs      at least one, of rows that the model has
  /// @param negatives  pairs x negatives_per_pair(), row-major
  /// @throws ArgumentError  where there is no pair, or another number of negatives
  double step(std::span<const Interaction> pairs, std::span<const Index> negatives,
              double learning_rate) {
    require_some("pairs", pairs.size());
    require(negatives.size() == pairs.size() * negatives_per_pair(), "negatives",
            "must be " + std::to_string(negatives_per_pair()) + " for each of the " +
                std::to_string(pairs.size()) + " pairs, not " + std::to_string(negatives.size()) +
                " in all");
    const DenormalsAreZero quick;
    scratch_.reset();
    const auto& options = model_.options();
    auto& weights = model_.weights();
    const Batch batch = builder_.build(pairs, negatives, looks_at_every_row(options.loss));
    for_each_parameter([&](Parameter<Scalar>& parameter) { clear_gradient(parameter, batch); });
    catch_up(batch);

    const BackboneStep<Scalar> down{model_.tables(), batch, scratch_};
    const auto up =
        options.backbone.template forward<Scalar>(down, std::as_const(weights.backbone));
    const Embeddings<Scalar> gradient{loss_gradient(batch.user_side),
                                      loss_gradient(batch.item_side)};
    const double loss = evaluate_loss(
        options.loss, LossStep<Scalar>{batch, up.output, gradient, scratch_}, weights.loss);
    const TableGradients<Scalar> tables =
        options.backbone.template backward<Scalar>(down, weights.backbone, up.kept, gradient);

    const StepSize size{learning_rate, ++steps_};
    const auto& regularizer = options.regularizer;
    options.optimizer(users_table(), tables.users, user_state_, size, regularizer);
    options.optimizer(items_table(), tables.items, item_state_, size, regularizer);
    for_each_trained_parameter([&](Parameter<Scalar>& parameter, OptimizerState& state) {
      options.optimizer(trainable(parameter), gradient_of(parameter, batch), state, size,
                        regularizer);
    });
    return loss;
  }

 private:
  template <class Visit>
  void for_each_parameter(const Visit& visit) {
    model_.weights().backbone.for_each_parameter(visit);
    model_.weights().loss.for_each_parameter(visit);
  }

  /// The same, with what the optimizer remembers of each.
  template <class Visit>
  void for_each_trained_parameter(const Visit& visit) {
    std::size_t next = 0;
    for_each_parameter(
        [&](Parameter<Scalar>& parameter) { visit(parameter, parameter_states_[next++]); });
  }

  [[nodiscard]] Trainable<Scalar> users_table() { return {rows(model_.weights().users)}; }
  [[nodiscard]] Trainable<Scalar> items_table() { return {rows(model_.weights().items)}; }
  [[nodiscard]] static Trainable<Scalar> trainable(Parameter<Scalar>& parameter) {
    return {rows(parameter.value), parameter.lowest, parameter.highest};
  }

  /// Brings the rows that a step is going to read up to the last one.
  void catch_up(const Batch& batch) {
    if constexpr (lazy) {
      const auto& optimizer = model_.options().optimizer;
      const auto& regularizer = model_.options().regularizer;
      if constexpr (reads_every_row<typename Model::backbone_type>()) {
        optimizer.settle(users_table(), user_state_, regularizer);
        optimizer.settle(items_table(), item_state_, regularizer);
      } else {
        optimizer.catch_up(users_table(), batch.user_side.rows, user_state_, regularizer);
        optimizer.catch_up(items_table(), batch.item_side.rows, item_state_, regularizer);
      }
      for_each_trained_parameter([&](Parameter<Scalar>& parameter, OptimizerState& state) {
        // The others are stepped whole, and never behind.
        if (parameter.rows == ParameterRows::all) return;
        const BatchSide& side =
            parameter.rows == ParameterRows::users ? batch.user_side : batch.item_side;
        optimizer.catch_up(trainable(parameter), side.rows, state, regularizer);
      });
    }
  }

  /// Rows for the loss's gradient: zeros, but for those that it sets.
  [[nodiscard]] Rows<Scalar> loss_gradient(const BatchSide& side) {
    const auto& options = model_.options();
    return scratch_.take_zeros<Scalar>(side.rows.size(), options.backbone.dim(),
                                       sets_gradient(options.loss) ? side.own : 0);
  }

  void clear_gradient(Parameter<Scalar>& parameter, const Batch& batch) {
    std::size_t size = parameter.value.shape(0);
    if (parameter.rows == ParameterRows::users) size = batch.user_side.rows.size();
    if (parameter.rows == ParameterRows::items) size = batch.item_side.rows.size();
    parameter.gradient = scratch_.take_zeros<Scalar>(size, parameter.value.shape(1));
  }

  static TableGradient<Scalar> gradient_of(const Parameter<Scalar>& parameter, const Batch& batch) {
    const Rows<const Scalar> gradient = parameter.gradient;
    switch (parameter.rows) {
      case ParameterRows::users:
        return TableGradient<Scalar>::of_batch_rows(gradient, batch.user_side);
      case ParameterRows::items:
        return TableGradient<Scalar>::of_batch_rows(gradient, batch.item_side);
      case ParameterRows::all:
        break;
    }
    return TableGradient<Scalar>::of_all_rows(gradient, {});
  }

  Model& model_;
  BatchBuilder builder_;
  sampler_state_t<typename Model::sampler_type> sampler_state_;
  Scratch scratch_;
  std::vector<Index> negatives_;
  OptimizerState user_state_;
  OptimizerState item_state_;
  std::vector<OptimizerState> parameter_states_;
  std::uint64_t steps_ = 0;
};

}  // namespace prism::inline PRISM_ISA
