// SPDX-License-Identifier: BSD-3-Clause
// What a loss may read before an epoch's first batch, to compute values that hold for several
// batches, such as SLK's quantiles, which depend on all items of a user.
#pragma once

#include <cstddef>
#include <functional>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// The argument of a loss's begin_epoch.
template <class T, Execution X = Host<>>
struct EpochStart {
  std::size_t epoch;  // from 1
  /// In the execution's memory; the host reads train.on_host().
  const Interactions& train;
  /// The epoch's random numbers, which no other part of a model draws.
  Random random;
  /// Computes the backbone's output rows of all users and items, users x dim and items x dim. A
  /// backbone that propagates recomputes them, so call it only in epochs that need them. They are
  /// valid until the first batch and are in the execution's memory: host code reads them through
  /// numbers_on_host() (prism/ops/numbers.hpp).
  std::function<Output<T>()> output;
  /// Where the operations run.
  [[no_unique_address]] X exec{};
};

}  // namespace prism::inline PRISM_ISA
