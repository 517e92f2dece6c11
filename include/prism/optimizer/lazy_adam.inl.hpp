// SPDX-License-Identifier: BSD-3-Clause
// Members of the templates of lazy_adam.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/binary_tables.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/optimizer/adam_history.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA::detail {

template <class T, template <class> class RowsOf>
template <Execution X>
bool LazyAdamState<T, RowsOf>::finite(const X& exec) const {
  if (!all_finite(exec, std::span<const T>(moments_.data(), moments_.size()))) return false;
  if constexpr (requires(const Row& row) { row.second; }) {
    const Row* const row = row_.data();
    return sum_over_rows(exec, row_.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) -> double {
             return is_finite(row[r].second) ? 0 : 1;
           }) == 0;
  } else {
    return true;
  }
}

template <class T, template <class> class RowsOf>
void LazyAdamState<T, RowsOf>::save(BinaryWriter& out) const {
  write_numbers(out, device_memory(memory_of(moments_)),
                std::span<const T>(moments_.data(), moments_.size()));
  for (const Row& row : TableVector<Row>(row_, nullptr)) row.save(out);
  history_.save(out);
}

template <class T, template <class> class RowsOf>
template <Execution X>
void LazyAdamState<T, RowsOf>::load(BinaryReader& in, const X& exec) {
  DeviceMemory* const device = device_memory(memory_of(moments_));
  read_numbers(in, device, std::span<T>(moments_.data(), moments_.size()));
  std::vector<Row> rows_read(row_.size());
  for (Row& row : rows_read) row.load(in);
  history_.load(in, exec);
  const auto within = [steps = history_.size()](const Row& row) {
    const AdamLastStep last = row.last;
    return last.moments <= steps && (last.weights == AdamLastStep::no_gradient_yet ||
                                     (last.weights <= steps && last.moments <= last.weights));
  };
  if (!std::ranges::all_of(rows_read, within))
    in.fail("has rows that refer to steps after the last one");
  copy_across(device, std::span<const Row>(rows_read), std::span(row_));
}

template <class T, template <class> class RowsOf>
template <Execution X, RegularizerPolicy R>
void LazyAdam<T, RowsOf>::apply_deferred(const X& exec, std::span<const Index> row_indices,
                                         const R& regularizer) const {
  const RowDecay inactive_decay(regularizer, table_.popularity, false);
  const auto state = view();
  const ParameterView<T> table = table_;
  const AdamConstants<T> constant = constant_;
  visit_rows(
      exec, row_indices, state,
      [=](Index r) {
        const std::uint32_t last = state.row[r].last.weights;
        if (last == AdamLastStep::no_gradient_yet && inactive_decay.is_zero()) {
          return table.bounded();
        }
        return last != state.deferred.size();
      },
      [=](std::span<const Index> rows) {
        if constexpr (!DeviceExecution<X>) {
          state.template replay_group<typename X::isa>(table, rows, inactive_decay, constant);
        }
      },
      [=] PRISM_HOST_DEVICE(std::size_t k) {
        const Index r = row_indices[k];
        state.template apply_deferred<typename X::isa>(table, r, inactive_decay(r), constant);
      });
}

template <class T, template <class> class RowsOf>
template <Execution X, RegularizerPolicy R>
void LazyAdam<T, RowsOf>::flush(const X& exec, const R& regularizer) const {
  if (state_.history_.size() == 0) return;
  const RowDecay inactive_decay(regularizer, table_.popularity, false);
  const auto state = view();
  const ParameterView<T> table = table_;
  const AdamConstants<T> constant = constant_;
  const auto flush_row = [=] PRISM_HOST_DEVICE(std::size_t r) {
    using Isa = typename X::isa;
    state.template apply_deferred<Isa>(table, r, inactive_decay(r), constant);
    auto& last = state.row[r].last;
    const bool had_gradient = last.weights != AdamLastStep::no_gradient_yet;
    if (had_gradient) state.template apply_deferred_moments<Isa>(r);
    Lanes<Isa>::once([&] {
      if (had_gradient) last.weights = 0;
      last.moments = 0;
    });
  };
  if constexpr (DeviceExecution<X>) {
    for_each_row(exec, table_.rows.size(), flush_row);
  } else {
    constexpr std::size_t group = RowsOf<T>::template group<typename X::isa>;
    parallel_chunks(exec, table_.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
      Index group_rows[group];
      for (std::size_t first = begin; first < end; first += group) {
        const std::size_t n = std::min(group, end - first);
        std::iota(group_rows, group_rows + n, static_cast<Index>(first));
        state.template replay_group<typename X::isa>(table_, {group_rows, n}, inactive_decay,
                                                     constant_);
        for (std::size_t r = first; r < first + n; ++r) flush_row(r);
      }
    });
  }
  state_.history_.clear();
}

