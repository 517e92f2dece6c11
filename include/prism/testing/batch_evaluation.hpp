// SPDX-License-Identifier: BSD-3-Clause
// The forward and backward pass of one batch, without an optimizer, for tests of policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/training/batch_builder.hpp"
#include "prism/training/device_batch_builder.hpp"
#include "prism/training/gradient_pass.hpp"

namespace prism::inline PRISM_ISA {

/// The gradients of tables and parameters, in their shapes.
template <class T>
struct BatchGradients {
  Matrix<T> users;
  Matrix<T> items;
  std::vector<Matrix<T>> parameters;  // the backbone's, then the loss's
};

namespace detail {

/// A table's gradient with one row per table row, in host memory.
template <class T, Execution X>
[[nodiscard]] Matrix<T> dense_gradient(const X& exec, const TableGradient<T>& from,
                                       std::size_t size, std::size_t dim) {
  Matrix<T> table = zeros<T>(size, dim, memory_of(exec));
  const Rows<T> to = rows(table);
  constexpr std::size_t grain = 256;
  for_each_row(exec, size, grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
    if (const T* const gradient = from.of(r)) copy<typename X::isa>(to[r], gradient, dim);
  });
  synchronise(exec);
  return copy_of(table, nullptr);
}

}  // namespace detail

/// The loss of a fixed batch as a function of tables and parameters. Arguments and results are in
/// host memory; a device works on copies.
template <class T, class Backbone, class Loss, class X = Host<>>
class BatchEvaluation {
 public:
  /// @param pairs      of row indices of `train`, at least one
  /// @param negatives  pairs x loss_traits(loss).negatives, row-major; or shared ones
  /// @param seed       of the states' initial values
  BatchEvaluation(Backbone backbone, Loss loss, Interactions train,
                  std::span<const Interaction> pairs, const BatchNegatives& negatives,
                  std::uint64_t seed = 1)
      : backbone_(std::move(backbone)),
        loss_(std::move(loss)),
        train_on_host_(std::move(train)),
        train_(train_on_host_, memory_of(exec_)),
        pairs_(pairs, memory_of(exec_)),
        negatives_(negatives.items, memory_of(exec_)),
        builder_(train_, memory_of(exec_)),
        batch_(
            builder_.build(exec_, pairs_, in_memory(negatives), loss_traits(loss_).needs_all_rows)),
        backbone_state_(make_state<T>(
            backbone_, StateContext{train_on_host_, backbone_.dim(), seed, Stream::backbone})),
        loss_state_(make_state<T>(
            loss_, StateContext{train_on_host_, output_dim(backbone_), seed, Stream::loss})),
        scratch_(memory_of(exec_)) {}

  // The batch is a view of this object's own lists.
  BatchEvaluation(const BatchEvaluation&) = delete;
  BatchEvaluation& operator=(const BatchEvaluation&) = delete;

  /// Sets the log-probabilities with which items are drawn as negatives.
  /// @param log_probability  one per item
  void set_log_probability(std::span<const double> log_probability) {
    std::vector<double> row_log_probability;
    for (const Index item : numbers_on_host(exec_, batch_.item_side.unique_rows)) {
      row_log_probability.push_back(log_probability[item]);
    }
    log_probability_ =
        TableVector<double>(std::span<const double>(row_log_probability), memory_of(exec_));
    batch_.item_log_probability = log_probability_;
  }

  [[nodiscard]] auto& backbone_state() { return backbone_state_; }
  [[nodiscard]] auto& loss_state() { return loss_state_; }

  /// All trained parameters, the backbone's first.
  [[nodiscard]] std::vector<ParameterView<T>> parameters() {
    std::vector<ParameterView<T>> all;
    const auto collect = [&](const ParameterView<T>& parameter) { all.push_back(parameter); };
    for_each_trained_parameter<T>(backbone_state_, collect);
    for_each_trained_parameter<T>(loss_state_, collect);
    return all;
  }

