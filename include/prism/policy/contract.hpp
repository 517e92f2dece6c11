// SPDX-License-Identifier: BSD-3-Clause
// Shared parts of the contracts of all kinds of policies. A contract is a concept, and a function
// (check_loss and the like) with a static_assert for each of its requirements, whose message names
// what is missing.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

template <class P>
concept Derivable = std::is_class_v<P> && !std::is_final_v<P>;

// names_MEMBER<P>: whether P has a member of that name, even a private one, a template, or one of
// the wrong type or signature; otherwise an optional function with a wrong signature would be
// silently ignored. In a class derived from P and from Decoy the name is ambiguous if P has it. For
// a final P, which cannot be derived from, only public members that are not templates are found.
#define PRISM_NAMES_MEMBER(member)                                                        \
  struct Decoy_##member {                                                                 \
    int member;                                                                           \
  };                                                                                      \
  template <class P>                                                                      \
  struct Probe_##member : P, Decoy_##member {};                                           \
  template <class P>                                                                      \
  concept names_##member = (Derivable<P> && !requires { &Probe_##member<P>::member; }) || \
                           (!Derivable<P> && requires { &P::member; })

PRISM_NAMES_MEMBER(State);
PRISM_NAMES_MEMBER(apply_deferred);
PRISM_NAMES_MEMBER(begin_epoch);
PRISM_NAMES_MEMBER(check);
PRISM_NAMES_MEMBER(finite);
PRISM_NAMES_MEMBER(flush);
PRISM_NAMES_MEMBER(label);
PRISM_NAMES_MEMBER(learning_rate_of_step);
PRISM_NAMES_MEMBER(listwise);
PRISM_NAMES_MEMBER(log_probability);
PRISM_NAMES_MEMBER(negative);
PRISM_NAMES_MEMBER(negatives);
PRISM_NAMES_MEMBER(options);
PRISM_NAMES_MEMBER(output_dim);
PRISM_NAMES_MEMBER(pairwise);
PRISM_NAMES_MEMBER(positive);
PRISM_NAMES_MEMBER(ranking_rule);
PRISM_NAMES_MEMBER(shared);
PRISM_NAMES_MEMBER(traits);
#undef PRISM_NAMES_MEMBER

/// Whether P::traits is a constant of type Traits.
template <class P, class Traits>
concept ConstantTraits = requires {
  requires std::same_as<decltype(P::traits), const Traits>;
  typename std::bool_constant<(static_cast<void>(Traits(P::traits)), true)>;
};

template <class P>
concept HasName = requires {
  { P::name } -> std::convertible_to<std::string_view>;
  requires !std::is_member_pointer_v<decltype(&P::name)>;
};

template <class P>
concept LabelFits = !names_label<P> || requires(const P& policy) {
  { policy.label() } -> std::convertible_to<std::string>;
};

template <class P>
concept CheckFits = !names_check<P> || requires(const P& policy) {
  { policy.check() } -> std::same_as<void>;
};

template <class P>
concept OptionsFit = !names_options<P> || HasOptionTable<P>;

/// The requirements of every kind of policy.
template <class P>
concept AnyPolicy = std::copyable<P> && HasName<P> && LabelFits<P> && CheckFits<P> && OptionsFit<P>;

// A static_assert for each of them. KIND is the kind of policy: "a loss".
#define PRISM_POLICY_CONTRACT(P, KIND)                                                    \
  static_assert(std::copyable<P>, KIND " must be copyable, and assignable from another"); \
  static_assert(::prism::detail::HasName<P>,                                              \
                KIND " must have a name: static constexpr std::string_view name");        \
  static_assert(::prism::detail::LabelFits<P>,                                            \
                KIND "'s label, if it has one, must be: std::string label() const");      \
  static_assert(::prism::detail::CheckFits<P>,                                            \
                KIND "'s check, if it has one, must be: void check() const");             \
  static_assert(::prism::detail::OptionsFit<P>, KIND                                      \
                "'s options, if it names them, must be: static constexpr auto "           \
                "options = option_table(option<&P::tau>(\"tau\", domain::positive))")

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
