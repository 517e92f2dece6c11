// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/row.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/optimizer/dense_adam.hpp"
#include "prism/policy/optimizer.hpp"

namespace prism::inline PRISM_ISA {

/// Adam, with the weights of torch.optim.Adam (to rounding) at the cost of the batch: a step visits
/// the rows that it gives a gradient, and a row that has stood still makes up for the steps it has
/// missed when it is next read. Without decay there is a closed form for those; with decay they are
/// replayed in registers. Decay is added to the gradient (L2, not AdamW). Kingma, Ba, ICLR 2015.
struct Adam {
  static constexpr std::string_view name = "Adam";

  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< above 0

  /// @throws ArgumentError  for an option outside its domain
  void check() const { DenseAdam{beta1, beta2, epsilon}.check(); }

  /// The moments, and where each row stands.
  template <class T>
  class State {
   public:
    /// @param memory  where they lie; null for table_memory()
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory = nullptr)
        : moments_(zeros<T>(size, 2 * dim, memory)), standing_(size, memory) {}

    /// Whether no moment has overflown: from there on its weight would stand still.
    [[nodiscard]] bool finite() const {
      return std::ranges::all_of(moments_, [](T moment) { return is_finite(moment); });
    }

   private:
    friend Adam;
    /// Of a row that no gradient has reached yet: without decay it has nothing to make up for.
    static constexpr auto without_momentum = std::numeric_limits<std::uint32_t>::max();
    /// How many of the history's steps a row has taken.
    struct Standing {
      std::uint32_t weights = without_momentum;
      std::uint32_t moments = 0;  // which may lag behind
    };

    [[nodiscard]] T* first(std::size_t r) noexcept { return rows(moments_)[r]; }
    [[nodiscard]] T* second(std::size_t r) noexcept { return first(r) + moments_.shape(1) / 2; }

    Matrix<T> moments_;  // size x (first, second): a row is visited in one place
    TableVector<Standing> standing_;
    AdamHistory<T> history_;
  };

  /// Brings rows of a table up to the last step. @param which  distinct rows
  template <Execution X, class T, RegularizerPolicy R>
  void catch_up(const X& exec, const ParameterView<T>& table, std::span<const Index> which,
                State<T>& state, const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const T decay = static_cast<T>(regularizer.weight_decay(false));
    const std::size_t all = state.history_.size();
    for_each_row(
        exec, which, table, state, [&](Index r) { return state.standing_[r].weights != all; },
        [&](std::size_t k) {
          catch_up_row<typename X::isa>(table, which[k], state, decay, constant);
        });
  }

