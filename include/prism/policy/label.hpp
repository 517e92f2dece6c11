// SPDX-License-Identifier: BSD-3-Clause
// What every kind of policy may have besides what its concept asks for.
#pragma once

#include <string>

#include "prism/core/config.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

/// A policy's name with its parameters: its label(), or its plain name.
template <class Policy>
[[nodiscard]] std::string label(const Policy& policy) {
  if constexpr (detail::names_label<Policy>) {
    static_assert(detail::LabelFits<Policy>, "a policy's label must be: std::string label() const");
    return policy.label();
  } else {
    return std::string(Policy::name);
  }
}

/// Has a policy look at its options: calls its check(), where it has one. In a policy,
///   void check() const;
/// throws an ArgumentError for an option outside its domain; a model calls it when it is made.
template <class Policy>
void check_options(const Policy& policy) {
  if constexpr (detail::names_check<Policy>) {
    static_assert(detail::CheckFits<Policy>, "a policy's check must be: void check() const");
    policy.check();
  }
}

}  // namespace prism::inline PRISM_ISA
