// SPDX-License-Identifier: BSD-3-Clause
// What a policy is called.
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

}  // namespace prism::inline PRISM_ISA
