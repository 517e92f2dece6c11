// SPDX-License-Identifier: BSD-3-Clause
// Training steps on a model's own loss that change only the rows of users, or of items, that
// arrive after training.
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
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/fold_in/new_rows.hpp"
#include "prism/ops/evaluate_loss.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/epoch_start.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/training/batch_builder.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The new rows on one side of a batch: those from row `first` of the table on, renumbered from 0.
class NewRowsOfBatch {
 public:
  NewRowsOfBatch(std::size_t first, std::size_t count) : first_(first), inverse_(count, absent) {}

  void find(const BatchSide& side) {
    for (const Index row : unique_) inverse_[row] = absent;
    unique_.clear();
    positions_.clear();
    num_active_ = 0;
    for (std::size_t k = 0; k < side.unique_rows.size(); ++k) {
      if (side.unique_rows[k] < first_) continue;
      const auto row = static_cast<Index>(side.unique_rows[k] - first_);
      inverse_[row] = static_cast<Index>(unique_.size());
      unique_.push_back(row);
      positions_.push_back(k);
      num_active_ += k < side.num_active;
    }
  }

  [[nodiscard]] std::span<const Index> unique_rows() const noexcept { return unique_; }

  /// The gradient of a table or parameter that has only the new rows.
  /// @param side_gradient  the gradient of the side's unique rows
  template <class T>
  [[nodiscard]] TableGradient<T> select(Rows<const T> side_gradient, Scratch& scratch) const {
    const Rows<T> values = scratch.allocate<T>(positions_.size(), side_gradient.dim());
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      std::copy_n(side_gradient[positions_[k]], side_gradient.dim(), values[k]);
    }
    return TableGradient<T>::sparse(values, {.unique_rows = unique_,
                                             .num_active = num_active_,
                                             .num_positive = num_active_,
                                             .offsets = {},
                                             .occurrences = {},
                                             .inverse_index = inverse_});
  }

 private:
  std::size_t first_;
  std::vector<Index> inverse_;  // of each new row: its position in unique_, or absent
  std::vector<Index> unique_;
  std::vector<std::size_t> positions_;  // in the side's unique rows
  std::size_t num_active_ = 0;
};

/// Updates the rows appended to one side of a model's output rows, and their rows in the loss's
/// parameters. Everything else is only read.
template <class Model, Execution X>
class RowTrainer {
  using T = typename Model::scalar_type;
  using Loss = typename Model::loss_type;
  using Optimizer = typename Model::optimizer_type;
  using Sampler = typename Model::sampler_type;
  using OptimizerState = typename Optimizer::template State<T>;
  static constexpr bool lazy = LazyOptimizer<Optimizer, T>;

 public:
  /// @param all    the model's training set with the new users or items appended; must outlive the
  ///     object
  /// @param side   ParameterRows::users or ::items: which of them are new
  /// @param start  the new rows' values
  RowTrainer(const X& exec, const Model& model, const Interactions& all, ParameterRows side,
             const Matrix<T>& start)
      : exec_(exec),
        model_(model),
        all_(all),
        side_(side),
        first_(side == ParameterRows::users ? model.train().users() : model.train().items()),
        frozen_(model.output(exec)),
        table_(concatenate_rows(trained_rows(), rows(start))),
        loss_state_(make_state<T>(model.options().loss,
                                  StateContext{all, table_.shape(1), model.options().seed,
                                               Stream::loss, model.options().memory})),
        builder_(all),
        sampler_state_(model.options().sampler, all),
        new_rows_(first_, start.shape(0)) {
    auto trained = model.weights().loss;
    std::vector<ParameterView<T>> from;
    trained.for_each_parameter([&](const ParameterView<T>& view) { from.push_back(view); });
    std::size_t k = 0;
    // The new rows of a parameter come last, and keep their initial values.
    loss_state_.for_each_parameter([&](const ParameterView<T>& to) {
      std::copy_n(from[k].rows.data(), from[k].rows.num_elements(), to.rows.data());
      ++k;
    });
    for_each_trained([&](const ParameterView<T>& view, auto, auto) {
      states_.emplace_back(view.rows.size(), view.rows.dim(), model.options().memory);
    });
  }
  RowTrainer(const RowTrainer&) = delete;
  RowTrainer& operator=(const RowTrainer&) = delete;

  /// Lets the loss begin an epoch, as Trainer::begin_epoch() does, with the new rows included.
  void begin_epoch(std::size_t epoch, const Random& random) {
    if constexpr (names_begin_epoch<Loss>) {
      const FlushDenormals flush_denormals;
      const EpochStart<T, X> start{epoch, all_, random,
                                   [this] {
                                     flush();
                                     return Output<T>(Embeddings<const T>{users(), items()});
                                   },
                                   exec_};
      prism::begin_epoch(model_.options().loss, start, loss_state_);
    }
  }

  /// Draws the negatives of a batch, as Trainer::sample() does.
  [[nodiscard]] BatchNegatives sample(std::span<const Interaction> pairs, const Random& random,
                                      std::size_t first) {
    const std::size_t n = prism::loss_traits(model_.options().loss).negatives;
    if (n == 0) return {};
    const SampleRequest request{pairs, n, all_, random, first * n};
    const Sampler& sampler = model_.options().sampler;
    const auto shared = prism::shared_negatives(sampler, request);
    require(!shared || prism::loss_traits(model_.options().loss).takes_shared_negatives, "sampler",
            "must draw separate negatives for each pair: " + prism::label(model_.options().loss) +
                " does not accept shared ones");
    negatives_.resize(shared ? shared->count : pairs.size() * n);
    prism::draw_negatives(exec_, sampler, request, sampler_state_, negatives_);
    return shared ? BatchNegatives(negatives_, shared->mask) : BatchNegatives(negatives_);
  }

