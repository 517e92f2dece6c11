// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a loss that is a formula of scores (policy/score_formula.hpp): functions of one pair's
// scores, for the loops of pair_scores.hpp and unit_rows.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/similarity.hpp"
#include "prism/kernel/dual.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/ops/log_q.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/score_formula.hpp"

namespace prism::inline PRISM_ISA::detail {

/// f and its derivative at x, for a function that returns both, or that takes a dual number.
/// @param f  f(x), for a floating-point number or a Dual
template <class T, class F>
[[nodiscard]] PRISM_HOST_DEVICE constexpr ValueAndDerivative<T> differentiate(const F& f, T x) {
  using Result = decltype(f(x));
  if constexpr (std::same_as<Result, ValueAndDerivative<T>>) {
    return f(x);
  } else {
    static_assert(std::is_invocable_v<const F&, Dual<T>>,
                  "a loss's formula without its derivative must be a template, which takes dual "
                  "numbers: template <class T> constexpr T pairwise(T difference) const");
    const Dual<T> result = f(Dual<T>::variable(x));
    return {result.value, result.derivatives[0]};
  }
}
/// The overload for two numbers.
template <class T, class F>
[[nodiscard]] PRISM_HOST_DEVICE constexpr ValueAndDerivatives<T> differentiate(const F& f,
                                                                               T positive,
                                                                               T negative) {
  using Result = decltype(f(positive, negative));
  if constexpr (std::same_as<Result, ValueAndDerivatives<T>>) {
    return f(positive, negative);
  } else {
    using D = Dual<T, 2>;
    static_assert(std::is_invocable_v<const F&, D, D>,
                  "a loss's formula without its derivatives must be a template, which takes dual "
                  "numbers: template <class T> constexpr T pairwise(T positive, T negative) const");
    const D result = f(D::variable(positive, 0), D::variable(negative, 1));
    return {result.value, result.derivatives[0], result.derivatives[1]};
  }
}

/// Functions of a loss, as objects.
template <class L>
struct PairwiseOf {
  const L& loss;
  template <class... Scores>
  PRISM_HOST_DEVICE constexpr auto operator()(const Scores&... scores) const
      -> decltype(loss.pairwise(scores...)) {
    return loss.pairwise(scores...);
  }
};
template <class L>
struct PositiveOf {
  const L& loss;
  template <class Score>
  PRISM_HOST_DEVICE constexpr auto operator()(const Score& score) const
      -> decltype(loss.positive(score)) {
    return loss.positive(score);
  }
};
template <class L>
struct NegativeOf {
  const L& loss;
  template <class Score>
  PRISM_HOST_DEVICE constexpr auto operator()(const Score& score) const
      -> decltype(loss.negative(score)) {
    return loss.negative(score);
  }
};

template <class L>
[[nodiscard]] constexpr double negatives_weight(const L& loss) noexcept {
  if constexpr (requires { loss.negatives_weight(); }) {
    return loss.negatives_weight();
  } else {
    return 1;
  }
}

/// A pair's part of a pairwise loss, as a function of its scores.
template <class L>
struct PairwisePart {
  L loss;
  double pair_weight;  ///< 1 / (pairs * negatives per pair)
  bool masks;

