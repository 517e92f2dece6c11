// SPDX-License-Identifier: BSD-3-Clause
// Optional members of every kind of policy.
#pragma once

#include <string>

#include "prism/core/config.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

/// A policy's name with its parameters: its label(), or its name if it has no label().
template <class Policy>
[[nodiscard]] std::string label(const Policy& policy) {
  if constexpr (detail::names_label<Policy>) {
    static_assert(detail::LabelFits<Policy>, "a policy's label must be: std::string label() const");
    return policy.label();
  } else {
    return std::string(Policy::name);
  }
}

/// Calls a policy's check(), if it has one; the constructor of a model calls it for each policy.
///   void check() const;
/// @throws ArgumentError  for an option outside its domain
template <class Policy>
void check_options(const Policy& policy) {
  if constexpr (detail::names_check<Policy>) {
    static_assert(detail::CheckFits<Policy>, "a policy's check must be: void check() const");
    policy.check();
  }
}

}  // namespace prism::inline PRISM_ISA
