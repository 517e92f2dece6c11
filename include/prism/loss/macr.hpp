// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/normal.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/ordered_sums.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr std::size_t head_grain = 256;

/// The scores x = row . w of rows by a head, rows x 1, the functions of x that the losses need, and
/// the gradient with respect to x, computed later.
template <class T>
struct HeadScores {
  Rows<T> score;
  Rows<T> d_score;
  Rows<T> sigmoid, sigmoid_of_opposite;    // sig(x), sig(-x)
  Rows<T> softplus, softplus_of_opposite;  // of x and of -x
};

template <class T, Execution X>
[[nodiscard]] HeadScores<T> score_by_head(const X& exec, IndexedRows<const T> rows, const T* head,
                                          Scratch& scratch) {
  const auto allocate = [&] { return scratch.allocate<T>(rows.size(), 1); };
  const HeadScores<T> scores{allocate(), allocate(), allocate(),
                             allocate(), allocate(), allocate()};
  for_each_row(exec, rows.size(), head_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    using Isa = typename X::isa;
    const T score = dot<Isa>(rows[k], head, rows.dim());
    Lanes<Isa>::once([=] { *scores.score[k] = score; });
  });
  constexpr std::size_t block = head_grain, grain = 1;
  const std::size_t n = rows.size();
  for_each_row(exec, (n + block - 1) / block, grain, [=] PRISM_HOST_DEVICE(std::size_t b) {
    const std::size_t first = b * block, count = n - first < block ? n - first : block;
    for_each_pack<typename X::isa, T>(count, [=]<class P>(std::type_identity<P>, std::size_t i) {
      const P x = P::load(scores.score[first + i]);
      const SoftplusAndSigmoid<P> own(x), opposite(P::broadcast(0) - x);
      own.sigmoid.store(scores.sigmoid[first + i]);
      own.softplus.store(scores.softplus[first + i]);
      opposite.sigmoid.store(scores.sigmoid_of_opposite[first + i]);
      opposite.softplus.store(scores.softplus_of_opposite[first + i]);
    });
  });
  return scores;
}

/// Adds to the rows' gradient its part through the rows' scores by a head.
template <class T, Execution X>
void add_head_gradient(const X& exec, IndexedRows<const T> rows, Rows<const T> d_score,
                       const T* head, Rows<T> gradient) {
  for_each_row(exec, rows.size(), head_grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    add_scaled<typename X::isa>(gradient[k], *d_score[k], head, rows.dim());
  });
}

/// The sigmoid of each row's score by a head, in host memory.
template <class T, Execution X>
[[nodiscard]] std::vector<T> probabilities_by_head(const X& exec, Rows<const T> rows,
                                                   const T* head) {
  TableVector<T> probability(rows.size(), memory_of(exec));
  const std::span<T> to(probability);
  for_each_row(exec, rows.size(), head_grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
    using Isa = typename X::isa;
    const T score = dot<Isa>(rows[r], head, rows.dim());
    Lanes<Isa>::once([=] { to[r] = sigmoid(score); });
  });
  return numbers_on_host(exec, std::span<const T>(probability));
}

}  // namespace detail

/// Model-agnostic counterfactual reasoning: two trainable heads, w_i and w_u, score the item and
/// the user alone, and s = u . i scores the pair. Ranking subtracts the heads' effect, c sig(i.w_i)
/// sig(u.w_u), from the fused score. The loss is
///   BCE(s sig(i.w_i) sig(u.w_u)) + alpha BCE(i.w_i) + beta BCE(u.w_u),
/// BCE = mean softplus(-x) over pairs + mean softplus(x) over negatives. Ranks by
///   (s - c) sig(i.w_i) sig(u.w_u).
/// Wei et al.: "Model-agnostic counterfactual reasoning for eliminating popularity bias in
/// recommender system", KDD 2021.
struct MACR {
  static constexpr std::string_view name = "MACR";

  std::size_t negatives = 1;  ///< per pair, at least 1
  double alpha = 1e-3;        ///< weight of the item head's loss, at least 0
  double beta = 1e-3;         ///< weight of the user head's loss, at least 0
  double c = 1;               ///< reference score, subtracted from s in ranking

  static constexpr auto options = option_table(
      option<&MACR::negatives>("negatives", domain::at_least_one),
      option<&MACR::alpha>("alpha", domain::non_negative),
      option<&MACR::beta>("beta", domain::non_negative), option<&MACR::c>("c", domain::any_number));

  /// The heads w_u and w_i, 1 x dim each.
  template <class T>
  struct State {
    Matrix<T> user_head;
    Matrix<T> item_head;

