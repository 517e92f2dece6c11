// SPDX-License-Identifier: BSD-3-Clause
// Training: epochs over reshuffled batches until the validation stops getting better.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/session/history.hpp"
#include "prism/session/observer.hpp"
#include "prism/session/progress.hpp"
#include "prism/session/trainer.hpp"

namespace prism {

/// When the order of the training pairs is drawn anew.
enum class Shuffle {
  every_epoch,
  once,  ///< before the first epoch: every epoch has the same batches
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

struct FitOptions {
  double learning_rate = 1e-3;    ///< above 0
  std::size_t batch_size = 4096;  ///< pairs a step, at least 1; the last of an epoch is smaller
  std::size_t epochs = 1000;      ///< at most, at least 1
  std::size_t patience = 10;      ///< epochs without a better validation before stopping
  /// Patience counts the epochs that begin after so many steps. PRISM's rows are long and turn
  /// slowly under Adam: before that its validation may not have begun to rise.
  std::size_t min_steps = 1000;
  std::size_t k = 20;  ///< of the NDCG@k that validation goes by
  Shuffle shuffle = Shuffle::every_epoch;
};

namespace detail {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline void check(const FitOptions& options, const Interactions& train, const Interactions& model) {
  require_positive("learning_rate", options.learning_rate);
  require_at_least_one("batch_size", options.batch_size);
  require_at_least_one("epochs", options.epochs);
  require_at_least_one("patience", options.patience);
  require_at_least_one("k", options.k);
  bool same = train.users() == model.users() && train.items() == model.items() &&
              train.size() == model.size();
  for (std::size_t k = 0; same && k < train.size(); ++k) same = train[k] == model[k];
  require(same, "split", "must have the training part that the model was made with");
  require(train.size() < max_rows, "split.train", "must have fewer than 2^32 - 1 interactions");
  require(!train.empty(), "split.train", "has no interactions to learn from");
}

/// Trains one epoch; returns the mean loss over its pairs.
template <class Model, Execution X, class EachBatch>
double train_epoch(const X& exec, Trainer<Model, X>& trainer, const Interactions& train,
                   std::uint64_t seed, std::uint32_t epoch, Shuffle shuffle_mode,
                   const FitOptions& options, const EachBatch& each_batch) {
  std::vector<Interaction> pairs(train.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = train[k];
  const std::uint32_t shuffle_epoch = shuffle_mode == Shuffle::once ? 1 : epoch;
  shuffle(exec, std::span(pairs), Random(seed, Stream::shuffle, shuffle_epoch));
  const Random negatives(seed, Stream::negatives, epoch);
  double total = 0;
  // Also where an observer throws, the model is left as of its last step.
  struct FlushOnExit {
    Trainer<Model, X>& trainer;
    ~FlushOnExit() { trainer.flush(); }
  } const flush_on_exit{trainer};
  for (std::size_t begin = 0; begin < pairs.size(); begin += options.batch_size) {
    const auto batch = std::span<const Interaction>(pairs).subspan(
        begin, std::min(options.batch_size, pairs.size() - begin));
    const double loss =
        trainer.step(batch, trainer.sample(batch, negatives, begin), options.learning_rate);
    total += loss * static_cast<double>(batch.size());
    if (!is_finite(loss)) break;
    each_batch(begin + batch.size());
  }
  return total / static_cast<double>(pairs.size());
}

/// What speaks against a run's having learnt anything.
inline std::vector<std::string> warnings(const History& history, bool has_validation) {
  std::vector<std::string> found;
  const std::size_t epochs = history.epochs.size(), steps = epochs * history.steps_per_epoch;
  if (has_validation && epochs > 2 && history.best_epoch <= 2) {
    found.push_back("the best epoch is " + std::to_string(history.best_epoch) + " of " +
                    std::to_string(epochs) +
                    ": training has made the ranking no better; another learning rate, or loss, "
                    "may");
  }
  constexpr std::size_t few_steps = 50;
  if (history.stopped_early && history.steps_per_epoch < few_steps &&
      steps < FitOptions{}.min_steps) {
    found.push_back("stopped after " + std::to_string(steps) + " steps, " +
                    std::to_string(history.steps_per_epoch) +
                    " an epoch: it may not have begun to learn; more patience or min_steps, a "
                    "smaller batch_size or a greater learning_rate may help");
  }
  return found;
}

}  // namespace detail

/// Trains a model on split.train. After each epoch the validation part is ranked, by dot product,
/// without the training items; the model ends with the weights of the epoch that ranked it best.
/// Without a validation part it trains for all epochs. A run that cannot have learnt says why in
/// History::warnings. Where an observer throws, the model keeps
/// the weights it has just then. The result depends on the model's seed and the options, never on
/// the number of threads.
///
/// @param exec       where training runs; the host's threads if left out
/// @param split      parts of the users and items that the model was made with
/// @param observers  see observer.hpp; without any, progress.hpp's on the standard error stream
/// @throws ArgumentError    for an option outside its domain, or a split of another shape
/// @throws DivergenceError  where the loss, a weight or a row's squared length is no longer finite;
///     the model then has the weights of its best epoch so far (without a validation part, its last
///     good one)
template <Execution X, class Model, class... Observers>
History fit(const X& exec, Model& model, const Split& split, const FitOptions& options,
            Observers&&... observers) {
  detail::check(options, split.train, model.train());
  const auto notify = [&](const auto& event) { (event(observers), ...); };
  const bool has_validation = !split.validation.empty();
  const FitPlan plan{model.name(),   split.train.size(),    options.epochs,    options.k,
                     has_validation, options.learning_rate, options.batch_size};
  notify([&](auto& observer) {
    if constexpr (requires { observer.begin(plan, std::as_const(model)); }) {
      observer.begin(plan, std::as_const(model));
    } else if constexpr (requires { observer.begin(plan); }) {
      observer.begin(plan);
    }
  });

  Shuffle shuffle_mode = options.shuffle;
  if constexpr (requires { Model::shuffle; }) shuffle_mode = Model::shuffle;

  const detail::Stopwatch total_time;
  Trainer<Model, X> trainer(model, exec);
  const std::size_t steps_per_epoch =
      (split.train.size() + options.batch_size - 1) / options.batch_size;
  const std::size_t impatient_after = (options.min_steps + steps_per_epoch - 1) / steps_per_epoch;
  History history{.steps_per_epoch = steps_per_epoch};
  auto best = model.weights();
  const auto diverged = [&](std::size_t epoch, const char* what) {
    model.weights() = std::move(best);
    throw DivergenceError(std::string(what) + " no longer finite in epoch " +
                          std::to_string(epoch) + ": a smaller learning_rate than " +
                          format_number(options.learning_rate) +
                          " may help, or milder options of the loss");
  };
  for (std::size_t epoch = 1; epoch <= options.epochs; ++epoch) {
    EpochRecord record{.epoch = epoch};
    const detail::Stopwatch training;
    record.loss = detail::train_epoch(
        exec, trainer, split.train, model.options().seed, static_cast<std::uint32_t>(epoch),
        shuffle_mode, options, [&](std::size_t pairs) {
          notify([&](auto& observer) {
            if constexpr (requires { observer.batch(BatchProgress{}); }) {
              observer.batch(BatchProgress{epoch, pairs, split.train.size(), training.seconds()});
            }
          });
        });
    record.train_seconds = training.seconds();
    if (!is_finite(record.loss)) diverged(epoch, "the loss is");
    if (!trainer.finite()) diverged(epoch, "the weights, or their squares, are");

    const detail::Stopwatch validating;
    if (has_validation) {
      record.validation_ndcg =
          evaluate(exec, model, split.validation, {.k = options.k, .exclude = {&split.train}}).ndcg;
      record.validate_seconds = validating.seconds();
    }
    record.best = !has_validation || history.best_epoch == 0 ||
                  record.validation_ndcg > history.best_validation_ndcg;
    if (record.best) {
      history.best_epoch = epoch;
      history.best_validation_ndcg = record.validation_ndcg;
      best = model.weights();
    }
    history.epochs.push_back(record);
    notify([&](auto& observer) {
      if constexpr (requires { observer.epoch(record, model); }) observer.epoch(record, model);
    });
    if (epoch >= std::max(history.best_epoch, impatient_after) + options.patience) {
      history.stopped_early = true;
      break;
    }
  }
  if (has_validation) model.weights() = std::move(best);
  history.seconds = total_time.seconds();
  history.warnings = detail::warnings(history, has_validation);
  notify([&](auto& observer) {
    if constexpr (requires { observer.end(history); }) observer.end(history);
  });
  return history;
}

/// The same, shown by Progress.
template <Execution X, class Model>
History fit(const X& exec, Model& model, const Split& split, const FitOptions& options = {}) {
  return fit(exec, model, split, options, Progress());
}

/// The same, on the host's threads.
template <class Model, class... Observers>
requires(!Execution<Model>) History
    fit(Model& model, const Split& split, const FitOptions& options, Observers&&... observers) {
  return fit(par, model, split, options, std::forward<Observers>(observers)...);
}
template <class Model>
requires(!Execution<Model>) History
    fit(Model& model, const Split& split, const FitOptions& options = {}) {
  return fit(par, model, split, options, Progress());
}

}  // namespace prism::inline PRISM_ISA
