// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/binary_tables.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/optimizer/sgd_history.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A table, how many of the history's steps each row has had, and the decay of rows without a
/// gradient: what loops over rows need, a device's too.
template <class T, RegularizerPolicy R>
struct SGDRows {
  ParameterView<T> table;
  std::uint32_t* last;
  SGDHistory history;
  RowDecay<R> inactive_decay;

  /// Applies the deferred steps of row r, unless they take less than `negligible` of it.
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred(std::size_t r, double negligible) const {
    T* const row = table.rows[r];
    const std::size_t dim = table.rows.dim();
    const double lost = history.lost(last[r], inactive_decay(r));
    if (std::abs(lost) >= negligible) {
      add_scaled<Isa>(row, static_cast<T>(-lost), row, dim);
      Lanes<Isa>::once([&] { last[r] = history.size(); });
    }
    if (table.bounded()) clamp<Isa>(row, table.lowest, table.highest, dim);
  }

  /// A step of row r, and with it its deferred ones: beside the gradient a decay counts that alone
  /// would be rounded away. @param g  its gradient
  template <class Isa>
  PRISM_HOST_DEVICE void step(std::size_t r, const T* g, double learning_rate, double decay) const {
    T* const row = table.rows[r];
    const std::size_t dim = table.rows.dim();
    const double lost =
        SGDHistory::lost_in_both(history.lost(last[r], inactive_decay(r)), learning_rate * decay);
    descend<Isa>(row, static_cast<T>(learning_rate), g, static_cast<T>(lost / learning_rate), dim);
    if (table.bounded()) clamp<Isa>(row, table.lowest, table.highest, dim);
  }
};

}  // namespace detail

/// w -= learning_rate * (gradient + decay * w), the update of the paper's theorem 1. The decay of
/// rows without a gradient is deferred until they are next read or stepped: a step costs what its
/// batch does, and a learning_rate * decay below the rounding of T adds up over the steps. A row
/// that is read may still lack a deferred decay of less than 16 epsilon of T.
struct SGD {
  static constexpr std::string_view name = "SGD";
  static constexpr OptimizerTraits traits{.defers_rows = true};

  /// How many of the history's steps each row has had.
  template <class T>
  class State {
   public:
    /// @param memory  null for table_memory()
    State(std::size_t size, std::size_t /*dim*/, std::pmr::memory_resource* memory = nullptr)
        : last_(size, 0, memory) {}

    /// The rows' deferred steps stay deferred.
    void save(BinaryWriter& out) const {
      write_numbers(out, device(), std::span<const std::uint32_t>(last_));
      history_.save(out);
    }
    void load(BinaryReader& in) {
      std::vector<std::uint32_t> last(last_.size());
      read_numbers(in, nullptr, std::span(last));
      history_.load(in);
      for (const std::uint32_t steps : last) {
        if (steps > history_.size()) in.fail("has rows ahead of their steps");
      }
      copy_across(device(), std::span<const std::uint32_t>(last), std::span(last_));
    }

   private:
    friend SGD;

    [[nodiscard]] DeviceMemory* device() const noexcept {
      return device_memory(last_.get_allocator().resource());
    }

    TableVector<std::uint32_t> last_;
    SGDHistory history_;
  };

  /// Applies the deferred steps of some of a table's rows.
  /// @param row_indices  distinct rows
  template <Execution X, class T, RegularizerPolicy R>
  void apply_deferred(const X& exec, const ParameterView<T>& table,
                      std::span<const Index> row_indices, State<T>& state,
                      const R& regularizer) const {
    if (state.history_.size() == 0) return;
    // Less than that would be rounded coarsely, or away.
    constexpr double negligible = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto of_rows = view(table, state, regularizer);
    for_each_row(exec, row_indices.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      of_rows.template apply_deferred<typename X::isa>(row_indices[k], negligible);
    });
  }

  /// Applies the deferred steps of all rows of a table, and clears the history.
  template <Execution X, class T, RegularizerPolicy R>
  void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
             const R& regularizer) const {
    if (state.history_.size() == 0) return;
    const auto of_rows = view(table, state, regularizer);
    for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
      using Isa = typename X::isa;
      of_rows.template apply_deferred<Isa>(r, 0);
      Lanes<Isa>::once([&] { of_rows.last[r] = 0; });
    });
    state.history_.clear();
  }

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const double learning_rate = info.learning_rate;
    if (learning_rate == 0) return;
    if (gradient.is_dense() || !state.history_.has_room(learning_rate)) {
      flush(exec, table, state, regularizer);
    }
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const auto of_rows = view(table, state, regularizer);
    if (gradient.is_dense()) {
      for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
        const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
        of_rows.template step<typename X::isa>(r, gradient.of(r), learning_rate, decay);
      });
      return;
    }
    // Without decay, rows outside the batch do not change; but they may start out of their bounds.
    const bool defers = !inactive_decay.is_zero() || table.bounded();
    const std::uint32_t now = defers ? of_rows.history.size() + 1 : 0;
    const std::span<const Index> unique_rows = gradient.unique_rows();
    for_each_row(exec, unique_rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      using Isa = typename X::isa;
      const Index r = unique_rows[k];
      const double decay = k < gradient.num_active() ? active_decay(r) : inactive_decay(r);
      of_rows.template step<Isa>(r, gradient.of_unique_row(k), learning_rate, decay);
      Lanes<Isa>::once([&] { of_rows.last[r] = now; });
    });
    if (defers) state.history_.add(learning_rate);
  }

 private:
  static constexpr std::size_t grain = 1024;

  template <class T, RegularizerPolicy R>
  [[nodiscard]] static detail::SGDRows<T, R> view(const ParameterView<T>& table, State<T>& state,
                                                  const R& regularizer) noexcept {
    return {table, state.last_.data(), state.history_,
            RowDecay(regularizer, table.popularity, false)};
  }
};

static_assert(LazyOptimizer<SGD>);

}  // namespace prism::inline PRISM_ISA
