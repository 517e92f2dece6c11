// SPDX-License-Identifier: BSD-3-Clause
// Policies chosen at run time among several that are compiled in. The compile time of a grid is the
// product of its lists' lengths; if a run-time choice costs little in a training step, this removes
// its factor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/execution/serial.hpp"
#include "prism/ops/evaluate_loss.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/regularizer.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

template <class... Policies>
class RuntimeChoice {
 public:
  static constexpr std::string_view name = "OneOf";

  /// The first policy.
  RuntimeChoice() = default;
  template <class Policy>
    requires(std::is_same_v<Policy, Policies> || ...)
  RuntimeChoice(Policy policy) : chosen_(std::move(policy)) {}

  [[nodiscard]] std::string label() const {
    return visit([](const auto& policy) { return prism::label(policy); });
  }

  /// Which policy of the list is chosen.
  [[nodiscard]] std::size_t choice() const noexcept { return chosen_.index(); }
  /// Chooses one, with its default options. @return false if there is no such policy
  bool set_choice(std::size_t choice) {
    std::size_t next = 0;
    return ((next++ == choice && (chosen_ = Policies{}, true)) || ...);
  }

  template <class Visit>
  constexpr decltype(auto) visit(const Visit& visit) const {
    return std::visit(visit, chosen_);
  }
  template <class Visit>
  decltype(auto) visit(const Visit& visit) {
    return std::visit(visit, chosen_);
  }

 private:
  std::variant<Policies...> chosen_;
};

}  // namespace detail

/// A regularizer chosen at run time.
template <class... Policies>
class OneRegularizer : public detail::RuntimeChoice<Policies...> {
  static_assert((check_regularizer<Policies>() && ...),
                "OneRegularizer: each argument must be a regularizer");

 public:
  using detail::RuntimeChoice<Policies...>::RuntimeChoice;
  [[nodiscard]] double weight_decay(bool active) const
    requires(!(PopularityRegularizer<Policies> || ...))
  {
    return this->visit([=](const auto& policy) -> double { return policy.weight_decay(active); });
  }
  [[nodiscard]] double weight_decay(bool active, Index popularity) const
    requires((PopularityRegularizer<Policies> || ...))
  {
    return this->visit([=](const auto& policy) -> double {
      return prism::weight_decay(policy, active, popularity);
    });
  }
};

/// An initializer chosen at run time.
template <class... Policies>
class OneInitializer : public detail::RuntimeChoice<Policies...> {
  static_assert((check_initializer<Policies>() && ...),
                "OneInitializer: each argument must be an initializer");

 public:
  using detail::RuntimeChoice<Policies...>::RuntimeChoice;
  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
                  const Random& random) const {
    this->visit([&](const auto& policy) { policy(exec, table, popularity, random); });
  }
};

/// A sampler chosen at run time.
template <class... Policies>
class OneSampler : public detail::RuntimeChoice<Policies...> {
  static_assert((check_sampler<Policies>() && ...), "OneSampler: each argument must be a sampler");

 public:
  using detail::RuntimeChoice<Policies...>::RuntimeChoice;

  class State {
   public:
    State(const OneSampler& sampler, const Interactions& train)
        : states_(sampler.visit([&](const auto& policy) -> States {
            using Policy = std::remove_cvref_t<decltype(policy)>;
            return StateFor<Policy>{sampler_state_t<Policy>(policy, train)};
          })) {}

   private:
    friend OneSampler;
    template <class Policy>
    struct StateFor {
      sampler_state_t<Policy> state;
    };
    using States = std::variant<StateFor<Policies>...>;
    States states_;
  };

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, const State& state,
                  std::span<Index> negatives) const {
    this->visit([&]<class Policy>(const Policy& policy) {
      const auto& chosen_state = std::get<typename State::template StateFor<Policy>>(state.states_);
      prism::draw_negatives(exec, policy, request, chosen_state.state, negatives);
    });
  }

  [[nodiscard]] std::optional<SharedNegativesInfo> shared(const SampleRequest& request) const {
    return this->visit(
        [&](const auto& policy) { return prism::shared_negatives(policy, request); });
  }

  void log_probability(const State& state, const Batch& batch, std::vector<double>& values) const {
    this->visit([&]<class Policy>(const Policy& policy) {
      if constexpr (detail::names_log_probability<Policy>) {
        using Chosen = typename State::template StateFor<Policy>;
        policy.log_probability(std::get<Chosen>(state.states_).state, batch, values);
      }
    });
  }
};

/// An optimizer chosen at run time.
template <class... Policies>
class OneOptimizer : public detail::RuntimeChoice<Policies...> {
  static_assert((check_optimizer<Policies>() && ...),
                "OneOptimizer: each argument must be an optimizer");

 public:
  using detail::RuntimeChoice<Policies...>::RuntimeChoice;
  /// As if all of them deferred rows; an optimizer that does not has no deferred steps to apply.
  static constexpr OptimizerTraits traits{.defers_rows = true};

  [[nodiscard]] double learning_rate_of_step(double length, std::size_t dim) const {
    return this->visit([=](const auto& policy) -> double {
      return prism::learning_rate_of_step(policy, length, dim);
    });
  }

  /// Constructed by the optimizer's first step, when the choice is known.
  template <class T>
  class State {
   public:
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory = nullptr)
        : size_(size), dim_(dim), memory_(memory) {}

