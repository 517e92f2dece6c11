// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// A loss with a penalty added: `Penalized<BPR, ReSN>`. A penalty is a loss too; its weight is its
/// own option. The sum looks at every row where either part does, and the loss still sees the
/// batch's own rows alone.
template <LossPolicy Loss, LossPolicy Penalty>
struct Penalized {
  static constexpr std::string_view name = "Penalized";

  [[no_unique_address]] Loss loss{};
  [[no_unique_address]] Penalty penalty{};
  /// What the loss asks for; a penalty draws none.
  std::size_t negatives = negatives_per_pair(loss);

  template <class T>
  struct State {
    [[no_unique_address]] state_t<Loss, T> loss;
    [[no_unique_address]] state_t<Penalty, T> penalty;

    State(const Penalized& policy, const StateContext& context)
        : loss(make_state<T>(policy.loss, context)),
          penalty(make_state<T>(policy.penalty, context)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      loss.for_each_parameter(visit);
      penalty.for_each_parameter(visit);
    }
  };

  void check() const {
    check_options(loss);
    check_options(penalty);
  }

  [[nodiscard]] constexpr bool looks_at_every_row() const noexcept {
    return prism::looks_at_every_row(loss) || prism::looks_at_every_row(penalty);
  }

  /// "BPR & ReSN"; a penalty without a name is none.
  [[nodiscard]] std::string label() const {
    const std::string added = prism::label(penalty);
    return prism::label(loss) + (added.empty() ? "" : " & ") + added;
  }

  template <class T>
  double operator()(const LossStep<T>& step, State<T>& state) const {
    const LossStep<T> whole = step;
    const Batch own = step.batch.own_rows();
    const LossStep<T> narrow{own, first_rows(step.output, own), first_rows(step.gradient, own),
                             step.scratch};
    return evaluate_loss(loss, prism::looks_at_every_row(loss) ? whole : narrow, state.loss) +
           evaluate_loss(penalty, prism::looks_at_every_row(penalty) ? whole : narrow,
                         state.penalty);
  }

  template <class T>
  void ranking_rule(Scorer<T>& scorer, const State<T>& state) const {
    if constexpr (requires { loss.ranking_rule(scorer, state.loss); }) {
      loss.ranking_rule(scorer, state.loss);
    }
  }

 private:
  template <class U>
  static Embeddings<U> first_rows(Embeddings<U> all, const Batch& own) noexcept {
    return {all.users.first(own.user_side.rows.size()), all.items.first(own.item_side.rows.size())};
  }
};

}  // namespace prism::inline PRISM_ISA
