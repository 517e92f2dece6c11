// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/optimizer/deferred_row.hpp"
#include "prism/optimizer/dense_adam.hpp"
#include "prism/policy/optimizer.hpp"

namespace prism::inline PRISM_ISA {

/// Lazy Adam: the weights of torch.optim.Adam, to rounding, at the cost of the batch. A step visits
/// only rows with a gradient; a row's zero-gradient steps are deferred until it is next read.
/// Without decay they have a closed form; with decay they are replayed in registers. Decay is added
/// to the gradient (L2, not AdamW). Kingma, Ba, ICLR 2015.
struct Adam {
  static constexpr std::string_view name = "Adam";
  static constexpr OptimizerTraits traits{.defers_rows = true};

  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< above 0

  /// The learning rate whose steps move a row of dim columns by about `length`: Adam moves each
  /// column by about the learning rate (Kingma, Ba, section 2.1).
  [[nodiscard]] double learning_rate_of_step(double length, std::size_t dim) const {
    return DenseAdam{}.learning_rate_of_step(length, dim);
  }

  /// @throws ArgumentError  for an option outside its domain
  void check() const { DenseAdam{beta1, beta2, epsilon}.check(); }

  /// The moments, and each row's last step.
  template <class T>
  class State {
   public:
    /// @param memory  null for table_memory()
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory = nullptr)
        : moments_(zeros<T>(size, 2 * dim, memory)), last_step_(size, memory), history_(memory) {}

    /// Whether all moments are finite: a weight whose moment has overflowed no longer changes.
    template <Execution X = Serial>
    [[nodiscard]] bool finite(const X& exec = {}) const {
      return all_finite(exec, std::span<const T>(moments_.data(), moments_.size()));
    }

    /// The rows' deferred steps stay deferred.
    void save(BinaryWriter& out) const {
      out.numbers(std::span(moments_.data(), moments_.size()));
      for (const LastStep& last : last_step_) {
        out.number(last.weights);
        out.number(last.moments);
      }
      history_.save(out);
    }
    void load(BinaryReader& in) {
      in.numbers(std::span(moments_.data(), moments_.size()));
      for (LastStep& last : last_step_) {
        last.weights = in.number<std::uint32_t>();
        last.moments = in.number<std::uint32_t>();
      }
      history_.load(in);
      const auto within = [steps = history_.size()](const LastStep& last) {
        return last.moments <= steps && (last.weights == no_gradient_yet ||
                                         (last.weights <= steps && last.moments <= last.weights));
      };
      if (!std::ranges::all_of(last_step_, within)) in.fail("has rows ahead of their steps");
    }

   private:
    friend Adam;
    using LastStep = detail::AdamLastStep;
    static constexpr auto no_gradient_yet = LastStep::no_gradient_yet;

    [[nodiscard]] detail::AdamRows<T> view() noexcept {
      return {rows(moments_), last_step_.data(), history_.view()};
    }

    Matrix<T> moments_;  // size x (first, second): the moments of a row are contiguous
    TableVector<LastStep> last_step_;
    AdamHistory<T> history_;
  };

  /// Applies the deferred steps of some of a table's rows.
  /// @param row_indices  distinct rows
  template <Execution X, class T, RegularizerPolicy R>
  void apply_deferred(const X& exec, const ParameterView<T>& table,
                      std::span<const Index> row_indices, State<T>& state,
                      const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const auto of_state = state.view();
    visit_rows(
        exec, row_indices, table, of_state,
        [=](Index r) {
          const std::uint32_t last = of_state.last_step[r].weights;
          if (last == detail::AdamLastStep::no_gradient_yet && inactive_decay.is_zero()) {
            return table.bounded();
          }
          return last != of_state.deferred.size();
        },
        [=](Index r1, Index r2) {
          if constexpr (!DeviceExecution<X>) {
            detail::replay_pair<typename X::isa>(table, {r1, r2}, of_state, inactive_decay,
                                                 constant);
          }
        },
        [=] PRISM_HOST_DEVICE(std::size_t k) {
          const Index r = row_indices[k];
          detail::apply_deferred_row<typename X::isa>(table, r, of_state, inactive_decay(r),
                                                      constant);
        });
  }

