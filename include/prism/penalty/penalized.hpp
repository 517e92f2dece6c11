// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/evaluate_loss.hpp"
#include "prism/ops/without_negatives.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

template <class Loss, class Penalty>
struct Penalized;

namespace detail {

/// How many losses and penalties a sum has.
template <class Loss>
inline constexpr std::uint64_t parts_of = 1;
template <class Loss, class Penalty>
inline constexpr std::uint64_t parts_of<Penalized<Loss, Penalty>> =
    parts_of<Loss> + parts_of<Penalty>;

/// to[k] += from[k]
template <class T, Execution X>
void add_rows(const X& exec, Rows<const T> from, Rows<T> to) {
  constexpr std::size_t grain = 256;
  for_each_row(exec, from.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    add_scaled<typename X::isa>(to[k], T{1}, from[k], from.dim());
  });
}

}  // namespace detail

/// The sum of a loss and a penalty: `Penalized<BPR, ReSN>`. A penalty is a loss policy too, and its
/// weight is one of its options. The sum needs all rows if either part does; a part that does not
/// need them is called with active rows only.
template <class Loss, class Penalty>
struct Penalized {
  /// float, or double for a part that accepts only double.
  template <class Part>
  using ScalarOf =
      std::conditional_t<!LossPolicy<Part, float> && LossPolicy<Part, double>, double, float>;
  static_assert(check_loss<Loss, ScalarOf<Loss>>(),
                "Penalized: argument 1 (Loss) is not a loss such as BPR; prism/policy/loss.hpp "
                "lists the requirements");
  static_assert(check_loss<Penalty, ScalarOf<Penalty>>(),
                "Penalized: argument 2 (Penalty) is not a penalty such as IPL; "
                "prism/policy/loss.hpp lists the requirements");

  static constexpr std::string_view name = "Penalized";

  [[no_unique_address]] Loss loss{};
  [[no_unique_address]] Penalty penalty{};

  template <class T>
  struct State {
    [[no_unique_address]] state_t<Loss, T> loss;
    [[no_unique_address]] state_t<Penalty, T> penalty;
    std::size_t parameters_of_loss = 0;  // trained ones

    State(const Penalized& policy, const StateContext& context)
        : loss(make_state<T>(policy.loss, context)),
          penalty(make_state<T>(policy.penalty, penalty_context(context))) {
      for_each_trained_parameter<T>(loss, [this](const auto&) { ++parameters_of_loss; });
    }
    State(const State& other, std::pmr::memory_resource* memory)
        : loss(copy_of_state(other.loss, memory)),
          penalty(copy_of_state(other.penalty, memory)),
          parameters_of_loss(other.parameters_of_loss) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      loss.for_each_parameter(visit);
      penalty.for_each_parameter(visit);
    }

   private:
    /// The context with a separate random stream.
    static StateContext penalty_context(StateContext context) noexcept {
      context.stream = Stream::penalty;
      return context;
    }
  };

  /// Only the loss asks for negatives; the penalty may see them. The loss is evaluated first, so
  /// that it may overwrite the gradient of active rows. The ranking rule is the loss's, or one
  /// without effect. dot_product_logits is the loss's, because a saturated penalty does not keep
  /// the loss from training.
  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    const LossTraits loss_traits = prism::loss_traits(loss),
                     penalty_traits = prism::loss_traits(penalty);
    return {.negatives = loss_traits.negatives,
            .overwrites_gradient = loss_traits.overwrites_gradient,
            .needs_all_rows = loss_traits.needs_all_rows || penalty_traits.needs_all_rows,
            .has_ranking_rule = true,
            .sees_negatives = loss_traits.sees_negatives || penalty_traits.sees_negatives,
            .dot_product_logits = loss_traits.dot_product_logits,
            .takes_shared_negatives =
                loss_traits.takes_shared_negatives &&
                (penalty_traits.takes_shared_negatives || !penalty_traits.sees_negatives),
            .reads_log_probability =
                loss_traits.reads_log_probability || penalty_traits.reads_log_probability};
  }

  /// @throws ArgumentError  for a penalty that uses negatives
  void check() const {
    require(prism::loss_traits(penalty).negatives == 0, "penalty",
            "must not use negatives; a loss that uses them must be the first argument");
  }

  /// "BPR & ReSN"; only the loss if the penalty's label is empty.
  [[nodiscard]] std::string label() const {
    const std::string added = prism::label(penalty);
    return prism::label(loss) + (added.empty() ? "" : " & ") + added;
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    const std::size_t loss_parameters = state.parameters_of_loss;
    const auto gradients = step.parameter_gradients;
    const double value = evaluate_part(loss, step, state.loss, gradients.first(loss_parameters));
    const auto penalty_parameter_gradients = gradients.subspan(loss_parameters);
    if (!prism::loss_traits(penalty).overwrites_gradient) {
      return value + evaluate_part(penalty, step, state.penalty, penalty_parameter_gradients);
    }
    // The penalty would overwrite the loss's gradient, so it gets a separate one.
    const Embeddings<T> penalty_gradient{zeros_like(step, step.gradient.users),
                                         zeros_like(step, step.gradient.items)};
    const double added = evaluate_part(penalty,
                                       LossStep<T, X>{step.batch, step.output, penalty_gradient,
                                                      step.scratch, step.exec, gradients},
                                       state.penalty, penalty_parameter_gradients);
    detail::add_rows<T>(step.exec, penalty_gradient.users, step.gradient.users);
    detail::add_rows<T>(step.exec, penalty_gradient.items, step.gradient.items);
    return value + added;
  }

  template <class T, Execution X>
  void ranking_rule(const X& exec, Scorer<T>& scorer, const State<T>& state) const {
    prism::apply_ranking_rule(exec, loss, scorer, state.loss);
  }

  /// Begins the epoch of the loss and of the penalty. Each part of a sum has draws of its own; the
  /// first part gets the same draws as it does alone.
  template <class T, Execution X>
  void begin_epoch(const EpochStart<T, X>& start, State<T>& state) const {
    prism::begin_epoch(loss, start, state.loss);
    EpochStart<T, X> penalty_start = start;
    penalty_start.random = start.random.from(detail::parts_of<Loss> << 56);
    prism::begin_epoch(penalty, penalty_start, state.penalty);
  }

 private:
  /// Evaluates one part, with negatives and all rows only if its traits declare them.
  template <class Part, class T, Execution X>
  static double evaluate_part(const Part& policy, const LossStep<T, X>& step,
                              const state_t<Part, T>& state, std::span<const Rows<T>> gradients) {
    const LossTraits traits = prism::loss_traits(policy);
    const Batch visible_batch =
        traits.negatives > 0 || traits.sees_negatives
            ? step.batch
            : detail::without_negatives(step.exec, step.batch, step.scratch);
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
