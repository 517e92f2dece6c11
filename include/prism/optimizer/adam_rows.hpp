// SPDX-License-Identifier: BSD-3-Clause
// Rows of Adam: two moments of each weight.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

template <class T>
struct AdamRows {
  struct Row {
    AdamLastStep last;

    void save(BinaryWriter& out) const { last.save(out); }
    void load(BinaryReader& in) { last.load(in); }
  };
  /// First moments, then second ones.
  static constexpr std::size_t columns(std::size_t dim) noexcept { return 2 * dim; }

  Rows<T> moments;
  Row* row;
  DeferredSteps<T> deferred;

  /// Applies the deferred steps to a row's weights and, where there is no closed form, to its
  /// moments.
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred(const ParameterView<T>& table, std::size_t r,
                                        double row_decay,
                                        const AdamConstants<T>& constant) const noexcept {
    const T decay = static_cast<T>(row_decay);
    auto& last = row[r].last;
    std::size_t from = last.weights;
    if (from == deferred.size() || deferred.size() == 0) return;
    const auto now = static_cast<std::uint32_t>(deferred.size());
    if (from == AdamLastStep::no_gradient_yet) {
      if (decay == 0) {
        Lanes<Isa>::once([&] { last.moments = now; });
        if (table.bounded()) {
          clamp<Isa>(table.rows[r], table.lowest, table.highest, table.rows.dim());
        }
        return;
      }
      from = 0;
    }
    // If steps were applied to the weights alone, they are applied to the moments first.
    if (last.moments != from) apply_deferred_moments<Isa>(r);
    const std::size_t moment_steps = deferred.template apply<Isa>(
        from, table.rows[r], first(r), second(r), decay, constant, table.rows.dim());
    Lanes<Isa>::once(
        [&] { last = {.weights = now, .moments = static_cast<std::uint32_t>(moment_steps)}; });
  }

  /// Brings a row's moments up to date with its weights.
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred_moments(std::size_t r) const noexcept {
    auto& last = row[r].last;
    const auto moment_decay = deferred.moment_decay(last.weights - last.moments);
    deferred.template decay_moments<Isa>(first(r), second(r), moment_decay, moments.dim() / 2);
    Lanes<Isa>::once([&] { last.moments = last.weights; });
  }

  /// Takes a step on a row whose weights are up to date.
  template <class Isa>
  PRISM_HOST_DEVICE void step(const ParameterView<T>& table, std::size_t r, const T* g,
                              double decay, const AdamConstants<T>& constant,
                              const AdamStep<T>& step) const noexcept {
    const auto moment_decay = deferred.moment_decay(deferred.size() - row[r].last.moments);
    adam_row<Isa>(table.rows[r], first(r), second(r), g, static_cast<T>(decay), constant, step,
                  table.rows.dim(), moment_decay);
  }

  template <class Isa>
  static constexpr std::size_t group = 2;

  /// Applies the deferred steps of two rows with decay at once, if both have some: a single row of
  /// few packs would wait for its own square roots. Otherwise does nothing.
  template <class Isa, RegularizerPolicy R>
  void replay_group(const ParameterView<T>& table, std::span<const Index> pair,
                    const RowDecay<R>& row_decay, const AdamConstants<T>& constant) const {
    if (pair.size() < 2) return;
    const std::size_t dim = table.rows.dim();
    std::array<AdamReplayRow<T>, 2> pair_rows;
    std::array<std::size_t, 2> from{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Index r = pair[i];
      const AdamLastStep last = row[r].last;
      const T decay = static_cast<T>(row_decay(r));
      from[i] = last.first_deferred();
      if (decay == 0 || from[i] == deferred.size() || from[i] != last.moments) return;
      pair_rows[i] = {table.rows[r], first(r), second(r), decay};
    }
    const std::size_t common = std::max(from[0], from[1]);
    for (std::size_t i = 0; i < 2; ++i) {
      if (from[i] == common) continue;
      adam_replay<Isa>(std::array{pair_rows[i]}, constant,
                       deferred.steps.subspan(from[i], common - from[i]), dim);
    }
    adam_replay<Isa>(pair_rows, constant, deferred.steps.subspan(common), dim);
    const auto now = static_cast<std::uint32_t>(deferred.size());
    for (const Index r : pair) row[r].last = {now, now};
  }

 private:
  [[nodiscard]] PRISM_HOST_DEVICE constexpr T* first(std::size_t r) const noexcept {
    return moments[r];
  }
  [[nodiscard]] PRISM_HOST_DEVICE constexpr T* second(std::size_t r) const noexcept {
    return first(r) + moments.dim() / 2;
  }
};

}  // namespace prism::inline PRISM_ISA::detail