  /// Applies the deferred steps of all rows of a table, and clears the history.
  template <Execution X, class T, RegularizerPolicy R>
  void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
             const R& regularizer) const {
    if (state.history_.size() == 0) return;
    const AdamConstants<T> constant = constants(table);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const auto of_state = state.view();
    const auto flush_row = [=] PRISM_HOST_DEVICE(std::size_t r) {
      using Isa = typename X::isa;
      detail::apply_deferred_row<Isa>(table, r, of_state, inactive_decay(r), constant);
      auto& last_step = of_state.last_step[r];
      const bool had_gradient = last_step.weights != detail::AdamLastStep::no_gradient_yet;
      if (had_gradient) detail::apply_deferred_moments<Isa>(r, of_state);
      Lanes<Isa>::once([&] {
        if (had_gradient) last_step.weights = 0;
        last_step.moments = 0;
      });
    };
    if constexpr (DeviceExecution<X>) {
      for_each_row(exec, table.rows.size(), grain, flush_row);
    } else {
      parallel_chunks(exec, table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) {
          if ((r - begin) % 2 == 0 && r + 1 < end) {
            detail::replay_pair<typename X::isa>(table, {r, r + 1}, of_state, inactive_decay,
                                                 constant);
          }
          flush_row(r);
        }
      });
    }
    synchronise(exec);  // the rows have read the history
    state.history_.clear();
  }

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const AdamStep<T> step(info.learning_rate, beta1, beta2, info.step);
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    if (gradient.is_dense()) {
      flush(exec, table, state, regularizer);
      const auto of_state = state.view();
      for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
        const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
        adam_row<typename X::isa>(table.rows[r], of_state.first(r), of_state.second(r),
                                  gradient.of(r), static_cast<T>(decay), constant, step,
                                  table.rows.dim());
        of_state.last_step[r].weights = 0;
      });
      return;
    }
    // Bounds the history if flush() is never called.
    constexpr std::size_t max_history = 1 << 16;
    if (state.history_.size() == max_history) flush(exec, table, state, regularizer);
    const std::span<const Index> unique_rows = gradient.unique_rows();
    const auto of_state = state.view();
    visit_rows(
        exec, unique_rows, table, of_state, [](Index) { return true; }, [](Index, Index) {},
        [=] PRISM_HOST_DEVICE(std::size_t k) {
          using Isa = typename X::isa;
          const Index r = unique_rows[k];
          const std::size_t previous_steps = of_state.deferred.size();
          detail::apply_deferred_row<Isa>(table, r, of_state, inactive_decay(r), constant);
          const MomentDecay<T> moment_decay =
              of_state.deferred.moment_decay(previous_steps - of_state.last_step[r].moments);
          const double decay = k < gradient.num_active() ? active_decay(r) : inactive_decay(r);
          adam_row<Isa>(table.rows[r], of_state.first(r), of_state.second(r),
                        gradient.of_unique_row(k), static_cast<T>(decay), constant, step,
                        table.rows.dim(), moment_decay);
          const auto now = static_cast<std::uint32_t>(previous_steps + 1);
          Lanes<Isa>::once([&] { of_state.last_step[r] = {now, now}; });
        });
    synchronise(exec);  // the rows have read the history
    state.history_.add(info.learning_rate, beta1, beta2, info.step);
  }

 private:
  static constexpr std::size_t grain = 256;

  /// Calls visit(k) for each row row_indices[k]. On the host it prefetches later rows for which
  /// needed(row), and calls before_pair(r1, r2) for two rows before it visits them.
  template <Execution X, class T, class View, class Needed, class BeforePair, class Visit>
  static void visit_rows(const X& exec, std::span<const Index> row_indices,
                         const ParameterView<T>& table, const View& state, const Needed& needed,
                         const BeforePair& before_pair, const Visit& visit) {
    if constexpr (DeviceExecution<X>) {
      for_each_row(exec, row_indices.size(), grain, visit);
    } else {
      constexpr std::size_t prefetch_distance = 12;
      const std::size_t dim = table.rows.dim();
      parallel_chunks(exec, row_indices.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          if (k + 2 * prefetch_distance < row_indices.size()) {
            prefetch(state.last_step + row_indices[k + 2 * prefetch_distance], 1);
          }
          // needed() is not called for rows of the next chunk: its thread may be writing what it
          // reads.
          if (const std::size_t next = k + prefetch_distance;
              next < row_indices.size() && (next >= end || needed(row_indices[next]))) {
            prefetch(table.rows[row_indices[next]], dim);
            prefetch(state.first(row_indices[next]), 2 * dim);
          }
          if ((k - begin) % 2 == 0 && k + 1 < end) before_pair(row_indices[k], row_indices[k + 1]);
          visit(k);
        }
      });
    }
  }

  template <class T>
  [[nodiscard]] AdamConstants<T> constants(const ParameterView<T>& table) const {
    return {beta1, beta2, epsilon, table.lowest, table.highest};
  }
};

static_assert(OptimizerPolicy<Adam>);
static_assert(LazyOptimizer<Adam> && !LazyOptimizer<DenseAdam>);

}  // namespace prism::inline PRISM_ISA
