// SPDX-License-Identifier: BSD-3-Clause
// A loss of scores, stated as a formula for one positive item and its negatives. The library owns
// the loops: executions, weights, masks, shared negatives and the gradients of rows.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct Hinge {
//   static constexpr std::string_view name = "Hinge";
//   static constexpr Similarity similarity = Similarity::dot;  // of the scores s
//   std::size_t negatives = 1;  // optional: per pair; 1 if there is no such member
//
//   // One of these. The loss is the mean over the batch's pairs (u, i) of
//   // - pairwise: the mean over i's unmasked negatives j of f(s(u,j) - s(u,i)), or of
//   //   f(s(u,i), s(u,j)):
//   template <class T> constexpr T pairwise(T difference) const;
//   template <class T> constexpr T pairwise(T positive, T negative) const;
//   // - pointwise: positive(s(u,i)), plus negatives_weight(), which is 1 if left out, times the
//   //   mean over the unmasked negatives j of negative(s(u,j)), if there is such a function:
//   template <class T> constexpr T positive(T score) const;
//   template <class T> constexpr T negative(T score) const;
//   double negatives_weight() const;
//   // - listwise: a function of all scores of a pair, which it replaces by its derivatives times
//   //   `weight`, 1 / pairs; scores is a PairScores (prism/ops/scores.hpp):
//   template <class T, class Scores>
//   PRISM_HOST_DEVICE double listwise(Scores scores, T weight) const;
//   // Optional, for listwise: subtracts log_q_scale() log q_j from score j, where q_j is the
//   // probability that the sampler draws j.
//   double log_q_scale() const;
// };
//
// T is a dual number, whose operators and functions (max, min, abs, exp, log, sqrt, tanh, sigmoid,
// softplus) compute the derivative too. Where the derivative is known, a function returns it, with
// T a floating-point number: ValueAndDerivative<T>, or for two scores ValueAndDerivatives<T>. Say
// the result's type: with `auto`, the function would be compiled before its kind is known.

/// A function of one number, and its derivative there.
template <class T>
struct ValueAndDerivative {
  T value, derivative;
};
/// A function of a pair's score and a negative's, and its two derivatives there.
template <class T>
struct ValueAndDerivatives {
  T value, by_positive, by_negative;
};

namespace detail {

template <class L>
concept PairwiseFormula = names_pairwise<L>;
template <class L>
concept PointwiseFormula = names_positive<L>;
template <class L>
concept ListwiseFormula = names_listwise<L>;
/// A loss that is stated as a formula.
template <class L>
concept ScoreFormula = PairwiseFormula<L> || PointwiseFormula<L> || ListwiseFormula<L>;

template <class L>
concept SimilarityFits = !ScoreFormula<L> || requires {
  requires std::same_as<decltype(L::similarity), const Similarity>;
};

/// Whether a function of numbers returns its argument's type, or Derivatives.
template <class Result, class T, class Derivatives>
concept FormulaResult = std::same_as<Result, T> || std::same_as<Result, Derivatives>;
/// A formula that does not take numbers takes packs, or is refused where it is evaluated.
template <class L, class T>
concept FormulaFits = (
                          !requires(const L& loss, T x) { loss.pairwise(x); } ||
                          requires(const L& loss, T x) {
                            { loss.pairwise(x) } -> FormulaResult<T, ValueAndDerivative<T>>;
                          }) &&
                      (
                          !requires(const L& loss, T x) { loss.pairwise(x, x); } ||
                          requires(const L& loss, T x) {
                            { loss.pairwise(x, x) } -> FormulaResult<T, ValueAndDerivatives<T>>;
                          }) &&
                      (
                          !requires(const L& loss, double x) { loss.positive(x); } ||
                          requires(const L& loss, double x) {
                            {
                              loss.positive(x)
                              } -> FormulaResult<double, ValueAndDerivative<double>>;
                          }) &&
                      (
                          !requires(const L& loss, T x) { loss.negative(x); } ||
                          requires(const L& loss, T x) {
                            { loss.negative(x) } -> FormulaResult<T, ValueAndDerivative<T>>;
                          });

template <class L>
[[nodiscard]] constexpr std::size_t negatives_of_formula(const L& loss) noexcept {
  if constexpr (PointwiseFormula<L> && !names_negative<L>) {
    return 0;
  } else if constexpr (names_negatives<L>) {
    return static_cast<std::size_t>(loss.negatives);
  } else {
    return 1;
  }
}

template <class L>
[[nodiscard]] constexpr bool corrects_for_sampler(const L& loss) noexcept {
  if constexpr (requires { loss.log_q_scale(); }) {
    return loss.log_q_scale() != 0;
  } else {
    return false;
  }
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
