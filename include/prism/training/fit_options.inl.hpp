// SPDX-License-Identifier: BSD-3-Clause
// Functions that fit_options.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/metric.hpp"
#include "prism/training/schedule.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE void check(const FitOptions& options, const Split& split, const Interactions& model) {
  const Interactions& train = split.train;
  if (options.learning_rate) require_positive("learning_rate", *options.learning_rate);
  require_at_least_one("batch_size", options.batch_size);
  require_at_least_one("epochs", options.epochs.value_or(FitOptions::default_epochs));
  require_at_least_one("patience", options.patience);
  require_at_least_one("k", options.k);
  require_at_least_one("validate_every", options.validate_every);
  require_enumerator("shuffle", options.shuffle, Shuffle::once);
  require_enumerator("best_weights", options.best_weights, BestWeights::last);
  options.metric.check();
  if (options.schedule) options.schedule->check();
  require(options.best_weights != BestWeights::on_disk || !options.best_weights_path.empty(),
          "best_weights_path", "must be set if best_weights is on_disk");
  check_checkpoint_path(options, options.checkpoint.path);
  for (const Interactions* part : {&train, &split.validation}) {
    require(device_memory(part->memory()) == nullptr, "split",
            "must be in the host's memory; a session copies what the device needs");
  }
  bool same = train.users() == model.users() && train.items() == model.items() &&
              train.size() == model.size();
  for (std::size_t k = 0; same && k < train.size(); ++k) same = train[k] == model[k];
  require(same, "split", "must have the training set that the model was constructed with");
  require(train.size() < max_rows, "split.train", "must have fewer than 2^32 - 1 interactions");
  require(!train.empty(), "split.train", "has no interactions to learn from");
  if (split.validation.empty()) {
    require(options.epochs || options.stop, "epochs",
            "must be set if split.validation is empty, because nothing else would end training; "
            "or set stop");
    return;
  }
  require(split.validation.users() == model.users() && split.validation.items() == model.items(),
          "split.validation",
          "must have " + std::to_string(model.users()) + " users and " +
              std::to_string(model.items()) + " items, as the model has");
  require(
      !have_common_interaction(split.validation, train), "split.validation",
      "must have no interactions in common with split.train, which are left out of the ranking");
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
