// SPDX-License-Identifier: BSD-3-Clause
// The training pairs in the order of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Draws each epoch's order when it is asked for: a function of seed and epoch, so that no
/// checkpoint has to hold it.
class EpochPairs {
 public:
  /// @param train  has to outlive the object
  /// @param memory  of the pairs; null for table_memory()
  EpochPairs(const Interactions& train, std::uint64_t seed, Shuffle mode,
             std::pmr::memory_resource* memory = nullptr)
      : train_(train), seed_(seed), mode_(mode), pairs_(memory), staged_(pinned_beside(memory)) {}

  /// @param epoch  from 1
  /// @return all pairs, valid until the next call
  template <Execution X>
  [[nodiscard]] std::span<const Interaction> of(const X& exec, std::size_t epoch) {
    if (epoch != epoch_) {
      synchronise(exec);  // a device may still read a batch
      pairs_.resize(train_.size());
      if constexpr (DeviceExecution<X>) {
        // Pages of its own memory that the host wrote would move back and forth.
        staged_.resize(train_.size());
        draw(exec, epoch, staged_);
        copy_numbers(exec, std::span<const Interaction>(staged_), std::span(pairs_));
        synchronise(exec);  // a sampler may read them on the host
      } else {
        draw(exec, epoch, pairs_);
      }
      epoch_ = epoch;
    }
    return pairs_;
  }

 private:
  template <Execution X>
  void draw(const X& exec, std::size_t epoch, std::span<Interaction> pairs) const {
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = train_[k];
    const auto drawn_for = static_cast<std::uint32_t>(mode_ == Shuffle::once ? 1 : epoch);
    shuffle(host_of(exec), pairs, Random(seed_, Stream::shuffle, drawn_for));
  }

  const Interactions& train_;
  std::uint64_t seed_;
  Shuffle mode_;
  TableVector<Interaction> pairs_;
  TableVector<Interaction> staged_;  // of an execution on a device: where the host draws them
  std::size_t epoch_ = 0;            // whose order they are in
};

}  // namespace prism::inline PRISM_ISA::detail
