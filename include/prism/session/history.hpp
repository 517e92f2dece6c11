// SPDX-License-Identifier: BSD-3-Clause
// What happened during fit.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

struct EpochRecord {
  std::size_t epoch = 0;       ///< from 1
  double loss = 0;             ///< mean over the epoch's pairs, decay left out
  double validation_ndcg = 0;  ///< NDCG@k by dot product; 0 where there is no validation part
  double train_seconds = 0;
  double validate_seconds = 0;
  bool best = false;  ///< better than every epoch before
};

struct History {
  std::vector<EpochRecord> epochs{};
  std::size_t steps_per_epoch = 0;
  std::size_t best_epoch = 0;  ///< whose weights the model has in the end
  double best_validation_ndcg = 0;
  bool stopped_early = false;  ///< patience ran out before the epochs did
  double seconds = 0;          ///< wall clock, validation included
  /// What speaks against the run's having learnt: a best epoch of 1 or 2, or a stop after few
  /// steps.
  std::vector<std::string> warnings{};
};

}  // namespace prism::inline PRISM_ISA
