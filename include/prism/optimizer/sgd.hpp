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

/// The state of a row: how many of the history's steps it includes, and the decay that it still
/// owes, a fraction of its weights that is negligible so far.
struct SGDRow {
  float owed = 0;
  std::uint32_t last = 0;
};

/// What loops over a table's rows need, on a device too.
template <class T, RegularizerPolicy R>
struct SGDRows {
  ParameterView<T> table;
  SGDRow* row;
  SGDHistory history;
  RowDecay<R> inactive_decay;

  /// A smaller fraction of a row would be rounded coarsely in T, or to nothing.
  static constexpr double negligible = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());

  /// Decays row r, or lets it owe the decay. @param last  the new SGDRow::last
  template <class Isa>
  PRISM_HOST_DEVICE void decay(std::size_t r, const DecayFactor& steps_factor,
                               std::uint32_t last) const {
    T* const w = table.rows[r];
    const std::size_t dim = table.rows.dim();
    const DecayFactor factor =
        steps_factor * DecayFactor::from_lost(static_cast<double>(row[r].owed));
    const bool owes = std::abs(factor.lost) < negligible;
    if (!owes && std::abs(factor.lost) <= 0.5) {
      add_scaled<Isa>(w, static_cast<T>(-factor.lost), w, dim);
    } else if (!owes) {
      scale<Isa>(w, static_cast<T>(factor.kept), w, dim);
    }
    Lanes<Isa>::once([&] { row[r] = {owes ? static_cast<float>(factor.lost) : 0, last}; });
  }

  /// Applies the decay of row r's deferred steps, or lets it owe that decay.
  /// @param last  the new SGDRow::last
  template <class Isa>
  PRISM_HOST_DEVICE void apply_deferred(std::size_t r, std::uint32_t last) const {
    decay<Isa>(r, history.factor(row[r].last, inactive_decay(r)), last);
  }

  /// Takes a step on row r. Decay that it owes is applied together with the gradient, where it
  /// counts.
  /// @param g       its gradient
  /// @param lambda  its decay in this step
  /// @param last    the new SGDRow::last
  template <class Isa>
  PRISM_HOST_DEVICE void step(std::size_t r, const T* g, double learning_rate, double lambda,
                              std::uint32_t last) const {
    apply_deferred<Isa>(r, last);
    const DecayFactor factor = DecayFactor::from_lost(static_cast<double>(row[r].owed)) *
                               DecayFactor::from_lost(learning_rate * lambda);
    descend<Isa>(table.rows[r], static_cast<T>(learning_rate), g,
                 static_cast<T>(factor.lost / learning_rate), table.rows.dim());
    Lanes<Isa>::once([&] { row[r].owed = 0; });
  }
};

}  // namespace detail

/// w -= learning_rate * (gradient + decay * w), the update of the paper's theorem 1. The decay of
/// rows outside the batch is deferred until they are next read, so that a step costs only the
/// batch's rows. The decay of a row without a gradient is withheld until it is 16 epsilon of T or
/// more, or until there is a gradient, so that a learning_rate * decay below the rounding of T adds
/// up over the steps.
struct SGD {
  static constexpr std::string_view name = "SGD";
  static constexpr OptimizerTraits traits{.defers_rows = true};

  template <class T>
  class State {
   public:
    /// @param memory  null for table_memory()
    State(std::size_t size, std::size_t /*dim*/, std::pmr::memory_resource* memory = nullptr)
        : row_(size, detail::SGDRow{}, memory) {}

    /// Writes the state; deferred steps stay deferred.
    void save(BinaryWriter& out) const {
      history_.save(out);
      for (const detail::SGDRow& row : TableVector<detail::SGDRow>(row_, nullptr)) {
        out.number(row.owed);
        out.number(row.last);
      }
    }
    void load(BinaryReader& in) {
      history_.load(in);
      std::vector<detail::SGDRow> rows_read(row_.size());
      for (detail::SGDRow& row : rows_read) {
        row.owed = in.number<float>();
        row.last = in.number<std::uint32_t>();
        if (row.last > history_.size()) in.fail("has rows that refer to steps after the last one");
      }
      copy_across(device_memory(row_.get_allocator().resource()),
                  std::span<const detail::SGDRow>(rows_read), std::span(row_));
    }

   private:
    friend SGD;

    TableVector<detail::SGDRow> row_;
    detail::SGDHistory history_;
  };

  /// Applies the deferred steps of some of a table's rows.
  /// @param row_indices  distinct rows
  template <Execution X, class T, RegularizerPolicy R>
  void apply_deferred(const X& exec, const ParameterView<T>& table,
                      std::span<const Index> row_indices, State<T>& state,
                      const R& regularizer) const {
    if (state.history_.size() == 0) return;
    const auto table_rows = view(table, state, regularizer);
    for_each_row(exec, row_indices.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      table_rows.template apply_deferred<typename X::isa>(row_indices[k],
                                                          table_rows.history.size());
    });
  }

  /// Applies the deferred steps of all rows of a table, and clears the history.
  template <Execution X, class T, RegularizerPolicy R>
  void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
             const R& regularizer) const {
    if (state.history_.size() == 0) return;
    const auto table_rows = view(table, state, regularizer);
    for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
      table_rows.template apply_deferred<typename X::isa>(r, 0);
    });
    state.history_.clear();
  }

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const double learning_rate = info.learning_rate;
    if (learning_rate == 0) return;
    // Rows may start outside their bounds, and no deferred step would bring them back.
    const bool every_row = gradient.is_dense() || table.bounded();
    if (every_row || !state.history_.has_room(learning_rate)) {
      flush(exec, table, state, regularizer);
    }
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    const auto table_rows = view(table, state, regularizer);
    if (every_row) {
      const std::size_t dim = table.rows.dim();
      for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
        using Isa = typename X::isa;
        const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
        if (const T* const g = gradient.of(r)) {
          table_rows.template step<Isa>(r, g, learning_rate, decay, 0);
        } else {
          table_rows.template decay<Isa>(r, detail::DecayFactor::from_lost(learning_rate * decay),
                                         0);
        }
        if (table.bounded()) clamp<Isa>(table.rows[r], table.lowest, table.highest, dim);
      });
      return;
    }
    const bool defers = !inactive_decay.is_zero();
    const std::uint32_t last = defers ? table_rows.history.size() + 1 : 0;
    const std::span<const Index> unique_rows = gradient.unique_rows();
    for_each_row(exec, unique_rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
      const Index r = unique_rows[k];
      const double decay = k < gradient.num_active() ? active_decay(r) : inactive_decay(r);
      table_rows.template step<typename X::isa>(r, gradient.of_unique_row(k), learning_rate, decay,
                                                last);
    });
    if (defers) state.history_.add(learning_rate);
  }

 private:
  static constexpr std::size_t grain = 1024;

  template <class T, RegularizerPolicy R>
  [[nodiscard]] static detail::SGDRows<T, R> view(const ParameterView<T>& table, State<T>& state,
                                                  const R& regularizer) noexcept {
    return {table, state.row_.data(), state.history_,
            RowDecay(regularizer, table.popularity, false)};
  }
};

static_assert(LazyOptimizer<SGD>);

}  // namespace prism::inline PRISM_ISA
