// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Decays every row in every training step (the paper): torch.optim.Adam's weight_decay, the
/// field's default.
struct FullWD {
  static constexpr std::string_view name = "FullWD";

  double lambda = 1e-6;

  static constexpr auto options =
      option_table(option<&FullWD::lambda>("lambda", domain::non_negative));

  [[nodiscard]] constexpr double weight_decay(bool /*active*/) const noexcept { return lambda; }
};

static_assert(RegularizerPolicy<FullWD>);

}  // namespace prism::inline PRISM_ISA
