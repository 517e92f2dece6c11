// SPDX-License-Identifier: BSD-3-Clause
// Rows of PartialRowWiseAdam: a first moment of each weight, a second moment of each row.
#pragma once

#include <algorithm>
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
#include "prism/kernel/row_wise_adam.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

template <class T>
struct RowWiseAdamRows {
  struct Row {
    AdamLastStep last;
    T second = 0;

    void save(BinaryWriter& out) const {
      last.save(out);
      out.number(second);
    }
    void load(BinaryReader& in) {
      last.load(in);
      second = in.number<T>();
    }
  };
  static constexpr std::size_t columns(std::size_t dim) noexcept { return dim; }

  Rows<T> moments;
  Row* row;
  DeferredSteps<T> deferred;

  /// Applies the deferred steps to a row's weights and, with decay, to its moments.
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred(const ParameterView<T>& table, std::size_t r,
                                        double row_decay,
                                        const AdamConstants<T>& constant) const noexcept {
    const double decay = static_cast<double>(static_cast<T>(row_decay));
    const AdamLastStep last = row[r].last;
    const auto now = static_cast<std::uint32_t>(deferred.size());
    if (now == 0 || last.weights == now) return;
    if (decay != 0) {
      if (table.bounded()) {
        replay_bounded<Isa>(table, r, decay, constant);
      } else {
        replay<Isa, Pack<double, isa::scalar>, 1>(table, &r, 1, &decay, constant);
      }
      return;
    }
    if (!last.had_gradient()) {
      Lanes<Isa>::once([&] { row[r].last.moments = now; });
    } else {
      const double factor = deferred.first_moment_factor(last.weights, last.moments,
                                                         static_cast<double>(row[r].second),
                                                         static_cast<double>(constant.epsilon));
      add_scaled<Isa>(table.rows[r], static_cast<T>(-factor), moments[r], moments.dim());
      Lanes<Isa>::once([&] { row[r].last.weights = now; });
    }
    if (table.bounded()) {
      clamp<Isa>(table.rows[r], table.lowest, table.highest, table.rows.dim());
    }
  }

  /// Brings a row's moments up to date with its weights.
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred_moments(std::size_t r) const noexcept {
    const AdamLastStep last = row[r].last;
    if (last.moments == last.weights) return;
    const auto moment_decay = deferred.moment_decay(last.weights - last.moments);
    scale<Isa>(moments[r], moment_decay.first, moments[r], moments.dim());
    Lanes<Isa>::once([&] {
      row[r].second *= moment_decay.second;
      row[r].last.moments = last.weights;
    });
  }

  /// Takes a step on a row whose weights are up to date.
  template <class Isa>
  PRISM_HOST_DEVICE void step(const ParameterView<T>& table, std::size_t r, const T* g,
                              double decay, const AdamConstants<T>& constant,
                              const AdamStep<T>& step) const noexcept {
    const auto moment_decay = deferred.moment_decay(deferred.size() - row[r].last.moments);
    const T second =
        row_wise_adam_row<Isa>(table.rows[r], moments[r], row[r].second, g, static_cast<T>(decay),
                               constant, step, table.rows.dim(), moment_decay);
    Lanes<Isa>::once([&] { row[r].second = second; });
  }

  /// Two packs hide each other's latency.
  template <class Isa>
  static constexpr std::size_t group = 2 * Pack<double, Isa>::width;

