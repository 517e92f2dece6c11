// SPDX-License-Identifier: BSD-3-Clause
// The training pairs in the order of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>

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

/// Draws each epoch's order on demand, as a function of seed and epoch, so that checkpoints need
/// not store it. While a device trains on one order, a host thread draws the next, even after the
/// last epoch; the destructor waits for it.
class EpochPairs {
 public:
  /// @param memory  of the pairs; null for table_memory()
  EpochPairs(Interactions train, std::uint64_t seed, Shuffle mode,
             std::pmr::memory_resource* memory = nullptr)
      : train_(std::move(train)),
        seed_(seed),
        mode_(mode),
        pairs_(memory),
        staged_(pinned_beside(memory)) {}
  EpochPairs(const EpochPairs&) = delete;
  EpochPairs& operator=(const EpochPairs&) = delete;

  /// @param epoch  from 1
  /// @return all pairs, valid until the next call
  template <Execution X>
  [[nodiscard]] std::span<const Interaction> of(const X& exec, std::size_t epoch) {
    if (epoch != epoch_ && !(mode_ == Shuffle::once && epoch_ != 0)) {
      synchronise(exec);  // a device may still read a batch
      epoch_ = 0;         // until they are complete
      pairs_.resize(train_.size());
      if constexpr (DeviceExecution<X>) {
        stage(exec, epoch);
        copy_numbers(exec, std::span<const Interaction>(staged_), std::span(pairs_));
        synchronise(exec);  // the next order overwrites the staged one
        stage_beside(exec, epoch + 1);
      } else {
        draw(exec, epoch, pairs_);
      }
    }
    epoch_ = epoch;
    return pairs_;
  }

 private:
  /// Draws an epoch's order into memory that the device can copy from, unless the thread has
  /// already done so.
  template <Execution X>
  void stage(const X& exec, std::size_t epoch) {
    if (next_.valid()) next_.wait();
    if (staged_epoch_ != epoch) draw_staged(exec, epoch);
  }

  template <Execution X>
  void draw_staged(const X& exec, std::size_t epoch) {
    staged_epoch_ = 0;  // until it is complete
    staged_.resize(train_.size());
    draw(exec, epoch, staged_);
    staged_epoch_ = epoch;
  }

  /// Begins to draw an epoch's order on a separate thread, unless the host is serial.
  template <Execution X>
  void stage_beside(const X& exec, std::size_t epoch) {
    if constexpr (!std::is_same_v<decltype(host_of(exec)), Serial>) {
      if (mode_ == Shuffle::once) return;
      try {
        next_ = std::async(std::launch::async, [this, exec, epoch] { draw_staged(exec, epoch); });
      } catch (const std::exception&) {  // no thread, or no memory for it: the epoch will draw it
      }
    }
  }

  template <Execution X>
  void draw(const X& exec, std::size_t epoch, std::span<Interaction> pairs) const {
    for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = train_[k];
    const auto drawn_for = static_cast<std::uint32_t>(mode_ == Shuffle::once ? 1 : epoch);
    shuffle(host_of(exec), pairs, Random(seed_, Stream::shuffle, drawn_for));
  }

  Interactions train_;  // shares the caller's lists, which the thread needs
  std::uint64_t seed_;
  Shuffle mode_;
  TableVector<Interaction> pairs_;
  TableVector<Interaction> staged_;  // for a device: where the host draws the pairs
  std::size_t epoch_ = 0;            // whose order pairs_ are in
  std::size_t staged_epoch_ = 0;     // whose order staged_ are in
  std::future<void> next_;           // the order being drawn
};

}  // namespace prism::inline PRISM_ISA::detail
