// SPDX-License-Identifier: BSD-3-Clause
// Rows for users and items that arrive after training, by gradient steps on the model's own loss.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/append.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/fold_in/fold_in.hpp"
#include "prism/fold_in/row_trainer.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// Options of fold_in_users_by_gradient() and fold_in_items_by_gradient().
struct GradientFoldInOptions {
  std::size_t epochs = 10;        ///< over the new interactions
  std::size_t batch_size = 4096;  ///< new interactions per step, at least 1
  /// Interactions of the training set that are drawn into each batch in addition to the new ones.
  /// Their rows do not change, but losses compare the new rows with them: DirectAU's uniformity is
  /// over the batch's users, in-batch negatives are the batch's items.
  std::size_t training_pairs = 1024;
  /// If left out: the learning rate whose steps turn a row by about 0.05 radians, which requires an
  /// optimizer with learning_rate_of_step, such as Adam.
  std::optional<double> learning_rate{};
  std::uint64_t seed = 123;  ///< of order, negatives and training pairs
  /// Options of the initial rows, which have the mean magnitude of the trained rows if `magnitude`
  /// is left out.
  LeastSquaresOptions start{};
  /// The final magnitude of each new row as a function of its number of interactions. If left out:
  /// as FoldInOptions::magnitude, with the magnitude that training gave in place of the solution's.
  std::optional<PrismMagnitude> magnitude{};
  /// Callback after each epoch, with the epoch's number, from 1 on, and its mean loss.
  std::function<void(std::size_t epoch, double loss)> on_epoch{};
};

namespace detail {

template <class Isa, class T>
[[nodiscard]] double mean_magnitude(Rows<const T> rows) {
  double sum = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    sum += static_cast<double>(norm<Isa>(rows[r], rows.dim()));
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, rows.size()));
}

inline constexpr double fold_in_step_angle = 0.05;

/// @param magnitude  mean of the new rows at the start; 0 counts as 1
/// @throws ArgumentError  if the learning rate is left out for an optimizer whose steps have no
///     known length
template <class Model>
[[nodiscard]] double fold_in_rate(const GradientFoldInOptions& options, const Model& model,
                                  double magnitude, std::size_t dim) {
  if (options.learning_rate) return *options.learning_rate;
  const double length = fold_in_step_angle * (magnitude > 0 ? magnitude : 1);
  const double rate = prism::learning_rate_of_step(model.options().optimizer, length, dim);
  require(rate > 0, "learning_rate",
          "must be given for the optimizer " + prism::label(model.options().optimizer) +
              ", whose step length depends on the gradient's");
  return rate;
}

/// Runs all epochs over the new pairs.
/// @param pairs  of the new rows, numbered as in `trainer`'s interactions
template <Execution X, class RowTrainer>
void train_new_rows(const X& exec, RowTrainer& trainer, const Interactions& train,
                    std::vector<Interaction> pairs, double learning_rate,
                    const GradientFoldInOptions& options) {
  const auto drawable = static_cast<std::uint32_t>(
      std::min<std::size_t>(train.size(), std::numeric_limits<std::uint32_t>::max()));
  const std::vector<Interaction> in_order(pairs);
  std::vector<Interaction> batch;
  for (std::size_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto number = static_cast<std::uint32_t>(epoch);
    const Random negatives(options.seed, Stream::negatives, number);
    const Random drawn(options.seed, Stream::fold_in, number);
    trainer.begin_epoch(epoch, Random(options.seed, Stream::epoch_start, number));
    pairs = in_order;
    shuffle(exec, std::span(pairs), Random(options.seed, Stream::shuffle, number));
    double loss = 0;
    std::size_t before = 0, draw = 0;  // pairs, and drawn ones, of earlier batches
    for (std::size_t begin = 0; begin < pairs.size(); begin += options.batch_size) {
      const std::size_t own = std::min(options.batch_size, pairs.size() - begin);
      const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(begin);
      batch.assign(first, first + static_cast<std::ptrdiff_t>(own));
      for (std::size_t k = 0; k < options.training_pairs; ++k) {
        batch.push_back(train[drawn.uniform_int(draw++, drawable)]);
      }
      const BatchNegatives batch_negatives = trainer.sample(batch, negatives, before);
      loss += static_cast<double>(own) * trainer.step(batch, batch_negatives, learning_rate);
      before += batch.size();
    }
    if (options.on_epoch) options.on_epoch(epoch, loss / static_cast<double>(pairs.size()));
  }
}