  /// Applies the deferred steps of some rows with decay at once, one row on each lane.
  template <class Isa, RegularizerPolicy R>
  void replay_group(const ParameterView<T>& table, std::span<const Index> rows,
                    const RowDecay<R>& row_decay, const AdamConstants<T>& constant) const {
    if (table.bounded() || row_decay.is_zero()) return;
    double decay[group<Isa>];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      decay[i] = static_cast<double>(static_cast<T>(row_decay(rows[i])));
      if (decay[i] == 0) return;
    }
    replay<Isa, Pack<double, Isa>, 2>(table, rows.data(), rows.size(), decay, constant);
  }

 private:
  /// Step by step, clamping to the bounds after each.
  template <class Isa>
  PRISM_HOST_DEVICE void replay_bounded(const ParameterView<T>& table, std::size_t r, double decay,
                                        const AdamConstants<T>& constant) const noexcept {
    if (row[r].last.had_gradient()) apply_deferred_moments<Isa>(r);
    T second = row[r].second;
    for (std::size_t s = row[r].last.first_deferred(); s < deferred.size(); ++s) {
      second = row_wise_adam_row<Isa, T>(table.rows[r], moments[r], second, nullptr,
                                         static_cast<T>(decay), constant, deferred.steps[s],
                                         moments.dim());
    }
    end_replay<Isa>(r, second);
  }

  template <class Isa>
  PRISM_HOST_DEVICE void end_replay(std::size_t r, T second) const noexcept {
    const auto now = static_cast<std::uint32_t>(deferred.size());
    Lanes<Isa>::once([&] { row[r] = {{now, now}, second}; });
  }

  /// Replays rows on the lanes of N packs, each from the step that it is up to date with.
  /// @param rows, decays  n of each, at most the number of lanes
  template <class Isa, class P, std::size_t N, class RowIndex>
  PRISM_HOST_DEVICE void replay(const ParameterView<T>& table, const RowIndex* rows, std::size_t n,
                                const double* decays,
                                const AdamConstants<T>& constant) const noexcept {
    constexpr std::size_t lanes = N * P::width;
    const std::size_t end = deferred.size();
    std::size_t from[lanes], begin = end;
    for (std::size_t i = 0; i < lanes; ++i) {
      from[i] = i < n ? row[rows[i]].last.first_deferred() : end;
      begin = std::min(begin, from[i]);
      if (from[i] < end && row[rows[i]].last.had_gradient()) {
        apply_deferred_moments<Isa>(rows[i]);
      }
    }
    for (; begin < end; begin += DecayingRows<P>::max_steps) {
      replay_steps<Isa, P, N>(table, rows, from, decays, constant, begin,
                              std::min(end, begin + DecayingRows<P>::max_steps));
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (from[i] < end) end_replay<Isa>(rows[i], row[rows[i]].second);
    }
  }

  /// Replays the steps in [begin, end), for each row from its own first deferred step.
  template <class Isa, class P, std::size_t N, class RowIndex>
  PRISM_HOST_DEVICE void replay_steps(const ParameterView<T>& table, const RowIndex* rows,
                                      const std::size_t* from, const double* decays,
                                      const AdamConstants<T>& constant, std::size_t begin,
                                      std::size_t end) const noexcept {
    constexpr std::size_t width = P::width, lanes = N * width;
    const std::size_t dim = table.rows.dim();
    double weights_squared[lanes] = {}, products[lanes] = {}, moments_squared[lanes] = {};
    double decay[lanes] = {}, second[lanes] = {};
    for (std::size_t i = 0; i < lanes; ++i) {
      if (from[i] >= end) continue;
      const std::size_t r = rows[i];
      const RowProducts initial = RowProducts::of<Isa>(table.rows[r], moments[r], dim);
      weights_squared[i] = initial.weights_squared;
      products[i] = initial.products;
      moments_squared[i] = initial.moments_squared;
      const bool is_zero = initial.weights_squared == 0 && initial.moments_squared == 0;
      decay[i] = is_zero ? 0 : decays[i];
      second[i] = static_cast<double>(row[r].second);
    }
    DecayingRows<P> pack[N];
    for (std::size_t k = 0; k < N; ++k) {
      pack[k].decay = P::load(decay + k * width);
      pack[k].weights_squared = P::load(weights_squared + k * width);
      pack[k].products = P::load(products + k * width);
      pack[k].moments_squared = P::load(moments_squared + k * width);
      pack[k].second = P::load(second + k * width);
    }
    while (begin < end) {
      std::size_t next = end;  // until another row begins
      double is_active[lanes];
      for (std::size_t i = 0; i < lanes; ++i) {
        is_active[i] = from[i] <= begin ? 1 : 0;
        if (from[i] > begin) next = std::min(next, from[i]);
      }
      P active[N];
      for (std::size_t k = 0; k < N; ++k) active[k] = P::load(is_active + k * width);
      for (; begin < next; ++begin) {
        for (std::size_t k = 0; k < N; ++k) {
          pack[k].step(constant, deferred.steps[begin], active[k]);
        }
      }
    }
    double ww[lanes], wm[lanes], mw[lanes], mm[lanes];
    for (std::size_t k = 0; k < N; ++k) {
      pack[k].weight_of_weight.store(ww + k * width);
      pack[k].weight_of_moment.store(wm + k * width);
      pack[k].moment_of_weight.store(mw + k * width);
      pack[k].moment_of_moment.store(mm + k * width);
      pack[k].second.store(second + k * width);
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      if (from[i] >= end) continue;
      const std::size_t r = rows[i];
      combine_rows<Isa>(table.rows[r], moments[r], ww[i], wm[i], mw[i], mm[i], dim);
      Lanes<Isa>::once([&] { row[r].second = static_cast<T>(second[i]); });
    }
  }
};

}  // namespace prism::inline PRISM_ISA::detail