  /// Brings all rows of a table up to the last step.
  template <Execution X, class T, RegularizerPolicy R>
  void settle(const X& exec, const ParameterView<T>& table, State<T>& state,
              const R& regularizer) const {
    if (state.history_.size() == 0) return;
    const AdamConstants<T> constant = constants(table);
    const T decay = static_cast<T>(regularizer.weight_decay(false));
    parallel_chunks(exec, table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        catch_up_row<typename X::isa>(table, r, state, decay, constant);
        if (state.standing_[r].weights != State<T>::without_momentum) {
          catch_up_moments<typename X::isa>(r, state);
          state.standing_[r].weights = 0;
        }
        state.standing_[r].moments = 0;
      }
    });
    state.history_.clear();
  }

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepSize size, const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const AdamStep<T> step(size.learning_rate, beta1, beta2, size.step);
    const auto take = [&](std::size_t r, const T* row_gradient, bool in_batch, AdamLag<T> lag) {
      const T decay = static_cast<T>(regularizer.weight_decay(in_batch));
      adam_row<typename X::isa>(table.rows[r], state.first(r), state.second(r), row_gradient, decay,
                                constant, step, table.rows.dim(), lag);
    };
    if (gradient.of_every_row()) {
      settle(exec, table, state, regularizer);
      parallel_chunks(exec, table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          take(r, gradient.of(r), gradient.in_batch(r), {});
          state.standing_[r].weights = 0;
        }
      });
      return;
    }
    // So that what is remembered of past steps stays small where nobody ever settles.
    constexpr std::size_t longest_history = 1 << 16;
    if (state.history_.size() == longest_history) settle(exec, table, state, regularizer);
    const std::span<const Index> reached = gradient.batch_rows();
    const T decay_so_far = static_cast<T>(regularizer.weight_decay(false));
    const std::size_t before = state.history_.size();
    for_each_row(
        exec, reached, table, state, [](Index) { return true; },
        [&](std::size_t k) {
          const Index r = reached[k];
          catch_up_row<typename X::isa>(table, r, state, decay_so_far, constant);
          const AdamLag<T> lag = state.history_.lag(before - state.standing_[r].moments);
          take(r, gradient.of_batch_row(k), k < gradient.own(), lag);
          const auto now = static_cast<std::uint32_t>(before + 1);
          state.standing_[r] = {now, now};
        });
    state.history_.add(size.learning_rate, beta1, beta2, size.step);
  }

 private:
  static constexpr std::size_t grain = 256;

  /// Calls visit(k) for each row which[k], with those to come that are needed(row) on their way
  /// from memory.
  template <Execution X, class T, class Needed, class Visit>
  static void for_each_row(const X& exec, std::span<const Index> which,
                           const ParameterView<T>& table, State<T>& state, const Needed& needed,
                           const Visit& visit) {
    constexpr std::size_t ahead = 12;
    const std::size_t dim = table.rows.dim();
    parallel_chunks(exec, which.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        if (k + 2 * ahead < which.size()) {
          prefetch(&state.standing_[which[k + 2 * ahead]], 1);
        }
        // What the next chunk's rows need is for its thread to read.
        if (const std::size_t next = k + ahead;
            next < which.size() && (next >= end || needed(which[next]))) {
          prefetch(table.rows[which[next]], dim);
          prefetch(state.first(which[next]), 2 * dim);
        }
        visit(k);
      }
    });
  }

  template <class T>
  [[nodiscard]] AdamConstants<T> constants(const ParameterView<T>& table) const {
    return {beta1, beta2, epsilon, table.lowest, table.highest};
  }

  template <class Isa, class T>
  static void catch_up_row(const ParameterView<T>& table, std::size_t r, State<T>& state, T decay,
                           const AdamConstants<T>& constant) noexcept {
    const std::size_t all = state.history_.size();
    auto& standing = state.standing_[r];
    std::size_t from = standing.weights;
    if (from == all || all == 0) return;
    if (from == State<T>::without_momentum) {
      if (decay == 0) {
        standing.moments = static_cast<std::uint32_t>(all);
        if (table.bounded()) {
          clamp<Isa>(table.rows[r], table.lowest, table.highest, table.rows.dim());
        }
        return;
      }
      from = 0;
    }
    // Weights that are caught up twice without a step between leave their moments behind.
    if (standing.moments != from) catch_up_moments<Isa>(r, state);
    const bool lags = state.history_.template catch_up<Isa>(
        from, table.rows[r], state.first(r), state.second(r), decay, constant, table.rows.dim());
    standing.weights = static_cast<std::uint32_t>(all);
    if (!lags) standing.moments = standing.weights;
  }

  /// Brings a row's moments up to its weights.
  template <class Isa, class T>
  static void catch_up_moments(std::size_t r, State<T>& state) noexcept {
    auto& standing = state.standing_[r];
    const AdamLag<T> lag = state.history_.lag(standing.weights - standing.moments);
    AdamHistory<T>::template shrink<Isa>(state.first(r), state.second(r), lag,
                                         state.moments_.shape(1) / 2);
    standing.moments = standing.weights;
  }
};

static_assert(OptimizerPolicy<Adam>);
static_assert(LazyOptimizer<Adam> && !LazyOptimizer<DenseAdam>);

}  // namespace prism::inline PRISM_ISA
