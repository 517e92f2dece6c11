// SPDX-License-Identifier: BSD-3-Clause
// The forward and backward pass of one batch, without an optimizer: what tests of policies look at.
#pragma once

#include <algorithm>
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
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/training/batch_builder.hpp"
#include "prism/training/gradient_pass.hpp"

namespace prism::inline PRISM_ISA {

/// The gradients of tables and parameters, in their shapes.
template <class T>
struct BatchGradients {
  Matrix<T> users;
  Matrix<T> items;
  std::vector<Matrix<T>> parameters;  // the backbone's, then the loss's
};

/// The loss of a fixed batch as a function of tables and parameters.
template <class T, class Backbone, class Loss, class X = Host<>>
class BatchEvaluation {
 public:
  /// @param pairs      of rows of `train`, at least one
  /// @param negatives  pairs x loss_traits(loss).negatives, row-major; or shared ones
  /// @param seed       of the states' initial values
  BatchEvaluation(Backbone backbone, Loss loss, Interactions train,
                  std::span<const Interaction> pairs, const BatchNegatives& negatives,
                  std::uint64_t seed = 1)
      : backbone_(std::move(backbone)),
        loss_(std::move(loss)),
        train_(std::move(train), memory_of(exec_)),
        builder_(train_, memory_of(exec_)),
        batch_(builder_.build(exec_, pairs, negatives, loss_traits(loss_).needs_all_rows)),
        backbone_state_(make_state<T>(backbone_, StateContext{train_, backbone_.dim(), seed,
                                                              Stream::backbone, memory_of(exec_)})),
        loss_state_(make_state<T>(loss_, StateContext{train_, output_dim(backbone_), seed,
                                                      Stream::loss, memory_of(exec_)})),
        scratch_(memory_of(exec_)) {}

  // The batch is a view of the evaluation's own lists.
  BatchEvaluation(const BatchEvaluation&) = delete;
  BatchEvaluation& operator=(const BatchEvaluation&) = delete;

  /// Sets the logarithms of the items' probabilities to be negatives. @param of_item  for each item
  void set_log_probability(std::span<const double> of_item) {
    log_probability_.clear();
    for (const Index item : batch_.item_side.unique_rows) {
      log_probability_.push_back(of_item[item]);
    }
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

  /// The loss; and its gradients, where asked for.
  /// @param users, items  tables, with a row for each of train's
  double operator()(const Matrix<T>& users, const Matrix<T>& items,
                    BatchGradients<T>* gradients = nullptr) {
    synchronise(exec_);
    scratch_.reset();
    const Matrix<T> own_users = in_memory(users), own_items = in_memory(items);
    const detail::ModelParts<T, Backbone, Loss> parts{
        {rows(own_users), rows(own_items)}, backbone_, backbone_state_, loss_, loss_state_};
    std::vector<Rows<T>> parameter_gradients;
    // Rows that the loss must overwrite are NaN, to reveal any that it does not.
    const auto pass = detail::loss_pass(
        exec_, parts, batch_, Random(0, Stream::dropout), scratch_, parameter_gradients,
        [&](Rows<T> rows, std::size_t overwritten) {
          synchronise(exec_);
          std::fill(rows[0], rows[overwritten], std::numeric_limits<T>::quiet_NaN());
        });
    synchronise(exec_);
    if (gradients == nullptr) return pass.loss;

    const TableGradients<T> tables = pass.backward(parts);
    synchronise(exec_);
    gradients->users = scatter(tables.users, users.shape(0), users.shape(1));
    gradients->items = scatter(tables.items, items.shape(0), items.shape(1));
    gradients->parameters.clear();
    std::size_t k = 0;
    for (const ParameterView<T>& parameter : parameters()) {
      const auto by_row = detail::gradient_of<T>(parameter, parameter_gradients[k++], batch_);
      gradients->parameters.push_back(scatter(by_row, parameter.rows.size(), parameter.rows.dim()));
    }
    return pass.loss;
  }

  /// The output rows of all users and items.
  [[nodiscard]] Output<T> output(const Matrix<T>& users, const Matrix<T>& items) const {
    Matrix<T> own_users = in_memory(users), own_items = in_memory(items);
    const Output<T> output = backbone_.template output<T>(exec_, {rows(own_users), rows(own_items)},
                                                          train_, backbone_state_);
    synchronise(exec_);
    if (output.owner() != nullptr) return output;
    return {std::move(own_users), std::move(own_items)};
  }

 private:
  [[nodiscard]] Matrix<T> in_memory(const Matrix<T>& table) const {
    Matrix<T> copy = make_table<T>(table.shape(0), table.shape(1), memory_of(exec_));
    std::copy_n(table.data(), table.size(), copy.data());
    return copy;
  }

  static Matrix<T> scatter(const TableGradient<T>& from, std::size_t size, std::size_t dim) {
    auto table = zeros<T>(size, dim);
    for (std::size_t r = 0; r < size; ++r) {
      if (from.of(r) != nullptr) std::copy_n(from.of(r), dim, rows(table)[r]);
    }
    return table;
  }

  [[no_unique_address]] X exec_;
  Backbone backbone_;
  Loss loss_;
  Interactions train_;
  BatchBuilder builder_;
  Batch batch_;
  std::vector<double> log_probability_;
  state_t<Backbone, T> backbone_state_;
  state_t<Loss, T> loss_state_;
  Scratch scratch_;
};

}  // namespace prism::inline PRISM_ISA
