// SPDX-License-Identifier: BSD-3-Clause
// Training from beginning to end, in one call.
#pragma once

#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/split.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/progress.hpp"
#include "prism/training/training_session.hpp"

namespace prism::inline PRISM_ISA {

/// Trains a model on split.train. After each epoch, or each that FitOptions::validate_every
/// selects, the validation set is ranked by dot product, without the training items. The model ends
/// with the weights of the epoch that ranked best; a model that was trained before ends with the
/// weights it had if no epoch ranked better. Without a validation set, training runs for all of
/// FitOptions::epochs, which must then be given, or until FitOptions::stop returns true. If a run
/// cannot have learnt, History::warnings says why. If an observer throws, the model keeps the
/// weights of that moment. The result depends on the model's seed and the options, never on the
/// number of threads.
///
/// @param exec       where training runs; the host's threads if left out
/// @param split      over the users and items that the model was made with
/// @param observers  see observer.hpp; by default Progress, on the standard error stream
/// @throws ArgumentError    for an option outside its domain, or a split of another shape
/// @throws DataError        if a checkpoint, or best weights on disk, cannot be written
/// @throws DivergenceError  if the loss, a weight or a row's squared magnitude is no longer finite;
///     the model then has the weights of its best epoch so far (without a validation set, its last
///     good one)
template <Execution X, class Model, class... Observers>
History fit(const X& exec, Model& model, const Split& split, const FitOptions& options,
            Observers&&... observers) {
  detail::check_observers<Model, Observers...>();
  TrainingSession<Model, X> session(exec, model, split, options);
  return session.run(observers...);
}

/// Trains with Progress as the only observer.
template <Execution X, class Model>
History fit(const X& exec, Model& model, const Split& split, const FitOptions& options = {}) {
  return fit(exec, model, split, options, Progress());
}

/// Trains on the host's threads: fit(par, model, split, options, observers...), or with Progress.
template <class Model, class... Observers>
  requires(!Execution<Model>)
History fit(Model& model, const Split& split, const FitOptions& options, Observers&&... observers) {
  return fit(par, model, split, options, std::forward<Observers>(observers)...);
}
template <class Model>
  requires(!Execution<Model>)
History fit(Model& model, const Split& split, const FitOptions& options = {}) {
  return fit(par, model, split, options, Progress());
}

}  // namespace prism::inline PRISM_ISA
