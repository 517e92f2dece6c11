// SPDX-License-Identifier: BSD-3-Clause
// Trainable state that is neither of the two tables: a tower's weights, MAWU's margins, MACR's
// heads. A policy that has such state nests `template <class T> struct State`; the trainer steps
// its parameters with the same optimizer and the same decay as the tables.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

/// Which of a parameter's rows a batch gives a gradient.
enum class ParameterRows {
  all,    // each step, every row
  users,  // the batch's users: one row a user
  items,  // the batch's items: one row an item
};

/// A trainable matrix, a table or a parameter of a policy's State: its values, and what training
/// has to know of them. Gradients live in the step.
template <class T>
struct ParameterView {
  Rows<T> rows;
  ParameterRows reached = ParameterRows::all;
  /// After each step every number is brought back into [lowest, highest].
  T lowest = -unbounded<T>;
  T highest = unbounded<T>;

  /// Whether there is anything to bring back.
  [[nodiscard]] bool bounded() const noexcept {
    return lowest > -unbounded<T> || highest < unbounded<T>;
  }
};

/// What a State is made from.
struct StateContext {
  const Interactions& train;
  std::size_t dim;  // of output rows
  std::uint64_t seed;
  /// The part of a model that the State belongs to, so that no two of them draw the same numbers.
  Stream stream = Stream::loss;
  /// Where its values lie; null for table_memory().
  std::pmr::memory_resource* memory = nullptr;

  /// The State's own sequence of draws.
  [[nodiscard]] Random random() const noexcept { return {seed, stream}; }
};

/// The State of a policy that has none. A type for each policy, so that two of them share their
/// address and take no room.
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

/// Policy::State<T>, or Stateless<Policy>. A State is copyable, is constructed from (const Policy&,
/// const StateContext&), and has for_each_parameter(visit), which calls visit(ParameterView<T>) for
/// each of its parameters, always in the same order.
template <class Policy, class T>
using state_t = typename detail::StateOf<Policy, T>::type;

namespace detail {

template <class Policy, class T>
concept StateIsTemplate = !names_State<Policy> || requires {
  typename Policy::template State<T>;
};
template <class Policy, class T>
concept StateConstructible = std::is_same_v<state_t<Policy, T>, Stateless<Policy>> ||
                             std::constructible_from < state_t<Policy, T>,
const Policy&, const StateContext& > ;
template <class Policy, class T>
concept StateVisitable = requires(state_t<Policy, T>& state) {
  state.for_each_parameter([](const ParameterView<T>&) {});
};

// The same in words.
#define PRISM_STATE_CONTRACT(P, T, KIND)                                                      \
  static_assert(::prism::detail::StateIsTemplate<P, T>,                                       \
                KIND "'s State, where it has one, must be: template <class T> struct State"); \
  static_assert(::prism::detail::StateConstructible<P, T>, KIND                               \
                "'s State must be made from the policy and a StateContext: "                  \
                "State(const MyPolicy&, const StateContext&)");                               \
  static_assert(std::copyable<::prism::state_t<P, T>>, KIND "'s State must be copyable");     \
  static_assert(::prism::detail::StateVisitable<P, T>, KIND                                   \
                "'s State must show what is trained, a ParameterView<T> each: "               \
                "template <class Visit> void for_each_parameter(const Visit& visit)")

}  // namespace detail

/// Whether a policy's State, if it has one, has what is asked above.
template <class Policy, class T>
concept TrainableState = detail::StateIsTemplate<Policy, T> && std::copyable<state_t<Policy, T>> &&
    detail::StateConstructible<Policy, T> && detail::StateVisitable<Policy, T>;

/// Constructs a policy's State.
template <class T, class Policy>
[[nodiscard]] state_t<Policy, T> make_state(const Policy& policy, const StateContext& context) {
  if constexpr (std::is_same_v<state_t<Policy, T>, Stateless<Policy>>) {
    return {};
  } else {
    return state_t<Policy, T>(policy, context);
  }
}

}  // namespace prism::inline PRISM_ISA
