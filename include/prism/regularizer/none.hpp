// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// No weight decay, for use with PRISM.
struct None {
  static constexpr std::string_view name = "None";

  [[nodiscard]] static constexpr double weight_decay(bool /*active*/) noexcept { return 0; }
};

static_assert(RegularizerPolicy<None>);

}  // namespace prism::inline PRISM_ISA
