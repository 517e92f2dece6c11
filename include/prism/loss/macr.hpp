// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Model-agnostic counterfactual reasoning: two trainable heads w_i and w_u score item and user
/// alone, s = u . i scores both; ranking subtracts the heads' effect, c sig(i.w_i) sig(u.w_u), from
/// the fused score.
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

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_at_least_one("negatives", negatives);
    require_non_negative("alpha", alpha);
    require_non_negative("beta", beta);
    require(is_finite(c), "c", "must be a finite number");
  }

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
        user_head(0, k) = static_cast<T>(deviation * random.normal(k));
        item_head(0, k) = static_cast<T>(deviation * random.normal(context.dim + k));
      }
    }

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
    const Batch& batch = step.batch;
    Scratch& scratch = step.scratch;
    const std::size_t n = batch.negatives_per_pair;
    const Head<T> user = score_rows(step.exec, step.output.users, state.user_head,
                                    batch.user_side.num_active, scratch);
    const Head<T> item = score_rows(step.exec, step.output.items, state.item_head,
                                    batch.item_side.num_active, scratch);

    const T pair_weight = T{1} / static_cast<T>(batch.pairs());
    const T negative_weight = pair_weight / static_cast<T>(n);
    // d loss / d (i . w_i) for each occurrence of an item, and d loss / d (u . w_u) for each pair.
    const Rows<T> item_d_score = scratch.allocate<T>(batch.pairs(), n + 1);
    const Rows<T> user_d_score = scratch.allocate<T>(batch.pairs(), 1);
    const double total = loss_over_scores(step, [&](std::size_t p, std::span<T> score) {
      const Index u = batch.users[p];
      const T user_probability = sigmoid(*user.score[u]);
      double sum = 0;
      *user_d_score[p] = 0;
      for (std::size_t j = 0; j <= n; ++j) {
        const Index i = j == 0 ? batch.items[p] : batch.negatives[p * n + j - 1];
        const T sign = j == 0 ? T{-1} : T{1};
        const T weight = j == 0 ? pair_weight : negative_weight;
        const T item_probability = sigmoid(*item.score[i]);
        const T fused_score = score[j] * item_probability * user_probability;
        sum +=
            static_cast<double>(weight * (softplus(sign * fused_score) +
                                          static_cast<T>(alpha) * softplus(sign * *item.score[i]) +
                                          static_cast<T>(beta) * softplus(sign * *user.score[u])));
        const T d_fused_score = weight * sign * sigmoid(sign * fused_score);
        // d sig(x) / dx = sig(x) (1 - sig(x))
        item_d_score[p][j] = d_fused_score * fused_score * (1 - item_probability) +
                             weight * static_cast<T>(alpha) * sign * sigmoid(sign * *item.score[i]);
        *user_d_score[p] += d_fused_score * fused_score * (1 - user_probability) +
                            weight * static_cast<T>(beta) * sign * sigmoid(sign * *user.score[u]);
        score[j] = d_fused_score * item_probability * user_probability;
      }
      return sum;
    });
    for (std::size_t k = 0; k < batch.user_side.num_active; ++k) {
      for (const Index p : batch.user_side.occurrence_positions(k))
        *user.d_score[k] += *user_d_score[p];
    }
    for (std::size_t k = 0; k < batch.item_side.num_active; ++k) {
      for (const Index occurrence : batch.item_side.occurrence_positions(k)) {
        const std::size_t column =
            occurrence < batch.pairs() ? 0 : 1 + (occurrence - batch.pairs()) % n;
        *item.d_score[k] += item_d_score[batch.pair_of_item_occurrence(occurrence)][column];
      }
    }
    add_gradient(step.exec, user, step.output.users, state.user_head,
                 step.parameter_gradients[0][0], step.gradient.users);
    add_gradient(step.exec, item, step.output.items, state.item_head,
                 step.parameter_gradients[1][0], step.gradient.items);
    return total;
  }

  template <class T, Execution X>
  void ranking_rule(const X& exec, Scorer<T>& scorer, const State<T>& state) const {
    scorer.offset = static_cast<T>(c);
    scorer.user_factor = factors(exec, scorer.output.users(), state.user_head);
    scorer.item_factor = factors(exec, scorer.output.items(), state.item_head);
  }

 private:
  /// The scores of rows by a head (row . w), rows x 1, and their gradient.
  template <class T>
  struct Head {
    Rows<T> score;
    Rows<T> d_score;
  };

  template <class T, Execution X>
  static Head<T> score_rows(const X& exec, IndexedRows<const T> output, const Matrix<T>& head,
                            std::size_t num_active, Scratch& scratch) {
    const Head<T> result{scratch.allocate<T>(num_active, 1),
                         scratch.allocate_zeros<T>(exec, num_active, 1)};
    for (std::size_t k = 0; k < num_active; ++k) {
      *result.score[k] = dot<typename X::isa>(output[k], head.data(), output.dim());
    }
    return result;
  }

  template <class T, Execution X>
  static void add_gradient(const X& /*exec*/, const Head<T>& from, IndexedRows<const T> output,
                           const Matrix<T>& head, T* head_gradient, Rows<T> gradient) {
    for (std::size_t k = 0; k < from.d_score.size(); ++k) {
      add_scaled<typename X::isa>(gradient[k], *from.d_score[k], head.data(), output.dim());
      add_scaled<typename X::isa>(head_gradient, *from.d_score[k], output[k], output.dim());
    }
  }

  template <class T, Execution X>
  static std::vector<T> factors(const X& /*exec*/, Rows<const T> output, const Matrix<T>& head) {
    std::vector<T> result(output.size());
    for (std::size_t r = 0; r < output.size(); ++r) {
      result[r] = sigmoid(dot<typename X::isa>(output[r], head.data(), output.dim()));
    }
    return result;
  }
};

static_assert(LossPolicy<MACR>);

}  // namespace prism::inline PRISM_ISA
