// SPDX-License-Identifier: BSD-3-Clause
// Training again on all that is not test.
#pragma once

#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/split.hpp"
#include "prism/training/fit.hpp"

namespace prism::inline PRISM_ISA {

/// A model with the same options, trained anew on training and validation part together, for as
/// many epochs as validation found best: the protocol of test figures that use all data but the
/// test part.
/// @param model      trained by fit()
/// @param split      the one that it was trained on; validation part not empty
/// @param history    what fit() returned
/// @param options    as those of fit(); epochs and checkpoint are not read. Without a schedule it
///     has that of a training without validation.
/// @param observers  as those of fit()
/// @throws ArgumentError  if there is no best epoch, or no validation part; otherwise as fit()
template <Execution X, class Model, class... Observers>
[[nodiscard]] Model retrain(const X& exec, const Model& model, const Split& split,
                            const History& history, FitOptions options, Observers&&... observers) {
  require(history.best_epoch > 0, "history", "has no best epoch");
  require(!split.validation.empty(), "split",
          "has no validation part that could be trained on too");
  options.epochs = history.best_epoch;
  options.checkpoint = {};
  const Split merged = merge_validation(split);
  Model again(exec, merged.train, model.options());
  fit(exec, again, merged, options, std::forward<Observers>(observers)...);
  return again;
}
/// The same, on the host's threads.
template <class Model, class... Observers>
requires(!Execution<Model>) [[nodiscard]] Model
    retrain(const Model& model, const Split& split, const History& history,
            const FitOptions& options, Observers&&... observers) {
  return retrain(par, model, split, history, options, std::forward<Observers>(observers)...);
}

}  // namespace prism::inline PRISM_ISA