    template <Execution X = Serial>
    [[nodiscard]] bool finite(const X& exec = {}) const {
      return std::visit(
          [&]<class ChosenState>(const ChosenState& chosen_state) {
            if constexpr (requires { chosen_state.finite(exec); }) return chosen_state.finite(exec);
            if constexpr (requires { chosen_state.finite(); }) return chosen_state.finite();
            return true;
          },
          state_);
    }

    void save(BinaryWriter& out) const
      requires(SavedState<typename Policies::template State<T>> && ...)
    {
      out.number(static_cast<std::uint32_t>(state_.index()));
      std::visit(
          [&]<class ChosenState>(const ChosenState& chosen_state) {
            if constexpr (!std::is_same_v<ChosenState, std::monostate>) chosen_state.save(out);
          },
          state_);
    }
    template <Execution X = Serial>
    void load(BinaryReader& in, const X& exec = {})
      requires(SavedState<typename Policies::template State<T>> && ...)
    {
      const auto index = in.number<std::uint32_t>();
      if (index > sizeof...(Policies))
        in.fail("has the state of an optimizer that is not among the choices");
      state_.template emplace<std::monostate>();
      std::uint32_t next = 0;
      const auto load_state = [&]<class ChosenState>(std::type_identity<ChosenState>) {
        if (++next != index) return;
        auto& state = state_.template emplace<ChosenState>(size_, dim_, memory_);
        if constexpr (requires { state.load(in, exec); }) {
          state.load(in, exec);
        } else {
          state.load(in);
        }
      };
      (load_state(std::type_identity<typename Policies::template State<T>>{}), ...);
    }

   private:
    friend OneOptimizer;
    std::size_t size_;
    std::size_t dim_;
    std::pmr::memory_resource* memory_;
    std::variant<std::monostate, typename Policies::template State<T>...> state_;
  };

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    with(state, [&](const auto& policy, auto& chosen_state) {
      policy(exec, table, gradient, chosen_state, info, regularizer);
    });
  }
  template <Execution X, class T, RegularizerPolicy R>
  void apply_deferred(const X& exec, const ParameterView<T>& table,
                      std::span<const Index> row_indices, State<T>& state,
                      const R& regularizer) const {
    with(state, [&]<class Policy>(const Policy& policy, auto& chosen_state) {
      if constexpr (LazyOptimizer<Policy, T>)
        policy.apply_deferred(exec, table, row_indices, chosen_state, regularizer);
    });
  }
  template <Execution X, class T, RegularizerPolicy R>
  void flush(const X& exec, const ParameterView<T>& table, State<T>& state,
             const R& regularizer) const {
    with(state, [&]<class Policy>(const Policy& policy, auto& chosen_state) {
      if constexpr (LazyOptimizer<Policy, T>) policy.flush(exec, table, chosen_state, regularizer);
    });
  }

 private:
  /// Calls visit with the chosen policy and its state.
  template <class T, class Visit>
  void with(State<T>& state, const Visit& visit) const {
    this->visit([&]<class Policy>(const Policy& policy) {
      using ChosenState = typename Policy::template State<T>;
      if (!std::holds_alternative<ChosenState>(state.state_)) {
        state.state_.template emplace<ChosenState>(state.size_, state.dim_, state.memory_);
      }
      visit(policy, std::get<ChosenState>(state.state_));
    });
  }
};

namespace detail {

/// Adds nothing to a loss.
struct NoPenalty {
  static constexpr std::string_view name = "";
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) const {
    return 0;
  }
};

}  // namespace detail

/// A penalty chosen at run time; the default is none.
template <class... Policies>
class OnePenalty : public detail::RuntimeChoice<detail::NoPenalty, Policies...> {
  static_assert((check_loss<Policies, float>() && ...),
                "OnePenalty: each argument must be a penalty such as IPL");
  static_assert((std::is_same_v<state_t<Policies, float>, Stateless<Policies>> && ...),
                "OnePenalty: penalties with a state of their own cannot be chosen at run time");

 public:
  using detail::RuntimeChoice<detail::NoPenalty, Policies...>::RuntimeChoice;

  [[nodiscard]] constexpr LossTraits traits() const {
    return this->visit([](const auto& policy) { return prism::loss_traits(policy); });
  }
  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    return this->visit([&]<class Policy>(const Policy& policy) -> double {
      return evaluate_loss(policy, step, Stateless<Policy>{});
    });
  }
};

/// An activation chosen at run time.
template <class First, class Second>
class OneActivation {
 public:
  static constexpr std::string_view name = "OneOf";
  static constexpr bool takes_packs =
      requires { requires First::takes_packs && Second::takes_packs; };

  OneActivation() = default;
  constexpr OneActivation(First) {}
  constexpr OneActivation(Second) : second_(true) {}

  [[nodiscard]] std::string label() const {
    return std::string(second_ ? Second::name : First::name);
  }
  [[nodiscard]] std::size_t choice() const noexcept { return second_ ? 1 : 0; }
  bool set_choice(std::size_t choice) noexcept {
    second_ = choice == 1;
    return choice < 2;
  }
  template <class T>
  [[nodiscard]] constexpr T apply(T x) const noexcept {
    return second_ ? Second{}.apply(x) : First{}.apply(x);
  }
  template <class T>
  [[nodiscard]] constexpr T derivative(T y) const noexcept {
    return second_ ? Second{}.derivative(y) : First{}.derivative(y);
  }

 private:
  bool second_ = false;
};

}  // namespace prism::inline PRISM_ISA
