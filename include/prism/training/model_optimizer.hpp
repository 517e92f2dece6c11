// SPDX-License-Identifier: BSD-3-Clause
// The optimizer of a model: the state of a policy for every weight that is trained.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/training/contract_checks.hpp"
#include "prism/training/gradient_pass.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Whether every row's squared magnitude is a finite number.
template <class T, Execution X>
[[nodiscard]] bool rows_are_finite(const X& exec, Rows<const T> table) {
  constexpr std::size_t grain = 1024;
  return sum_over_rows(exec, table.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) -> double {
           return is_finite(dot<typename X::isa>(table[r], table[r], table.dim())) ? 0 : 1;
         }) == 0;
}

/// Updates both tables of a model and the trained parameters of its backbone and loss. The model
/// must outlive it.
template <class Model, Execution X>
class ModelOptimizer {
  using Scalar = typename Model::scalar_type;
  using State = typename Model::optimizer_type::template State<Scalar>;
  static constexpr bool lazy = LazyOptimizer<typename Model::optimizer_type, Scalar>;

 public:
  /// @throws ArgumentError  if a parameter has a wrong number of rows
  ModelOptimizer(Model& model, const X& exec)
      : exec_(exec),
        model_(model),
        user_state_(model.users().shape(0), model.users().shape(1), model.memory()),
        item_state_(model.items().shape(0), model.items().shape(1), model.memory()) {
    for_each_parameter([&](const ParameterView<Scalar>& parameter) {
      check_rows(parameter, model.train());
      if (!parameter.trained) return;
      parameter_states_.emplace_back(parameter.rows.size(), parameter.rows.dim(), model.memory());
    });
  }

  /// @param tables      the gradients of the tables
  /// @param parameters  those of the trained parameters, the backbone's first
  void update(const TableGradients<Scalar>& tables, std::span<const Rows<Scalar>> parameters,
              const Batch& batch, const StepInfo& info) {
    const auto& optimizer = model_.options().optimizer;
    const auto& regularizer = model_.options().regularizer;
    optimizer(exec_, users_table(), tables.users, user_state_, info, regularizer);
    optimizer(exec_, items_table(), tables.items, item_state_, info, regularizer);
    std::size_t k = 0;
    for_each_trained([&](const ParameterView<Scalar>& parameter, State& state) {
      const auto gradient = gradient_of<Scalar>(parameter, parameters[k++], batch);
      optimizer(exec_, parameter, gradient, state, info, regularizer);
    });
  }

  /// Applies the deferred steps of the rows that a training step on the batch reads.
  void apply_deferred(const Batch& batch) {
    if constexpr (lazy) {
      const auto& optimizer = model_.options().optimizer;
      const auto& regularizer = model_.options().regularizer;
      if constexpr (backbone_traits<typename Model::backbone_type>().needs_all_rows) {
        optimizer.flush(exec_, users_table(), user_state_, regularizer);
        optimizer.flush(exec_, items_table(), item_state_, regularizer);
      } else {
        optimizer.apply_deferred(exec_, users_table(), batch.user_side.unique_rows, user_state_,
                                 regularizer);
        optimizer.apply_deferred(exec_, items_table(), batch.item_side.unique_rows, item_state_,
                                 regularizer);
      }
      for_each_trained([&](const ParameterView<Scalar>& parameter, State& state) {
        // The other parameters are updated as a whole in each step, and have no deferred steps.
        if (parameter.reached == ParameterRows::all) return;
        const BatchSide& side =
            parameter.reached == ParameterRows::users ? batch.user_side : batch.item_side;
        optimizer.apply_deferred(exec_, parameter, side.unique_rows, state, regularizer);
      });
    }
  }

  /// Applies the deferred steps of all rows.
  void flush() {
    if constexpr (lazy) {
      const auto& optimizer = model_.options().optimizer;
      const auto& regularizer = model_.options().regularizer;
      optimizer.flush(exec_, users_table(), user_state_, regularizer);
      optimizer.flush(exec_, items_table(), item_state_, regularizer);
      for_each_trained([&](const ParameterView<Scalar>& parameter, State& state) {
        optimizer.flush(exec_, parameter, state, regularizer);
      });
    }
  }

  /// Whether all weights, the state and the squared magnitude of every table row are finite. A row
  /// whose squared magnitude is not finite has no scores.
  [[nodiscard]] bool finite() {
    bool result = rows_are_finite<Scalar>(exec_, rows(model_.weights().users)) &&
                  rows_are_finite<Scalar>(exec_, rows(model_.weights().items));
    for_each_parameter([&](const ParameterView<Scalar>& parameter) {
      result = result && all_finite(exec_, std::span<const Scalar>(parameter.rows.data(),
                                                                   parameter.rows.num_elements()));
    });
    for_each_state([&](const State& state) {
      if constexpr (requires { state.finite(exec_); }) {
        result = result && state.finite(exec_);
      } else if constexpr (requires { state.finite(); }) {
        result = result && state.finite();
      }
    });
    return result;
  }

  /// Writes the state, including deferred steps, which are not applied; not the weights.
  void save(BinaryWriter& out) const {
    static_assert(SavedState<State, X>,
                  "this optimizer cannot be saved: its State has no save() and load() with the "
                  "signatures in prism/policy/optimizer.hpp");
    for_each_state([&](const State& state) { state.save(out); });
  }
  /// Reads the state back. The caller restores the weights.
  void load(BinaryReader& in) {
    static_assert(SavedState<State, X>,
                  "this optimizer cannot be resumed: its State has no save() and load() with the "
                  "signatures in prism/policy/optimizer.hpp");
    for_each_state([&](State& state) {
      if constexpr (requires { state.load(in, exec_); }) {
        state.load(in, exec_);  // which may compute what it did not save
      } else {
        state.load(in);
      }
    });
  }

 private:
  template <class Visit>
  void for_each_parameter(const Visit& visit) {
    model_.weights().backbone.for_each_parameter(visit);
    model_.weights().loss.for_each_parameter(visit);
  }

  /// Visits the trained parameters, each with its state.
  template <class Visit>
  void for_each_trained(const Visit& visit) {
    std::size_t next = 0;
    for_each_parameter([&](const ParameterView<Scalar>& parameter) {
      if (parameter.trained) visit(with_popularity(parameter), parameter_states_[next++]);
    });
  }

  template <class Visit>
  void for_each_state(const Visit& visit) const {
    visit(user_state_);
    visit(item_state_);
    for (const State& state : parameter_states_) visit(state);
  }
  template <class Visit>
  void for_each_state(const Visit& visit) {
    visit(user_state_);
    visit(item_state_);
    for (State& state : parameter_states_) visit(state);
  }

  [[nodiscard]] ParameterView<Scalar> with_popularity(ParameterView<Scalar> parameter) const {
    const Interactions& train = model_.train();
    if (parameter.reached == ParameterRows::users) parameter.popularity = train.user_degree();
    if (parameter.reached == ParameterRows::items) parameter.popularity = train.item_degree();
    return parameter;
  }
  [[nodiscard]] ParameterView<Scalar> users_table() {
    return with_popularity({rows(model_.weights().users), ParameterRows::users});
  }
  [[nodiscard]] ParameterView<Scalar> items_table() {
    return with_popularity({rows(model_.weights().items), ParameterRows::items});
  }

  [[no_unique_address]] X exec_;
  Model& model_;
  State user_state_;
  State item_state_;
  std::vector<State> parameter_states_;
};

}  // namespace prism::inline PRISM_ISA::detail
