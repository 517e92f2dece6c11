// SPDX-License-Identifier: BSD-3-Clause
// A loss computes a value from output rows, and its gradient with respect to them. It does not
// depend on the backbone. Most losses are a formula of scores (score_formula.hpp); the others have
// an operator().
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/similarity.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/contract.hpp"
#include "prism/policy/epoch_start.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/score_formula.hpp"

namespace prism::inline PRISM_ISA {

/// The properties that a loss declares.
struct LossTraits {
  /// Number of negatives per pair.
  std::size_t negatives = 0;
  /// Whether it writes the gradient of each active row (k < side.num_active) before it adds to it,
  /// which saves filling these rows with zeros; it adds to the gradient of the other rows. Because
  /// it would overwrite the gradient of another loss, Penalized passes it a separate one.
  bool overwrites_gradient = false;
  /// Whether it reads rows outside the batch; they then follow the active rows of each side.
  bool needs_all_rows = false;
  /// Whether it has a ranking_rule. If this depends on options, a loss that has the function must
  /// declare it for its default options.
  bool has_ranking_rule = false;
  /// Whether, as part of a sum (Penalized), it also sees the negatives of the sum's loss. If not,
  /// and without negatives of its own, it sees only the pairs.
  bool sees_negatives = false;
  /// Whether its logits, the arguments of a sigmoid, softplus or softmax, are dot products of
  /// output rows. Large magnitudes then saturate the loss, which fit warns about, and small ones
  /// are raised by it, so that its default learning rate is low (default_rate.hpp). False if the
  /// logits are cosines, or if the loss is linear in the dot products.
  bool dot_product_logits = false;
  /// Whether it accepts negatives that all pairs of a batch share. It must then read them through
  /// Batch::negatives_of or operations such as loss_over_scores, and must not attribute an item's
  /// occurrence as a negative to a single pair.
  bool takes_shared_negatives = false;
  /// Whether it reads Batch::item_log_probability, which is empty otherwise.
  bool reads_log_probability = false;
};

// struct MyLoss {
//   static constexpr std::string_view name = "MyLoss";
//   // Optional: the traits that differ from the defaults, LossTraits{}. A constant,
//   static constexpr LossTraits traits{.negatives = 1, .overwrites_gradient = true};
//   // or, if they depend on options (such as a member `negatives`), a function:
//   constexpr LossTraits traits() const { return {.negatives = negatives}; }
//   // Optional: trainable parameters, see parameter.hpp.
//   template <class T> struct State;
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
//
//   // A formula of scores, see score_formula.hpp, whose traits need not be declared. Or an
//   // operator() that returns the mean over the batch's pairs. It adds its gradient to
//   // step.gradient, or overwrites it: see overwrites_gradient.
//   template <class T, Execution X> double operator()(const LossStep<T, X>& step) const;
//   // With a State, instead:
//   template <class T, Execution X>
//   double operator()(const LossStep<T, X>& step, const State<T>& state) const;
//   // With has_ranking_rule: sets the scorer's factors and offset.
//   template <class T, Execution X>
//   void ranking_rule(const X& exec, Scorer<T>& scorer, const state_t<MyLoss, T>& state) const;
//   // Optional, with a State: called once before the first batch of each epoch. It changes only
//   // values that the State visits with trained = false.
//   template <class T, Execution X>
//   void begin_epoch(const EpochStart<T, X>& start, State<T>& state) const;
// };

namespace detail {

template <class L>
concept TraitsFunction = requires(const L& loss) {
  { loss.traits() } -> std::same_as<LossTraits>;
};
template <class L>
concept LossTraitsFit = !names_traits<L> || ConstantTraits<L, LossTraits> || TraitsFunction<L>;

/// Whether the traits of default options are known at compile time: not for a policy that cannot be
/// constructed in a constant expression.
template <class L>
concept DefaultTraitsKnown = !names_traits<L> || ConstantTraits<L, LossTraits> || requires {
  typename std::bool_constant<(L{}.traits().has_ranking_rule)>;
};
template <class L>
[[nodiscard]] consteval bool ranking_rule_trait() {
  if constexpr (ConstantTraits<L, LossTraits>) {
    return L::traits.has_ranking_rule;
  } else if constexpr (names_traits<L> && DefaultTraitsKnown<L>) {
    return L{}.traits().has_ranking_rule;
  } else {
    return false;
  }
}

/// A member `negatives`, an option or a constant, has an effect only through the traits.
template <class L>
concept NegativesInTraits = !names_negatives<L> || names_traits<L> || ScoreFormula<L>;
template <class L>
concept OptionOfNegatives =
    requires { requires std::is_member_object_pointer_v<decltype(&L::negatives)>; };

template <class L>
concept OptionOfNegativesFits = !OptionOfNegatives<L> || TraitsFunction<L> || ScoreFormula<L>;

template <class L, class T, class X>
concept TakesLossStep = requires(const L& loss, const LossStep<T, X>& step) { loss(step); };
template <class L, class T, class X>
concept TakesLossStepAndState = requires(const L& loss, const LossStep<T, X>& step,
                                         const state_t<L, T>& state) { loss(step, state); };
/// At most one formula, or an operator(): only one of them would be evaluated.
template <class L, class T, class X>
concept OneFormula = int{PairwiseFormula<L>} + int{PointwiseFormula<L>} + int{ListwiseFormula<L>} +
                             int{TakesLossStep<L, T, X> || TakesLossStepAndState<L, T, X>} <=
                         1 &&
                     !(ScoreFormula<L> && names_State<L>);
template <class L, class T, class X>
concept Evaluates = ScoreFormula<L> || TakesLossStep<L, T, X> || TakesLossStepAndState<L, T, X>;
/// Evaluates, if a missing `const` is added.
template <class L, class T, class X>
concept EvaluatesNonConst = requires(L& loss, const LossStep<T, X>& step) { loss(step); } ||
                            requires(L& loss, const LossStep<T, X>& step,
                                     const state_t<L, T>& state) { loss(step, state); };
template <class L, class T, class X>
concept ReturnsLoss =
    ScoreFormula<L> ||
    requires(const L& loss, const LossStep<T, X>& step, const state_t<L, T>& state) {
      { loss(step, state) } -> std::convertible_to<double>;
    } || (!TakesLossStepAndState<L, T, X> && requires(const L& loss, const LossStep<T, X>& step) {
      { loss(step) } -> std::convertible_to<double>;
    });

template <class L, class T, class X>
concept RanksByRule =
    requires(const L& loss, const X& exec, Scorer<T>& scorer, const state_t<L, T>& state) {
      { loss.ranking_rule(exec, scorer, state) } -> std::same_as<void>;
    };
template <class L, class T, class X>
concept RankingRuleFits = !names_ranking_rule<L> || RanksByRule<L, T, X>;

template <class L, class T, class X>
concept BeginsEpochs =
    requires(const L& loss, const EpochStart<T, X>& start, state_t<L, T>& state) {
      { loss.begin_epoch(start, state) } -> std::same_as<void>;
    };
/// A loss is const, so what begin_epoch computes has to be in a State.
template <class L, class T, class X>
concept BeginEpochFits = !names_begin_epoch<L> || (names_State<L> && BeginsEpochs<L, T, X>);

}  // namespace detail

/// @tparam T  scalar type
/// @tparam X  execution
template <class L, class T = double, class X = Host<>>
concept LossPolicy =
    detail::AnyPolicy<L> && TrainableState<L, T, X> && detail::LossTraitsFit<L> &&
    detail::NegativesInTraits<L> && detail::OptionOfNegativesFits<L> &&
    detail::OneFormula<L, T, X> && detail::SimilarityFits<L> && detail::FormulaFits<L, T> &&
    detail::Evaluates<L, T, X> && detail::ReturnsLoss<L, T, X> &&
    detail::RankingRuleFits<L, T, X> && detail::BeginEpochFits<L, T, X> &&
    (!detail::ranking_rule_trait<L>() || detail::RanksByRule<L, T, X>) &&
    (!detail::names_ranking_rule<L> || !detail::DefaultTraitsKnown<L> ||
     detail::ranking_rule_trait<L>());

#define PRISM_LOSS_OPERATOR                                                                   \
  "template <class T, Execution X> double operator()(const LossStep<T, X>& step) const, or, " \
  "with a State, operator()(const LossStep<T, X>& step, const State<T>& state) const"
#define PRISM_RANKING_RULE                                                               \
  "template <class T, Execution X> void ranking_rule(const X& exec, Scorer<T>& scorer, " \
  "const state_t<MyLoss, T>& state) const"
#define PRISM_BEGIN_EPOCH                                                                      \
  "template <class T, Execution X> void begin_epoch(const EpochStart<T, X>& start, State<T>& " \
  "state) const"

/// Whether L is a loss. If it is not, the first compiler error names the missing requirement:
/// `static_assert(check_loss<MyLoss>())`.
template <class L, class T = double, Execution X = Host<>>
[[nodiscard]] consteval bool check_loss() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(L, "a loss");
  PRISM_STATE_CONTRACT(L, T, X, "a loss");
  static_assert(
      NegativesInTraits<L>,
      "a loss must declare in its traits its number of negatives per pair: static constexpr "
      "LossTraits traits{.negatives = 1}, or constexpr LossTraits traits() const");
  static_assert(LossTraitsFit<L>,
                "a loss's traits must be a constant, static constexpr LossTraits traits{...}, or "
                "a function, constexpr LossTraits traits() const");
  static_assert(
      !LossTraitsFit<L> || OptionOfNegativesFits<L>,
      "a loss with an option `negatives` must have a function for its traits, which depend "
      "on it: constexpr LossTraits traits() const");
  static_assert(
      !ScoreFormula<L> || !names_State<L>,
      "a loss that is a formula of scores has no State; one with a State has an operator()");
  static_assert(
      OneFormula<L, T, X>,
      "a loss must be one formula of scores, pairwise, positive (and negative) or listwise, or "
      "have an operator(), not both");
  static_assert(SimilarityFits<L>,
                "a loss that is a formula of scores must say which: static constexpr Similarity "
                "similarity = Similarity::dot");
  static_assert(FormulaFits<L, T>,
                "a loss's formula must be a template that returns its argument's type, or a value "
                "with its derivative: template <class T> constexpr T pairwise(T difference) const, "
                "or constexpr ValueAndDerivative<T> pairwise(T difference) const");
  static_assert(Evaluates<L, T, X> || !EvaluatesNonConst<L, T, X>,
                "a loss's operator() must be const: " PRISM_LOSS_OPERATOR);
  static_assert(Evaluates<L, T, X> || !Evaluates<L, T, Host<>>,
                "a loss's operator() must accept every execution, but does not accept this "
                "one: " PRISM_LOSS_OPERATOR);
  static_assert(Evaluates<L, T, X>,
                "a loss's operator() must take a const LossStep<T, X>&: " PRISM_LOSS_OPERATOR);
  static_assert(!Evaluates<L, T, X> || ReturnsLoss<L, T, X>,
                "a loss's operator() must return its value, a double: " PRISM_LOSS_OPERATOR);
  static_assert(
      !ranking_rule_trait<L>() || names_ranking_rule<L> || RanksByRule<L, T, X>,
      "a loss whose traits declare has_ranking_rule must have a ranking_rule: " PRISM_RANKING_RULE);
  static_assert(RankingRuleFits<L, T, X>, "a loss's ranking_rule must be: " PRISM_RANKING_RULE);
  static_assert(
      !names_ranking_rule<L> || !DefaultTraitsKnown<L> || ranking_rule_trait<L>(),
      "a loss with a ranking_rule must declare it in its traits: static constexpr LossTraits "
      "traits{.has_ranking_rule = true}");
  static_assert(!names_begin_epoch<L> || names_State<L>,
                "a loss with a begin_epoch must have a State, which it changes: template <class T> "
                "struct State");
  static_assert(BeginEpochFits<L, T, X>, "a loss's begin_epoch must be: " PRISM_BEGIN_EPOCH);
  return LossPolicy<L, T, X>;
}
#undef PRISM_LOSS_OPERATOR
#undef PRISM_RANKING_RULE
#undef PRISM_BEGIN_EPOCH

