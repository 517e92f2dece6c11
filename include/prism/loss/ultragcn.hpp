// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The factors of beta(u, i) for a batch's users, items and negatives.
template <class T>
struct ConstraintFactors {
  std::span<const Index> user_of_pair;
  std::span<const Index> item_of_pair;
  std::size_t own_negatives;  ///< per pair; 0 if they are shared
  Rows<T> user;               ///< one factor for each active row
  Rows<T> item;
  Rows<T> negative;

  [[nodiscard]] PRISM_HOST_DEVICE T user_factor(std::size_t pair) const noexcept {
    return *user[user_of_pair[pair]];
  }
  /// The factor of the pair's own item.
  [[nodiscard]] PRISM_HOST_DEVICE T item_factor(std::size_t pair) const noexcept {
    return *item[item_of_pair[pair]];
  }
  [[nodiscard]] PRISM_HOST_DEVICE const T* negative_factors(std::size_t pair) const noexcept {
    return negative[pair * own_negatives];
  }
};

template <class T, Execution X>
[[nodiscard]] ConstraintFactors<T> constraint_factors(const LossStep<T, X>& step) {
  const Batch& batch = step.batch;
  const std::span<const Index> users = batch.user_side.unique_rows,
                               items = batch.item_side.unique_rows, negatives = batch.negatives,
                               user_degree = batch.train.user_degree(),
                               item_degree = batch.train.item_degree();
  const Rows<T> user_factor = step.scratch.template allocate<T>(batch.user_side.num_active, 1);
  const Rows<T> item_factor = step.scratch.template allocate<T>(batch.item_side.num_active, 1);
  const Rows<T> negative_factor = step.scratch.template allocate<T>(negatives.size(), 1);
  constexpr std::size_t grain = 1024;
  for_each_element(step.exec, user_factor.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    const auto degree = static_cast<double>(user_degree[users[k]]);
    *user_factor[k] = static_cast<T>(std::sqrt(degree + 1) / (degree > 0 ? degree : 1));
  });
  for_each_element(step.exec, item_factor.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    *item_factor[k] = static_cast<T>(1 / std::sqrt(static_cast<double>(item_degree[items[k]]) + 1));
  });
  for_each_element(step.exec, negative_factor.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t j) {
    *negative_factor[j] = *item_factor[negatives[j]];
  });
  return {.user_of_pair = batch.users,
          .item_of_pair = batch.items,
          .own_negatives = batch.shared_negatives ? 0 : batch.negatives_per_pair,
          .user = user_factor,
          .item = item_factor,
          .negative = negative_factor};
}

}  // namespace detail

/// UltraGCN without its item-item graph: binary cross-entropy whose weights turn infinitely many
/// layers of LightGCN's propagation into a constraint on plain embeddings; the mean over the
/// batch's pairs of
///   (w1 + w2 beta(u, i)) softplus(-s(u, i))
///     + weight * mean_j (w3 + w4 beta(u, j)) softplus(s(u, j)),
///   beta(u, i) = sqrt((d_u + 1) / (d_i + 1)) / d_u,
/// where s is the dot product, d a row's number of training interactions, and j runs over the
/// pair's unmasked negatives. Mao et al.: "UltraGCN: Ultra simplification of graph convolutional
/// networks for recommendation", CIKM 2021; its L_O + lambda L_C is w1 = w3 = 1, w2 = w4 = lambda.
/// The names and the defaults (published for Gowalla) are those of its code, which sums over pairs
/// instead of taking the mean, and decays rows.
struct UltraGCN {
  static constexpr std::string_view name = "UltraGCN";

  std::size_t negatives = 1500;  ///< per pair, at least 1
  double weight = 300;           ///< of the negatives' term, at least 0
  double w1 = 1e-6;              ///< weight of each pair, at least 0
  double w2 = 1;                 ///< weight of a pair's beta, at least 0
  double w3 = 1e-6;              ///< weight of each negative, at least 0
  double w4 = 1;                 ///< weight of a negative's beta, at least 0

  static constexpr auto options =
      option_table(option<&UltraGCN::negatives>("negatives", domain::at_least_one),
                   option<&UltraGCN::weight>("weight", domain::non_negative),
                   option<&UltraGCN::w1>("w1", domain::non_negative),
                   option<&UltraGCN::w2>("w2", domain::non_negative),
                   option<&UltraGCN::w3>("w3", domain::non_negative),
                   option<&UltraGCN::w4>("w4", domain::non_negative));

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives,
            .overwrites_gradient = true,
            .dot_product_logits = true,
            .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    const auto pairs = static_cast<double>(batch.pairs());
    const bool masks = batch.mask != NegativeMask::none;
    const detail::ConstraintFactors<T> beta = detail::constraint_factors(step);
    const UltraGCN loss = *this;
    const double total = loss_over_scores(
        step, [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, Isa> scores) -> double {
          const T user_factor = beta.user_factor(p);
          const auto negative_scores = scores.negatives();
          const std::size_t counted =
              masks ? negative_scores.count_unmasked() : negative_scores.size();
          const double share = counted == 0 ? 0 : loss.weight / static_cast<double>(counted);
          const T d_share = static_cast<T>(share / pairs);
          const T each = static_cast<T>(loss.w3),
                  beta_weight = static_cast<T>(loss.w4) * user_factor;
          const T sum = negative_scores.sum_of_packs(
              [=]<AnyPack P>(P& score, P item_factor) {
                const SoftplusAndSigmoid<P> both(score);
                const P weight_of_pack =
                    fused_multiply_add(P::broadcast(beta_weight), item_factor, P::broadcast(each));
                score = P::broadcast(d_share) * (weight_of_pack * both.sigmoid);
                return weight_of_pack * both.softplus;
              },
              beta.negative_factors(p));
          const double pair_weight =
              loss.w1 + loss.w2 * static_cast<double>(user_factor * beta.item_factor(p));
          const SoftplusAndSigmoid<Pack<T, isa::scalar>> opposite({-scores.positive()});
          scores.set_positive(static_cast<T>(-pair_weight / pairs) * opposite.sigmoid.value);
          return pair_weight * static_cast<double>(opposite.softplus.value) +
                 share * static_cast<double>(sum);
        });
    return total / pairs;
  }
};

static_assert(LossPolicy<UltraGCN>);

}  // namespace prism::inline PRISM_ISA