  template <class T, class Isa>
  PRISM_HOST_DEVICE double operator()(std::size_t, PairScores<T, Isa> scores) const {
    const T positive = scores.positive();
    const ScoreRange<T, Isa> negatives = scores.negatives();
    const std::size_t counted = masks ? negatives.count_unmasked() : negatives.size();
    // 1 where none is masked
    const double share =
        counted == 0 ? 0 : static_cast<double>(negatives.size()) / static_cast<double>(counted);
    const T weight = static_cast<T>(share * pair_weight);
    const PairwiseOf<L> f{loss};
    T sum;
    if constexpr (std::is_invocable_v<const PairwiseOf<L>&, T>) {
      sum = negatives.template sum_of<T>([=, this](std::size_t, T& score) {
        if (masks && score <= masked_score<T>) return score = 0;
        const ValueAndDerivative<T> term = differentiate(PairwiseOf<L>{loss}, score - positive);
        score = weight * term.derivative;
        return term.value;
      });
      scores.set_positive(-negatives.sum());
    } else if constexpr (std::is_invocable_v<const PairwiseOf<L>&, T, T>) {
      T by_positive = 0;
      sum = negatives.template sum_of<T>([&](std::size_t, T& score) {
        if (masks && score <= masked_score<T>) return score = 0;
        const ValueAndDerivatives<T> term = differentiate(f, positive, score);
        score = weight * term.by_negative;
        by_positive += weight * term.by_positive;
        return term.value;
      });
      scores.set_positive(Lanes<Isa>::sum(by_positive));
    } else {
      static_assert(std::is_invocable_v<const PairwiseOf<L>&, Pack<T, Isa>>,
                    "a loss's pairwise must take one difference of scores, or two scores: template "
                    "<class T> constexpr T pairwise(T difference) const");
      // Of packs. The value and the derivative at a masked score are 0.
      sum = negatives.sum_of_packs([=]<AnyPack P>(P& score) {
        const ValueAndDerivative<P> term = f(score - P::broadcast(positive));
        score = P::broadcast(weight) * term.derivative;
        return term.value;
      });
      scores.set_positive(-negatives.sum());
    }
    return share * static_cast<double>(sum);
  }
};

/// A pair's part of a pointwise loss.
template <class L>
struct PointwisePart {
  L loss;
  double pairs;
  bool masks;

  template <class T, class Isa>
  PRISM_HOST_DEVICE double operator()(std::size_t, PairScores<T, Isa> scores) const {
    const ValueAndDerivative<double> positive =
        differentiate(PositiveOf<L>{loss}, static_cast<double>(scores.positive()));
    double value = positive.value;
    if constexpr (names_negative<L>) {
      const ScoreRange<T, Isa> negatives = scores.negatives();
      const std::size_t counted = masks ? negatives.count_unmasked() : negatives.size();
      const double weight =
          counted == 0 ? 0 : negatives_weight(loss) / static_cast<double>(counted);
      const T derivative_weight = static_cast<T>(weight / pairs);
      const T sum = negatives.template sum_of<T>([=, this](std::size_t, T& score) {
        if (masks && score <= masked_score<T>) return score = 0;
        const ValueAndDerivative<T> term = differentiate(NegativeOf<L>{loss}, score);
        score = derivative_weight * term.derivative;
        return term.value;
      });
      value += weight * static_cast<double>(sum);
    }
    scores.set_positive(static_cast<T>(positive.derivative / pairs));
    return value;
  }
};

/// A pair's part of a listwise loss.
template <class L, class T>
struct ListwisePart {
  L loss;
  T weight;  ///< 1 / pairs
  LogQ<T> correction;

  template <class Isa>
  PRISM_HOST_DEVICE double operator()(std::size_t pair, PairScores<T, Isa> scores) const {
    correction.subtract(pair, scores);
    return loss.listwise(scores, weight);
  }
};

/// The mean over the batch's pairs, and its gradient.
template <class L, class T, Execution X>
[[nodiscard]] double evaluate_formula(const L& loss, const LossStep<T, X>& step) {
  const auto total = [&](const auto& part) {
    if constexpr (L::similarity == Similarity::cosine) {
      return loss_over_cosines(step, normalise_output(step), part);
    } else {
      return loss_over_scores(step, part);
    }
  };
  const auto pairs = static_cast<double>(step.batch.pairs());
  const bool masks = step.batch.mask != NegativeMask::none;
  if constexpr (PairwiseFormula<L>) {
    const double weight =
        1.0 / static_cast<double>(step.batch.pairs() * step.batch.negatives_per_pair);
    return total(PairwisePart<L>{loss, weight, masks}) * weight;
  } else if constexpr (PointwiseFormula<L>) {
    return total(PointwisePart<L>{loss, pairs, masks}) / pairs;
  } else {
    double log_q_scale = 0;
    if constexpr (requires { loss.log_q_scale(); }) log_q_scale = loss.log_q_scale();
    return total(ListwisePart<L, T>{loss, T{1} / static_cast<T>(step.batch.pairs()),
                                    LogQ<T>(step, log_q_scale)}) /
           pairs;
  }
}

}  // namespace prism::inline PRISM_ISA::detail
