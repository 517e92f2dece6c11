// SPDX-License-Identifier: BSD-3-Clause
// The options of policies and of the policies that they are composed of: checked, described for
// checkpoints and searches, and visited.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/policy/contract.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// Calls visit(kind, part) for each policy that is part of another: a loss and its penalty, the
/// base of an initializer, and a policy chosen at run time. A penalty has its own kind. A member of
/// such a name that is not a policy, such as a number, is not a part.
template <class Policy, class Visit>
void for_each_part(std::string_view kind, Policy& policy, const Visit& visit) {
  const auto visit_policy = [&]<class Part>(std::string_view part_kind, Part& part) {
    if constexpr (detail::HasName<std::remove_const_t<Part>>) visit(part_kind, part);
  };
  if constexpr (requires { policy.base; }) visit_policy(kind, policy.base);
  if constexpr (requires { policy.loss; }) visit_policy(kind, policy.loss);
  if constexpr (requires { policy.penalty; }) visit_policy("penalty", policy.penalty);
  if constexpr (requires { policy.visit([](auto&) {}); }) {
    policy.visit([&](auto& chosen) { visit(kind, chosen); });
  }
}

/// Checks the options in a policy's table, then those of its parts, then calls its own check(), if
/// it has one, for what a table cannot say:
///   void check() const;
/// The constructor of a model calls it for each policy.
/// @throws ArgumentError  for an option outside its domain; a penalty's is named "penalty.weight"
template <class Policy>
void check_options(const Policy& policy) {
  detail::check_option_table(policy);
  for_each_part("", policy, [](std::string_view kind, const auto& part) {
    if (kind.empty()) return prism::check_options(part);
    try {
      prism::check_options(part);
    } catch (const ArgumentError& error) {
      throw ArgumentError(std::string(kind) + "." + error.argument(), error.problem());
    }
  });
  if constexpr (detail::names_check<Policy>) {
    static_assert(detail::CheckFits<Policy>, "a policy's check must be: void check() const");
    policy.check();
  }
}

/// A policy's label and its options: "SSM, negatives 10, tau 0.2".
template <class Policy>
[[nodiscard]] std::string describe(const Policy& policy) {
  std::string text = prism::label(policy);
  for_each_option(policy, [&](std::string_view name, const auto& value) {
    text += ", " + std::string(name) + " " + format_number(static_cast<double>(value));
  });
  for_each_part("", policy,
                [&](std::string_view, const auto& part) { text += ", " + prism::describe(part); });
  return text;
}

namespace detail {

/// Calls visit(kind, policy) for each policy of a model's options.
template <class Options, class Visit>
void for_each_kind(Options& options, const Visit& visit) {
  visit("backbone", options.backbone);
  visit("loss", options.loss);
  visit("regularizer", options.regularizer);
  visit("initializer", options.initializer);
  visit("optimizer", options.optimizer);
  visit("sampler", options.sampler);
}

/// All policies of a model's options: "MF<64> + SSM, negatives 10, tau 0.2 + ...".
template <class Options>
[[nodiscard]] std::string describe_policies(const Options& options) {
  std::string text;
  for_each_kind(options, [&](std::string_view, const auto& policy) {
    text += (text.empty() ? "" : " + ") + prism::describe(policy);
  });
  return text;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
