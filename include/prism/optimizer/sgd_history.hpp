// SPDX-License-Identifier: BSD-3-Clause
// The deferred steps of a table that SGD trains: for a row without a gradient, decay alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The factor by which steps of decay multiply a row.
struct DecayFactor {
  double kept = 1;  ///< the factor
  double lost = 0;  ///< 1 - kept, to full precision even if kept is nearly 1

  /// The factor of one or more steps that subtract this fraction of a row.
  [[nodiscard]] PRISM_HOST_DEVICE static constexpr DecayFactor from_lost(double lost) noexcept {
    return {1 - lost, lost};
  }
  [[nodiscard]] PRISM_HOST_DEVICE friend constexpr DecayFactor operator*(
      const DecayFactor& a, const DecayFactor& b) noexcept {
    return {a.kept * b.kept, a.lost + b.lost - a.lost * b.lost};
  }
};

/// The learning rates of the steps since all rows of a table were last up to date, as runs of equal
/// rates. Small, so that loops over rows can hold a copy, on a device too.
class SGDHistory {
 public:
  /// Steps since the last clear().
  [[nodiscard]] PRISM_HOST_DEVICE constexpr std::uint32_t size() const noexcept {
    return num_runs_ == 0 ? 0 : runs_[num_runs_ - 1].end;
  }

  constexpr void clear() noexcept { num_runs_ = 0; }

  /// Whether add() has room for one more step.
  [[nodiscard]] constexpr bool has_room(double learning_rate) const noexcept {
    constexpr std::uint32_t most = std::uint32_t{1} << 30;
    return size() < most && (num_runs_ < max_runs || continues_run(learning_rate));
  }

  constexpr void add(double learning_rate) noexcept {
    const std::uint32_t end = size() + 1;
    if (!continues_run(learning_rate)) ++num_runs_;
    runs_[num_runs_ - 1] = {learning_rate, end};
  }

  /// The product of 1 - learning_rate * decay over the steps after the first `from`.
  [[nodiscard]] PRISM_HOST_DEVICE constexpr DecayFactor factor(std::uint32_t from,
                                                               double decay) const noexcept {
    DecayFactor product;
    for (std::size_t k = 0; k < num_runs_; ++k) {
      const Run& run = runs_[k];
      if (run.end <= from) continue;
      DecayFactor power = DecayFactor::from_lost(run.learning_rate * decay);
      for (std::uint32_t steps = run.end - from; steps > 0; steps /= 2) {
        if (steps % 2 == 1) product = product * power;
        power = power * power;
      }
      from = run.end;
    }
    return product;
  }

  void save(BinaryWriter& out) const {
    out.number(static_cast<std::uint32_t>(num_runs_));
    for (std::size_t k = 0; k < num_runs_; ++k) {
      out.number(runs_[k].learning_rate);
      out.number(runs_[k].end);
    }
  }
  void load(BinaryReader& in) {
    clear();
    const auto runs = in.number<std::uint32_t>();
    if (runs > max_runs) in.fail("has too many learning rates of deferred steps");
    for (std::uint32_t k = 0; k < runs; ++k) {
      const auto learning_rate = in.number<double>();
      const auto end = in.number<std::uint32_t>();
      if (end <= size()) in.fail("has deferred steps out of order");
      runs_[num_runs_++] = {learning_rate, end};
    }
  }

 private:
  static constexpr std::size_t max_runs = 32;

  /// Steps of one learning rate: from the end of the previous run up to `end`.
  struct Run {
    double learning_rate;
    std::uint32_t end;
  };

  [[nodiscard]] constexpr bool continues_run(double learning_rate) const noexcept {
    return num_runs_ > 0 && runs_[num_runs_ - 1].learning_rate == learning_rate;
  }

  std::array<Run, max_runs> runs_{};
  std::size_t num_runs_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail
