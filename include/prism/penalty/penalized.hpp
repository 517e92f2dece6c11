// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// A loss with a penalty added: `Penalized<BPR, ReSN>`. A penalty is a loss too; its weight is its
/// own option. The sum looks at every row where either part does, and the loss still sees the
/// batch's own rows alone.
template <class Loss, class Penalty>
struct Penalized {
  /// A part may be for one type of numbers alone.
  template <class Part>
  using ScalarOf =
      std::conditional_t<!LossPolicy<Part, float> && LossPolicy<Part, double>, double, float>;
  static_assert(check_loss<Loss, ScalarOf<Loss>>(),
                "Penalized: the 1st argument is no loss, as BPR is; what one has to have stands in "
                "prism/policy/loss.hpp");
  static_assert(check_loss<Penalty, ScalarOf<Penalty>>(),
                "Penalized: the 2nd argument is no penalty, as IPL is; what one has to have stands "
                "in prism/policy/loss.hpp");

  static constexpr std::string_view name = "Penalized";

  [[no_unique_address]] Loss loss{};
  [[no_unique_address]] Penalty penalty{};

  template <class T>
  struct State {
    [[no_unique_address]] state_t<Loss, T> loss;
    [[no_unique_address]] state_t<Penalty, T> penalty;
    std::size_t parameters_of_loss = 0;

    State(const Penalized& policy, const StateContext& context)
        : loss(make_state<T>(policy.loss, context)),
          penalty(make_state<T>(policy.penalty, of_penalty(context))) {
      loss.for_each_parameter([this](const ParameterView<T>&) { ++parameters_of_loss; });
    }

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      loss.for_each_parameter(visit);
      penalty.for_each_parameter(visit);
    }

   private:
    /// A penalty draws from a sequence of its own.
    static StateContext of_penalty(StateContext context) noexcept {
      context.stream = Stream::penalty;
      return context;
    }
  };

  /// The negatives are the loss's; a penalty may not ask for any. The loss comes first, and the
  /// batch's own rows are its own. The ranking rule is the loss's, or one that changes nothing.
  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    const LossTraits of_loss = loss_traits(loss), of_penalty = loss_traits(penalty);
    return {.negatives = of_loss.negatives,
            .overwrites_gradient = of_loss.overwrites_gradient,
            .needs_all_rows = of_loss.needs_all_rows || of_penalty.needs_all_rows,
            .has_ranking_rule = true};
  }

  /// @throws ArgumentError  for an option outside its domain, or a penalty that asks for negatives
  void check() const {
    check_options(loss);
    check_options(penalty);
    require(loss_traits(penalty).negatives == 0, "penalty",
            "must ask for no negatives; a loss that does goes first");
  }

  /// "BPR & ReSN"; a penalty without a name is none.
  [[nodiscard]] std::string label() const {
    const std::string added = prism::label(penalty);
    return prism::label(loss) + (added.empty() ? "" : " & ") + added;
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    const std::size_t of_loss = state.parameters_of_loss;
    const auto gradients = step.parameter_gradients;
    const double value = evaluate_part(loss, step, state.loss, gradients.first(of_loss));
    const auto of_penalty = gradients.subspan(of_loss);
    if (!loss_traits(penalty).overwrites_gradient) {
      return value + evaluate_part(penalty, step, state.penalty, of_penalty);
    }
    // It would set what the loss has left there.
    const Embeddings<T> penalty_gradient{zeros_like(step, step.gradient.users),
                                         zeros_like(step, step.gradient.items)};
    const double added = evaluate_part(penalty,
                                       LossStep<T, X>{step.batch, step.output, penalty_gradient,
                                                      step.scratch, step.exec, gradients},
                                       state.penalty, of_penalty);
    add_scaled<typename X::isa>(step.gradient.users.data(), T{1}, penalty_gradient.users.data(),
                                penalty_gradient.users.elements());
    add_scaled<typename X::isa>(step.gradient.items.data(), T{1}, penalty_gradient.items.data(),
                                penalty_gradient.items.elements());
    return value + added;
  }

  template <class T, Execution X>
  void ranking_rule(const X& exec, Scorer<T>& scorer, const State<T>& state) const {
    apply_ranking_rule(exec, loss, scorer, state.loss);
  }

 private:
  /// One of the two, shown what it asks for and no more.
  template <class Part, class T, Execution X>
  static double evaluate_part(const Part& policy, const LossStep<T, X>& step,
                              const state_t<Part, T>& state, std::span<const Rows<T>> gradients) {
    const LossTraits traits = loss_traits(policy);
    const Batch visible_batch =
        traits.negatives > 0 ? step.batch : without_negatives(step.batch, step.scratch);
    const Batch batch = traits.needs_all_rows ? visible_batch : visible_batch.active_rows();
    return evaluate_loss(
        policy,
        LossStep<T, X>{batch, first_rows(step.output, batch), first_rows(step.gradient, batch),
                       step.scratch, step.exec, gradients},
        state);
  }

  template <class T, Execution X>
  static Rows<T> zeros_like(const LossStep<T, X>& step, Rows<T> rows) {
    return step.scratch.template allocate_zeros<T>(step.exec, rows.size(), rows.dim());
  }

  template <class BothSides>
  static BothSides first_rows(const BothSides& all, const Batch& batch) noexcept {
    return {all.users.first(batch.user_side.unique_rows.size()),
            all.items.first(batch.item_side.unique_rows.size())};
  }
};

}  // namespace prism::inline PRISM_ISA
