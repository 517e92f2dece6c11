// SPDX-License-Identifier: BSD-3-Clause
// The deferred steps of single rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/row.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How many of the history's steps a row's weights and moments are up to date with.
struct AdamLastStep {
  /// Of a row that has had no gradient yet: without decay its deferred steps change nothing.
  static constexpr auto no_gradient_yet = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t weights = no_gradient_yet;
  std::uint32_t moments = 0;  // at most `weights`
};

/// What loops over rows read and write.
template <class T>
struct AdamRows {
  Rows<T> moments;
  AdamLastStep* last_step;
  DeferredSteps<T> deferred;

  [[nodiscard]] constexpr T* first(std::size_t r) const noexcept { return moments[r]; }
  [[nodiscard]] constexpr T* second(std::size_t r) const noexcept {
    return first(r) + moments.dim() / 2;
  }
};

/// Applies the steps to a row's moments that its weights are up to date with.
template <class Isa, class View>
PRISM_HOST_DEVICE void apply_deferred_moments(std::size_t r, const View& state) noexcept {
  auto& last_step = state.last_step[r];
  const auto moment_decay = state.deferred.moment_decay(last_step.weights - last_step.moments);
  state.deferred.template decay_moments<Isa>(state.first(r), state.second(r), moment_decay,
                                             state.moments.dim() / 2);
  Lanes<Isa>::once([&] { last_step.moments = last_step.weights; });
}

/// Applies the deferred steps of a row's weights, and where that is no closed form, of its moments.
template <class Isa, class T, class View>
PRISM_HOST_DEVICE void apply_deferred_row(const ParameterView<T>& table, std::size_t r,
                                          const View& state, double row_decay,
                                          const AdamConstants<T>& constant) noexcept {
  const T decay = static_cast<T>(row_decay);
  const std::size_t current_step = state.deferred.size();
  auto& last_step = state.last_step[r];
  std::size_t from = last_step.weights;
  if (from == current_step || current_step == 0) return;
  const auto now = static_cast<std::uint32_t>(current_step);
  if (from == AdamLastStep::no_gradient_yet) {
    if (decay == 0) {
      Lanes<Isa>::once([&] { last_step.moments = now; });
      if (table.bounded()) {
        clamp<Isa>(table.rows[r], table.lowest, table.highest, table.rows.dim());
      }
      return;
    }
    from = 0;
  }
  // If steps were applied to the weights alone, the moments have to follow first.
  if (last_step.moments != from) apply_deferred_moments<Isa>(r, state);
  const std::size_t of_moments = state.deferred.template apply<Isa>(
      from, table.rows[r], state.first(r), state.second(r), decay, constant, table.rows.dim());
  Lanes<Isa>::once(
      [&] { last_step = {.weights = now, .moments = static_cast<std::uint32_t>(of_moments)}; });
}

/// Applies the deferred steps of two rows with decay at once, where both have some: a row of few
/// packs would wait for its own square roots. Otherwise leaves them as they are.
template <class Isa, class T, class View, RegularizerPolicy R>
void replay_pair(const ParameterView<T>& table, std::array<std::size_t, 2> pair, const View& state,
                 const RowDecay<R>& row_decay, const AdamConstants<T>& constant) {
  const std::size_t current_step = state.deferred.size(), dim = table.rows.dim();
  std::array<AdamReplayRow<T>, 2> of_pair;
  std::array<std::size_t, 2> from{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t r = pair[i];
    const AdamLastStep last = state.last_step[r];
    const T decay = static_cast<T>(row_decay(r));
    from[i] = last.weights == AdamLastStep::no_gradient_yet ? 0 : last.weights;
    if (decay == 0 || from[i] == current_step || from[i] != last.moments) return;
    of_pair[i] = {table.rows[r], state.first(r), state.second(r), decay};
  }
  const auto steps = state.deferred.steps;
  const std::size_t common = std::max(from[0], from[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    if (from[i] == common) continue;
    adam_replay<Isa>(std::array{of_pair[i]}, constant, steps.subspan(from[i], common - from[i]),
                     dim);
  }
  adam_replay<Isa>(of_pair, constant, steps.subspan(common), dim);
  const auto now = static_cast<std::uint32_t>(current_step);
  for (const std::size_t r : pair) state.last_step[r] = {now, now};
}

}  // namespace prism::inline PRISM_ISA::detail