/// @param all      the model's training set with the new rows appended
/// @param start    options for the new rows' start
/// @param trained  the model's rows of that side
template <Execution X, class Model, class T = typename Model::scalar_type, class Start>
[[nodiscard]] Matrix<T> gradient_fold_in(const X& exec, const Model& model, const Interactions& all,
                                         ParameterRows side, const GradientFoldInOptions& options,
                                         Rows<const T> trained, const Start& start) {
  using Isa = typename X::isa;
  require_at_least_one("batch_size", options.batch_size);
  if (options.learning_rate) require_positive("learning_rate", *options.learning_rate);
  const bool is_user_side = side == ParameterRows::users;
  const std::size_t from = is_user_side ? model.train().users() : model.train().items();
  const std::vector<double> magnitudes =
      magnitudes_of(options.magnitude, model, is_user_side,
                    (is_user_side ? all.user_degree() : all.item_degree()).subspan(from));
  const double mean = mean_magnitude<Isa>(trained);
  PrismMagnitude magnitude{.alpha = 0, .scale = mean > 0 ? mean : 1};
  if (options.magnitude) magnitude = *options.magnitude;
  Matrix<T> first = start(FoldInOptions{.least_squares = options.start, .magnitude = magnitude});
  std::vector<Interaction> pairs;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if ((is_user_side ? all[k].user : all[k].item) >= from) pairs.push_back(all[k]);
  }
  if (pairs.empty() || options.epochs == 0) {
    // The option's magnitudes are those of the start already.
    if (!options.magnitude) set_magnitudes(rows(first), magnitudes);
    return first;
  }
  const double rate =
      fold_in_rate(options, model, mean_magnitude<Isa>(rows(std::as_const(first))), first.shape(1));
  RowTrainer<Model, X> trainer(exec, model, all, side, first);
  train_new_rows(exec, trainer, model.train(), std::move(pairs), rate, options);
  Matrix<T> folded_in = trainer.finish();
  const auto finite = [](T value) { return is_finite(value); };
  if (!std::all_of(folded_in.begin(), folded_in.end(), finite)) {
    throw DivergenceError("fold-in: the new rows are no longer finite; use a learning rate below " +
                          format_number(rate));
  }
  set_magnitudes(rows(folded_in), magnitudes);
  return folded_in;
}

}  // namespace detail

/// Computes rows of new users by gradient steps on the model's own loss, with its optimizer,
/// regularizer and sampler, starting from the rows of fold_in_users(). Only the new users' rows and
/// the loss's parameters for them change, such as MAWU's margins or SLK's quantiles. The rows are
/// output rows: the loss is applied to the model's output rows as they are, without dropout,
/// whatever the backbone.
///
/// A penalty is computed over the training set and the new interactions. Each call copies the
/// training set, so it suits many new users at once rather than a single user who waits for the
/// result. With Adam and a loss that sums over pairs (BPR, SSM), a user's row hardly depends on
/// the others that are folded in; with a loss that compares the batch's users (DirectAU, MAWU), it
/// does.
/// @param exec     where it runs; the host's threads if left out
/// @param history  new users x the model's items, as for fold_in_users()
/// @return new users x dim
/// @throws ArgumentError  as fold_in_users(); without a learning rate if the optimizer needs one;
///     if the sampler has nothing to draw
/// @throws DivergenceError  if a row does not stay finite
template <Execution X, class Model>
[[nodiscard]] auto fold_in_users_by_gradient(const X& exec, const Model& model,
                                             const Interactions& history,
                                             const GradientFoldInOptions& options = {}) {
  const Interactions& train = model.train();
  detail::check_same_rows(*train.item_ids(), *history.item_ids(), "items");
  const Interactions all = detail::append_rows(train, history, true);
  const Scorer<typename Model::scalar_type> scorer{model.output(exec)};
  return detail::gradient_fold_in(
      exec, model, all, ParameterRows::users, options, scorer.output.users(),
      [&](const FoldInOptions& start) { return fold_in_users(exec, scorer, history, start); });
}

/// Computes rows of new items by training, as fold_in_users_by_gradient() does for users.
/// @param history  the model's users x new items
/// @return new items x dim
template <Execution X, class Model>
[[nodiscard]] auto fold_in_items_by_gradient(const X& exec, const Model& model,
                                             const Interactions& history,
                                             const GradientFoldInOptions& options = {}) {
  const Interactions& train = model.train();
  detail::check_same_rows(*train.user_ids(), *history.user_ids(), "users");
  const Interactions all = detail::append_rows(train, history, false);
  const Scorer<typename Model::scalar_type> scorer{model.output(exec)};
  return detail::gradient_fold_in(
      exec, model, all, ParameterRows::items, options, scorer.output.items(),
      [&](const FoldInOptions& start) { return fold_in_items(exec, scorer, history, start); });
}

/// Run on the host's threads: fold_in_users_by_gradient(par, ...), and that of items.
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] auto fold_in_users_by_gradient(const Model& model, const Interactions& history,
                                             const GradientFoldInOptions& options = {}) {
  return fold_in_users_by_gradient(par, model, history, options);
}
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] auto fold_in_items_by_gradient(const Model& model, const Interactions& history,
                                             const GradientFoldInOptions& options = {}) {
  return fold_in_items_by_gradient(par, model, history, options);
}

}  // namespace prism::inline PRISM_ISA