template <class T, template <class> class RowsOf>
template <Execution X, RegularizerPolicy R>
void LazyAdam<T, RowsOf>::step(const X& exec, const TableGradient<T>& gradient, StepInfo info,
                               const R& regularizer) const {
  const AdamStep<T> step(info.learning_rate, beta1_, beta2_, info.step);
  const RowDecay active_decay(regularizer, table_.popularity, true);
  const RowDecay inactive_decay(regularizer, table_.popularity, false);
  // Bounds the history if flush() is never called.
  constexpr std::size_t max_history = 1 << 16;
  if (gradient.is_dense() || state_.history_.size() == max_history) flush(exec, regularizer);
  if (!gradient.is_dense()) state_.history_.make_room(exec, beta1_, beta2_);
  const auto state = view();
  const ParameterView<T> table = table_;
  const AdamConstants<T> constant = constant_;
  if (gradient.is_dense()) {
    for_each_row(exec, table_.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
      using Isa = typename X::isa;
      const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
      state.template step<Isa>(table, r, gradient.of(r), decay, constant, step);
      Lanes<Isa>::once([&] { state.row[r].last = {0, 0}; });
    });
    return;
  }
  const std::span<const Index> unique_rows = gradient.unique_rows();
  visit_rows(
      exec, unique_rows, state, [](Index) { return true; }, [](std::span<const Index>) {},
      [=] PRISM_HOST_DEVICE(std::size_t k) {
        using Isa = typename X::isa;
        const Index r = unique_rows[k];
        state.template apply_deferred<Isa>(table, r, inactive_decay(r), constant);
        const double decay = k < gradient.num_active() ? active_decay(r) : inactive_decay(r);
        state.template step<Isa>(table, r, gradient.of_unique_row(k), decay, constant, step);
        const auto now = static_cast<std::uint32_t>(state.deferred.size() + 1);
        Lanes<Isa>::once([&] { state.row[r].last = {now, now}; });
      });
  state_.history_.add(exec, info.learning_rate, beta1_, beta2_, info.step);
}

template <class T, template <class> class RowsOf>
template <Execution X, class Needed, class BeforeGroup, class Visit>
void LazyAdam<T, RowsOf>::visit_rows(const X& exec, std::span<const Index> row_indices,
                                     const RowsOf<T>& state, const Needed& needed,
                                     const BeforeGroup& before_group, const Visit& visit) const {
  if constexpr (DeviceExecution<X>) {
    for_each_row(exec, row_indices.size(), visit);
  } else {
    constexpr std::size_t group = RowsOf<T>::template group<typename X::isa>;
    constexpr std::size_t prefetch_distance = std::max<std::size_t>(12, 2 * group);
    const std::size_t dim = table_.rows.dim(), columns = state.moments.dim();
    parallel_chunks(exec, row_indices.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        if (k + 2 * prefetch_distance < row_indices.size()) {
          prefetch(state.row + row_indices[k + 2 * prefetch_distance], 1);
        }
        // needed() is not called for rows of the next chunk: its thread may be writing what
        // needed() reads.
        if (const std::size_t next = k + prefetch_distance;
            next < row_indices.size() && (next >= end || needed(row_indices[next]))) {
          prefetch(table_.rows[row_indices[next]], dim);
          prefetch(state.moments[row_indices[next]], columns);
        }
        if ((k - begin) % group == 0) {
          before_group(row_indices.subspan(k, std::min(group, end - k)));
        }
        visit(k);
      }
    });
  }
}

}  // namespace prism::inline PRISM_ISA::detail
