// SPDX-License-Identifier: BSD-3-Clause
// The options of the library's policies by name: for checkpoints, which record them, and for
// tuning, which sets them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/policy/contract.hpp"
#include "prism/policy/label.hpp"

namespace prism::inline PRISM_ISA {

/// Calls visit(name, option) for each numeric option of a policy itself, not of its parts. Only
/// options with the names below are found; a user-defined policy with other options has to state
/// them in its label(), and they cannot be tuned by name.
template <class Policy, class Visit>
void for_each_option(Policy& policy, const Visit& visit) {
#define PRISM_OPTION(option)                                              \
  if constexpr (requires { policy.option; }) {                            \
    using Value = decltype(policy.option);                                \
    /* A constant of that name is no option. */                           \
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) { \
      if constexpr (!std::is_const_v<Value>) {                            \
        visit(std::string_view(#option), policy.option);                  \
      }                                                                   \
    }                                                                     \
  }
  PRISM_OPTION(alpha)
  PRISM_OPTION(average_positives)
  PRISM_OPTION(beta)
  PRISM_OPTION(beta1)
  PRISM_OPTION(beta2)
  PRISM_OPTION(broadcast)
  PRISM_OPTION(c)
  PRISM_OPTION(constant_weight)
  PRISM_OPTION(duplicates)
  PRISM_OPTION(epsilon)
  PRISM_OPTION(gamma)
  PRISM_OPTION(gamma1)
  PRISM_OPTION(gamma2)
  PRISM_OPTION(k)
  PRISM_OPTION(lambda)
  PRISM_OPTION(log_q)
  PRISM_OPTION(margin)
  PRISM_OPTION(mask)
  PRISM_OPTION(negatives)
  PRISM_OPTION(own_weight)
  PRISM_OPTION(pair_mean)
  PRISM_OPTION(power)
  PRISM_OPTION(quantile_negatives)
  PRISM_OPTION(rate)
  PRISM_OPTION(refresh_epochs)
  PRISM_OPTION(scale)
  PRISM_OPTION(sums)
  PRISM_OPTION(surrogate)
  PRISM_OPTION(tau)
  PRISM_OPTION(tau1)
  PRISM_OPTION(tau2)
  PRISM_OPTION(tau_d)
  PRISM_OPTION(tau_w)
  PRISM_OPTION(w1)
  PRISM_OPTION(w2)
  PRISM_OPTION(w3)
  PRISM_OPTION(w4)
  PRISM_OPTION(weight)
#undef PRISM_OPTION
}

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
