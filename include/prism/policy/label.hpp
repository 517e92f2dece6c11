// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// A policy's name with its parameters: its label(), or its plain name.
template <class Policy>
[[nodiscard]] std::string label(const Policy& policy) {
  if constexpr (requires { policy.label(); }) {
    return policy.label();
  } else {
    return std::string(Policy::name);
  }
}

}  // namespace prism::inline PRISM_ISA