/// The traits of a loss with its options: those that it declares, or the defaults. A formula's
/// negatives, and that it overwrites the gradient and takes shared negatives, follow from it; so
/// does, unless it declares traits, that scores are logits if they are dot products, with
/// negatives.
template <class L>
[[nodiscard]] constexpr LossTraits loss_traits(const L& loss) noexcept {
  static_assert(detail::LossTraitsFit<L>,
                "a loss's traits must be a constant, static constexpr LossTraits traits{...}, or "
                "a function, constexpr LossTraits traits() const");
  LossTraits traits;
  if constexpr (detail::ConstantTraits<L, LossTraits>) {
    traits = L::traits;
  } else if constexpr (detail::names_traits<L>) {
    traits = loss.traits();
  }
  if constexpr (detail::ScoreFormula<L>) {
    traits.negatives = detail::negatives_of_formula(loss);
    traits.overwrites_gradient = true;
    traits.takes_shared_negatives = true;
    traits.reads_log_probability = detail::corrects_for_sampler(loss);
    if constexpr (!detail::names_traits<L>) {
      traits.dot_product_logits = traits.negatives > 0 && L::similarity == Similarity::dot;
    }
  }
  return traits;
}

/// Calls a loss's begin_epoch, if it has one.
template <class L, class T, Execution X>
void begin_epoch(const L& loss, const EpochStart<T, X>& start, state_t<L, T>& state) {
  if constexpr (detail::BeginsEpochs<L, T, X>) loss.begin_epoch(start, state);
}

/// Applies a loss's ranking_rule, if it has one, to the scorer's factors and offset.
/// @throws ArgumentError  if the traits declare a ranking_rule that the loss does not have
template <class L, class T, Execution X>
void apply_ranking_rule(const X& exec, const L& loss, Scorer<T>& scorer,
                        const state_t<L, T>& state) {
  if constexpr (detail::names_ranking_rule<L> || detail::RanksByRule<L, T, X>) {
    if (prism::loss_traits(loss).has_ranking_rule) loss.ranking_rule(exec, scorer, state);
  } else {
    require(!prism::loss_traits(loss).has_ranking_rule, "traits",
            "declare has_ranking_rule, but the loss has no ranking_rule");
  }
}

}  // namespace prism::inline PRISM_ISA
