// SPDX-License-Identifier: BSD-3-Clause
// Parameters besides the two tables: a tower's weights, MAWU's margins, MACR's heads. A policy with
// such parameters has a member `template <class T> struct State`; the trainer updates them with the
// same optimizer and the same decay as the tables. Values that a policy computes itself, such as
// SLK's quantiles, are also kept in the State and saved with it, but not trained.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

/// The rows of a parameter that get a gradient from a batch.
enum class ParameterRows {
  all,    // every row in each step
  users,  // those of the batch's users; the parameter has a row for each user
  items,  // those of the batch's items; the parameter has a row for each item
};

/// A view of one of a model's weight matrices, a table or a parameter of a policy's State, with the
/// properties that training needs. Its gradient belongs to the step.
template <class T>
struct ParameterView {
  Rows<T> rows;
  ParameterRows reached = ParameterRows::all;
  /// After each step values are clamped to [lowest, highest].
  T lowest = -detail::unbounded<T>;
  T highest = detail::unbounded<T>;
  /// Training interactions of each row's user or item; empty where rows belong to neither. The
  /// trainer sets it.
  std::span<const Index> popularity{};
  /// Whether the optimizer updates it. Values that are not trained are still part of the weights,
  /// their copies, checkpoints and saved models, but have no gradient and do not decay.
  bool trained = true;

  /// Whether there is a bound to clamp to.
  [[nodiscard]] constexpr bool bounded() const noexcept {
    return lowest > -detail::unbounded<T> || highest < detail::unbounded<T>;
  }
};

/// The arguments of a State's constructor besides the policy.
struct StateContext {
  const Interactions& train;
  std::size_t dim;  // a loss: of the output rows; a backbone: of the tables
  std::uint64_t seed;
  /// Random stream of the part of a model that the State belongs to; parts have different streams.
  Stream stream = Stream::loss;
  /// Memory resource of its values; null: table_memory().
  std::pmr::memory_resource* memory = nullptr;

  /// The random numbers of the State.
  [[nodiscard]] Random random() const noexcept { return {seed, stream}; }
};

/// The State of a policy without parameters. A separate type for each policy, so that two of them
/// can have the same address and occupy no memory ([[no_unique_address]]).
template <class Policy>
struct Stateless {
  template <class Visit>
  void for_each_parameter(const Visit&) const noexcept {}
};

namespace detail {

template <class Policy, class T>
struct StateOf {
  using type = Stateless<Policy>;
};
template <class Policy, class T>
  requires requires { typename Policy::template State<T>; }
struct StateOf<Policy, T> {
  using type = typename Policy::template State<T>;
};

}  // namespace detail

/// Policy::State<T>, or Stateless<Policy> if there is no State. A State is copyable, is constructed
/// from (const Policy&, const StateContext&), always on the host, and has
/// for_each_parameter(visit), which calls visit(ParameterView<T>) for each of its parameters,
/// always in the same order. For an execution on a device it is also constructible from (const
/// State&, std::pmr::memory_resource*), as a copy whose values are in that memory.
template <class Policy, class T>
using state_t = typename detail::StateOf<Policy, T>::type;

/// Calls visit for each parameter of a State that is trained. @param state  of scalar type T
template <class T, class State, class Visit>
void for_each_trained_parameter(State& state, const Visit& visit) {
  state.for_each_parameter([&](const ParameterView<T>& parameter) {
    if (parameter.trained) visit(parameter);
  });
}

namespace detail {

template <class Policy, class T>
concept StateIsTemplate = !names_State<Policy> || requires { typename Policy::template State<T>; };
template <class Policy, class T>
concept StateConstructible =
    std::is_same_v<state_t<Policy, T>, Stateless<Policy>> ||
    std::constructible_from<state_t<Policy, T>, const Policy&, const StateContext&>;
template <class State>
concept StateCopiesInto = std::is_empty_v<State> ||
                          std::constructible_from<State, const State&, std::pmr::memory_resource*>;
/// Not a lambda, because nvcc 13 does not accept one in a requirement.
struct AnyVisit {
  template <class T>
  void operator()(const ParameterView<T>& /*parameter*/) const noexcept {}
};
template <class Policy, class T>
concept StateVisitable =
    requires(state_t<Policy, T>& state, const AnyVisit& visit) { state.for_each_parameter(visit); };

// A static_assert for each of these requirements.
#define PRISM_STATE_CONTRACT(P, T, X, KIND)                                                      \
  static_assert(::prism::detail::StateIsTemplate<P, T>,                                          \
                KIND "'s State, if it has one, must be: template <class T> struct State");       \
  static_assert(::prism::detail::StateConstructible<P, T>, KIND                                  \
                "'s State must be constructible from the policy and a StateContext: "            \
                "State(const MyPolicy&, const StateContext&)");                                  \
  static_assert(std::copyable<::prism::state_t<P, T>>, KIND "'s State must be copyable");        \
  static_assert(::prism::detail::StateVisitable<P, T>, KIND                                      \
                "'s State must visit each parameter as a ParameterView<T>: "                     \
                "template <class Visit> void for_each_parameter(const Visit& visit)");           \
  static_assert(!DeviceExecution<X> || ::prism::detail::StateCopiesInto<::prism::state_t<P, T>>, \
                KIND                                                                             \
                "'s State must be copyable into a device's memory: "                             \
                "State(const State&, std::pmr::memory_resource*)")

}  // namespace detail

/// Whether a policy's State, if it has one, meets the requirements above.
/// @tparam X  execution
template <class Policy, class T, class X = Host<>>
concept TrainableState =
    detail::StateIsTemplate<Policy, T> && std::copyable<state_t<Policy, T>> &&
    detail::StateConstructible<Policy, T> && detail::StateVisitable<Policy, T> &&
    (!DeviceExecution<X> || detail::StateCopiesInto<state_t<Policy, T>>);

/// Constructs a policy's State.
template <class T, class Policy>
[[nodiscard]] state_t<Policy, T> make_state(const Policy& policy, const StateContext& context) {
  if constexpr (std::is_same_v<state_t<Policy, T>, Stateless<Policy>>) {
    return {};
  } else {
    return state_t<Policy, T>(policy, context);
  }
}

/// A copy of a State in `memory`, if it has a constructor for that; otherwise in host memory, where
/// its copy constructor puts it.
/// @param memory  null for table_memory()
template <class State>
[[nodiscard]] State copy_of_state(const State& state, std::pmr::memory_resource* memory) {
  if constexpr (detail::StateCopiesInto<State> && !std::is_empty_v<State>) {
    return State(state, memory);
  } else {
    return state;
  }
}

}  // namespace prism::inline PRISM_ISA