  /// Trains on one batch; returns its loss before the update.
  /// @param pairs  interactions of `all`
  double step(std::span<const Interaction> pairs, const BatchNegatives& negatives,
              double learning_rate) {
    const FlushDenormals flush_denormals;
    scratch_.reset();
    const auto& options = model_.options();
    const LossTraits traits = prism::loss_traits(options.loss);
    Batch batch = builder_.build(exec_, pairs, negatives, traits.needs_all_rows);
    log_probability_.clear();
    if constexpr (names_log_probability<Sampler>) {
      if (traits.reads_log_probability) {
        options.sampler.log_probability(sampler_state_, batch, log_probability_);
      }
    }
    batch.item_log_probability = log_probability_;
    const BatchSide& side = side_of(batch);
    new_rows_.find(side);
    apply_deferred();

    const auto gradient_of_side = [&](const BatchSide& batch_side, std::size_t dim,
                                      std::size_t unwritten) {
      return scratch_.allocate_zeros<T>(exec_, batch_side.unique_rows.size(), dim, unwritten);
    };
    const auto output_gradient = [&](const BatchSide& batch_side) {
      return gradient_of_side(batch_side, table_.shape(1),
                              traits.overwrites_gradient ? batch_side.num_active : 0);
    };
    std::vector<Rows<T>> parameter_gradients;
    for_each_trained_parameter<T>(loss_state_, [&](const ParameterView<T>& view) {
      const std::size_t dim = view.rows.dim();
      parameter_gradients.push_back(view.reached == ParameterRows::users
                                        ? gradient_of_side(batch.user_side, dim, 0)
                                    : view.reached == ParameterRows::items
                                        ? gradient_of_side(batch.item_side, dim, 0)
                                        : scratch_.allocate_zeros<T>(exec_, view.rows.size(), dim));
    });
    const Embeddings<T> gradient{output_gradient(batch.user_side),
                                 output_gradient(batch.item_side)};
    const BatchRows<T> output{{users(), batch.user_side.unique_rows},
                              {items(), batch.item_side.unique_rows}};
    const double loss = evaluate_loss(
        options.loss, LossStep<T, X>{batch, output, gradient, scratch_, exec_, parameter_gradients},
        std::as_const(loss_state_));

    const StepInfo info{learning_rate, ++steps_};
    for_each_trained([&](const ParameterView<T>& view, std::size_t parameter, std::size_t place) {
      const Rows<T> side_gradient = parameter > 0 ? parameter_gradients[parameter - 1]
                                    : side_ == ParameterRows::users ? gradient.users
                                                                    : gradient.items;
      options.optimizer(exec_, view, new_rows_.select<T>(side_gradient, scratch_), states_[place],
                        info, options.regularizer);
    });
    return loss;
  }

  /// The new rows after the last step.
  [[nodiscard]] Matrix<T> finish() {
    flush();
    const Rows<const T> table = rows(std::as_const(table_));
    return copy_rows(Rows<const T>(table[first_], table.size() - first_, table.dim()));
  }

 private:
  [[nodiscard]] const BatchSide& side_of(const Batch& batch) const noexcept {
    return side_ == ParameterRows::users ? batch.user_side : batch.item_side;
  }
  [[nodiscard]] Rows<const T> trained_rows() const noexcept {
    return side_ == ParameterRows::users ? frozen_.users() : frozen_.items();
  }
  [[nodiscard]] Rows<const T> users() const noexcept {
    return side_ == ParameterRows::users ? rows(table_) : frozen_.users();
  }
  [[nodiscard]] Rows<const T> items() const noexcept {
    return side_ == ParameterRows::users ? frozen_.items() : rows(table_);
  }

  /// Calls visit(view of the new rows, k, place) for the output rows, k = 0, and for each parameter
  /// k - 1 that has rows of the side; place counts the calls.
  template <class Visit>
  void for_each_trained(const Visit& visit) {
    std::size_t place = 0, k = 0;
    const auto visit_new = [&](ParameterView<T> view) {
      view.rows = {view.rows[first_], view.rows.size() - first_, view.rows.dim()};
      view.popularity =
          (side_ == ParameterRows::users ? all_.user_degree() : all_.item_degree()).subspan(first_);
      visit(view, k, place++);
    };
    visit_new({rows(table_), side_});
    for_each_trained_parameter<T>(loss_state_, [&](const ParameterView<T>& view) {
      ++k;
      if (view.reached == side_) visit_new(view);
    });
  }

  void flush() {
    if constexpr (lazy) {
      const auto& options = model_.options();
      for_each_trained([&](const ParameterView<T>& view, std::size_t, std::size_t place) {
        options.optimizer.flush(exec_, view, states_[place], options.regularizer);
      });
    }
  }

  void apply_deferred() {
    if constexpr (lazy) {
      const auto& options = model_.options();
      for_each_trained([&](const ParameterView<T>& view, std::size_t, std::size_t place) {
        options.optimizer.apply_deferred(exec_, view, new_rows_.unique_rows(), states_[place],
                                         options.regularizer);
      });
    }
  }

  [[no_unique_address]] X exec_;
  const Model& model_;
  const Interactions& all_;
  ParameterRows side_;
  std::size_t first_;  // the first new row of the side
  Output<T> frozen_;   // the model's output rows
  Matrix<T> table_;    // the side's output rows, then the new ones
  state_t<Loss, T> loss_state_;
  BatchBuilder builder_;
  sampler_state_t<Sampler> sampler_state_;
  NewRowsOfBatch new_rows_;
  Scratch scratch_;
  std::vector<Index> negatives_;
  std::vector<double> log_probability_;  // of the batch's items
  std::vector<OptimizerState> states_;   // one for each view that for_each_trained visits
  std::uint64_t steps_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail
