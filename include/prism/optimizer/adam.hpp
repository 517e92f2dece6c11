// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
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
  struct State {
    State(std::size_t size, std::size_t dim) : moments(zeros<T>(size, 2 * dim)), taken(size) {}
    Matrix<T> moments;                 // size x (first, second): a row is visited in one place
    std::vector<std::uint32_t> taken;  // how many of the history's steps a row has taken
    AdamHistory<T> history;
  };

  /// Brings rows of a table up to the last step. @param which  distinct rows
  template <class T, RegularizerPolicy R>
  void catch_up(const Trainable<T>& table, std::span<const Index> which, State<T>& state,
                const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const T decay = static_cast<T>(regularizer.weight_decay(false));
    for_each_row(which, table, state,
                 [&](Index r) { catch_up_row(table, r, state, decay, constant); });
  }

  /// Brings all rows of a table up to the last step.
  template <class T, RegularizerPolicy R>
  void settle(const Trainable<T>& table, State<T>& state, const R& regularizer) const {
    if (state.history.size() == 0) return;
    const AdamConstants<T> constant = constants(table);
    const T decay = static_cast<T>(regularizer.weight_decay(false));
    parallel_chunks(table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        catch_up_row(table, r, state, decay, constant);
        state.taken[r] = 0;
      }
    });
    state.history.clear();
  }

  template <class T, RegularizerPolicy R>
  void operator()(const Trainable<T>& table, const TableGradient<T>& gradient, State<T>& state,
                  StepSize size, const R& regularizer) const {
    const AdamConstants<T> constant = constants(table);
    const AdamStep<T> step(size.learning_rate, beta1, beta2, size.step);
    const auto take = [&](std::size_t r) {
      const T decay = static_cast<T>(regularizer.weight_decay(gradient.in_batch(r)));
      T* const first = rows(state.moments)[r];
      const std::size_t dim = table.rows.dim();
      adam_row(table.rows[r], first, first + dim, gradient.of(r), decay, constant, step, dim);
    };
    if (gradient.of_every_row()) {
      settle(table, state, regularizer);
      parallel_chunks(table.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) take(r);
      });
      return;
    }
    // So that what is remembered of past steps stays small where nobody ever settles.
    constexpr std::size_t longest_history = 1 << 16;
    if (state.history.size() == longest_history) settle(table, state, regularizer);
    const std::span<const Index> reached = gradient.batch_rows();
    catch_up(table, reached, state, regularizer);
    state.history.add(size.learning_rate, beta1, beta2, size.step);
    for_each_row(reached, table, state, [&](Index r) {
      take(r);
      state.taken[r] = static_cast<std::uint32_t>(state.history.size());
    });
  }

 private:
  static constexpr std::size_t grain = 256;

  /// Calls visit(r) for each of `which`, with the rows to come on their way from memory.
  template <class T, class Visit>
  static void for_each_row(std::span<const Index> which, const Trainable<T>& table, State<T>& state,
                           const Visit& visit) {
    constexpr std::size_t ahead = 4;
    const Rows<T> moments = rows(state.moments);
    parallel_chunks(which.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        if (k + ahead < end) {
          prefetch(table.rows[which[k + ahead]], table.rows.dim());
          prefetch(moments[which[k + ahead]], moments.dim());
        }
        visit(which[k]);
      }
    });
  }

  template <class T>
  [[nodiscard]] AdamConstants<T> constants(const Trainable<T>& table) const {
    return {beta1, beta2, epsilon, table.lowest, table.highest};
  }

  template <class T>
  static void catch_up_row(const Trainable<T>& table, std::size_t r, State<T>& state, T decay,
                           const AdamConstants<T>& constant) noexcept {
    if (state.taken[r] == state.history.size()) return;
    T* const first = rows(state.moments)[r];
    const std::size_t dim = table.rows.dim();
    state.history.catch_up(state.taken[r], table.rows[r], first, first + dim, decay, constant, dim);
    state.taken[r] = static_cast<std::uint32_t>(state.history.size());
  }
};

static_assert(OptimizerPolicy<Adam>);
static_assert(LazyOptimizer<Adam> && !LazyOptimizer<DenseAdam>);

}  // namespace prism::inline PRISM_ISA