  /// Returns the loss and, unless `gradients` is null, sets its gradients.
  /// @param users, items  tables, with a row for each of train's users and items
  double operator()(const Matrix<T>& users, const Matrix<T>& items,
                    BatchGradients<T>* gradients = nullptr) {
    synchronise(exec_);
    scratch_.reset();
    Weights weights(exec_, *this, users, items);
    const detail::ModelParts<T, Backbone, Loss> parts{{rows(weights.users), rows(weights.items)},
                                                      backbone_,
                                                      weights.backbone,
                                                      loss_,
                                                      weights.loss};
    std::vector<Rows<T>> parameter_gradients;
    // Rows that the loss must overwrite start as NaN, to reveal any that it does not overwrite.
    const auto pass = detail::loss_pass(
        exec_, parts, batch_, Random(0, Stream::dropout), scratch_, parameter_gradients,
        [&](Rows<T> rows, std::size_t overwritten) {
          const std::vector<T> not_numbers(overwritten * rows.dim(),
                                           std::numeric_limits<T>::quiet_NaN());
          copy_across(device_memory(memory_of(exec_)), std::span<const T>(not_numbers),
                      std::span(rows.data(), not_numbers.size()));
        });
    synchronise(exec_);
    if (gradients == nullptr) return pass.loss;

    const TableGradients<T> tables = pass.backward(parts);
    gradients->users = detail::dense_gradient(exec_, tables.users, users.shape(0), users.shape(1));
    gradients->items = detail::dense_gradient(exec_, tables.items, items.shape(0), items.shape(1));
    gradients->parameters.clear();
    std::size_t k = 0;
    for (const ParameterView<T>& parameter : parameters()) {
      const auto by_row = detail::gradient_of<T>(parameter, parameter_gradients[k++], batch_);
      gradients->parameters.push_back(
          detail::dense_gradient(exec_, by_row, parameter.rows.size(), parameter.rows.dim()));
    }
    return pass.loss;
  }

  /// The output rows of all users and items.
  [[nodiscard]] Output<T> output(const Matrix<T>& users, const Matrix<T>& items) const {
    const Weights weights(exec_, *this, users, items);
    const Output<T> output = backbone_.template output<T>(
        exec_, {rows(weights.users), rows(weights.items)}, train_, weights.backbone);
    return {on_host(output.users()), on_host(output.items())};
  }

 private:
  /// A copy, in the execution's memory, of everything that the loss depends on.
  struct Weights {
    Matrix<T> users, items;
    state_t<Backbone, T> backbone;
    state_t<Loss, T> loss;

    Weights(const X& exec, const BatchEvaluation& evaluation, const Matrix<T>& user_table,
            const Matrix<T>& item_table)
        : users(copy_of(user_table, memory_of(exec))),
          items(copy_of(item_table, memory_of(exec))),
          backbone(copy_on(exec, evaluation.backbone_state_)),
          loss(copy_on(exec, evaluation.loss_state_)) {}

   private:
    template <class State>
    static State copy_on(const X& exec, const State& state) {
      if constexpr (DeviceExecution<X>) {
        return copy_of_state(state, memory_of(exec));
      } else {
        return state;
      }
    }
  };

  [[nodiscard]] BatchNegatives in_memory(BatchNegatives negatives) const noexcept {
    negatives.items = negatives_;
    return negatives;
  }

  [[nodiscard]] Matrix<T> on_host(Rows<const T> from) const {
    Matrix<T> table = make_table<T>(from.size(), from.dim());
    copy_across(device_memory(memory_of(exec_)),
                std::span<const T>(from.data(), from.num_elements()),
                std::span<T>(table.data(), table.size()));
    return table;
  }

  [[no_unique_address]] X exec_;
  Backbone backbone_;
  Loss loss_;
  Interactions train_on_host_;
  Interactions train_;
  TableVector<Interaction> pairs_;
  TableVector<Index> negatives_;
  detail::batch_builder_t<X> builder_;
  Batch batch_;
  TableVector<double> log_probability_;
  state_t<Backbone, T> backbone_state_;
  state_t<Loss, T> loss_state_;
  Scratch scratch_;
};

}  // namespace prism::inline PRISM_ISA
