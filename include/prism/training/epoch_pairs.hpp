// SPDX-License-Identifier: BSD-3-Clause
// The training pairs in the order of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Draws each epoch's order when it is asked for: a function of seed and epoch, so that no
/// checkpoint has to hold it.
class EpochPairs {
 public:
  /// @param train  has to outlive the object
  EpochPairs(const Interactions& train, std::uint64_t seed, Shuffle mode)
      : train_(train), seed_(seed), mode_(mode) {}

  /// @param epoch  from 1
  /// @return all pairs, valid until the next call
  template <Execution X>
  [[nodiscard]] std::span<const Interaction> of(const X& exec, std::size_t epoch) {
    if (epoch != epoch_) {
      pairs_.resize(train_.size());
      for (std::size_t k = 0; k < pairs_.size(); ++k) pairs_[k] = train_[k];
      const auto drawn_for = static_cast<std::uint32_t>(mode_ == Shuffle::once ? 1 : epoch);
      shuffle(exec, std::span(pairs_), Random(seed_, Stream::shuffle, drawn_for));
      epoch_ = epoch;
    }
    return pairs_;
  }

 private:
  const Interactions& train_;
  std::uint64_t seed_;
  Shuffle mode_;
  std::vector<Interaction> pairs_;
  std::size_t epoch_ = 0;  // whose order they are in
};

}  // namespace prism::inline PRISM_ISA::detail