    /// Xavier normal: standard deviation sqrt(2 / (dim + 1)).
    State(const MACR&, const StateContext& context)
        : user_head(make_table<T>(1, context.dim, context.memory)),
          item_head(make_table<T>(1, context.dim, context.memory)) {
      const Random random = context.random();
      const double deviation = std::sqrt(2.0 / static_cast<double>(context.dim + 1));
      for (std::size_t k = 0; k < context.dim; ++k) {
        user_head(0, k) = static_cast<T>(deviation * standard_normal(random, k));
        item_head(0, k) = static_cast<T>(deviation * standard_normal(random, context.dim + k));
      }
    }
    State(const State& other, std::pmr::memory_resource* memory)
        : user_head(copy_of(other.user_head, memory)),
          item_head(copy_of(other.item_head, memory)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(user_head)});
      visit(ParameterView<T>{rows(item_head)});
    }
  };

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives,
            .overwrites_gradient = true,
            .has_ranking_rule = true,
            .dot_product_logits = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    Scratch& scratch = step.scratch;
    const std::size_t pairs = batch.pairs(), n = batch.negatives_per_pair;
    const IndexedRows<const T> active_users = step.output.users.first(batch.user_side.num_active);
    const IndexedRows<const T> active_items = step.output.items.first(batch.item_side.num_active);
    const detail::HeadScores<T> user =
        detail::score_by_head<T>(step.exec, active_users, state.user_head.data(), scratch);
    const detail::HeadScores<T> item =
        detail::score_by_head<T>(step.exec, active_items, state.item_head.data(), scratch);

    const T pair_weight = T{1} / static_cast<T>(pairs);
    const T negative_weight = pair_weight / static_cast<T>(n);
    const T item_weight = static_cast<T>(alpha), user_weight = static_cast<T>(beta);
    const std::span<const Index> users = batch.users, items = batch.items,
                                 negative_items = batch.negatives;
    // d loss / d (i . w_i) and d loss / d (u . w_u): the part that comes from each of a pair's
    // scores.
    const Rows<T> item_d_score = scratch.allocate<T>(pairs, n + 1);
    const Rows<T> user_d_score = scratch.allocate<T>(pairs, n + 1);
    const double total = loss_over_scores(
        step, [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, Isa> scores) -> double {
          const Index u = users[p];
          const T user_probability = *user.sigmoid[u];
          return scores.all().template sum_of<double>([=](std::size_t j, T& score) -> double {
            const bool positive = j == 0;
            const Index i = positive ? items[p] : negative_items[p * n + j - 1];
            const T sign = positive ? T{-1} : T{1};
            const T weight = positive ? pair_weight : negative_weight;
            const T item_probability = *item.sigmoid[i];
            const T fused_score = score * item_probability * user_probability;
            const SoftplusWithDerivative<T> fused(sign * fused_score);
            const T d_fused_score = weight * sign * fused.derivative;
            const T item_derivative = *(positive ? item.sigmoid_of_opposite : item.sigmoid)[i];
            const T user_derivative = *(positive ? user.sigmoid_of_opposite : user.sigmoid)[u];
            // d sig(x) / dx = sig(x) sig(-x)
            item_d_score[p][j] = d_fused_score * fused_score * *item.sigmoid_of_opposite[i] +
                                 weight * item_weight * sign * item_derivative;
            user_d_score[p][j] = d_fused_score * fused_score * *user.sigmoid_of_opposite[u] +
                                 weight * user_weight * sign * user_derivative;
            score = d_fused_score * item_probability * user_probability;
            const T item_loss = *(positive ? item.softplus_of_opposite : item.softplus)[i];
            const T user_loss = *(positive ? user.softplus_of_opposite : user.softplus)[u];
            return static_cast<double>(
                weight * (fused.value + item_weight * item_loss + user_weight * user_loss));
          });
        });
    sum_over_occurrences<T>(
        step.exec, batch.user_side,
        [=] PRISM_HOST_DEVICE(std::size_t p) -> T {
          T sum = 0;
          for (std::size_t j = 0; j <= n; ++j) sum += user_d_score[p][j];
          return sum;
        },
        user.d_score);
    sum_over_occurrences<T>(
        step.exec, batch.item_side,
        [=] PRISM_HOST_DEVICE(std::size_t occurrence) -> T {
          if (occurrence < pairs) return item_d_score[occurrence][0];
          const std::size_t q = occurrence - pairs;
          return item_d_score[q / n][1 + q % n];
        },
        item.d_score);
    detail::add_head_gradient<T>(step.exec, active_users, user.d_score, state.user_head.data(),
                                 step.gradient.users);
    detail::add_head_gradient<T>(step.exec, active_items, item.d_score, state.item_head.data(),
                                 step.gradient.items);
    // The heads' gradients are zero on entry.
    sum_rows<T>(step.exec, active_users, user.d_score.data(), step.parameter_gradients[0][0],
                scratch);
    sum_rows<T>(step.exec, active_items, item.d_score.data(), step.parameter_gradients[1][0],
                scratch);
    return total;
  }

  template <class T, Execution X>
  void ranking_rule(const X& exec, Scorer<T>& scorer, const State<T>& state) const {
    scorer.offset = static_cast<T>(c);
    scorer.user_factor =
        detail::probabilities_by_head<T>(exec, scorer.output.users(), state.user_head.data());
    scorer.item_factor =
        detail::probabilities_by_head<T>(exec, scorer.output.items(), state.item_head.data());
  }
};

static_assert(LossPolicy<MACR>);

}  // namespace prism::inline PRISM_ISA
