// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "prism/core/config.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/regularizer.hpp"

namespace prism::inline PRISM_ISA {

/// Decays each row of the batch, negatives included, once per training step (the paper).
struct BatchedWD {
  static constexpr std::string_view name = "BatchedWD";

  double lambda = 1e-6;

  static constexpr auto options =
      option_table(option<&BatchedWD::lambda>("lambda", domain::non_negative));

  [[nodiscard]] constexpr double weight_decay(bool active) const noexcept {
    return active ? lambda : 0;
  }
};

static_assert(RegularizerPolicy<BatchedWD>);

}  // namespace prism::inline PRISM_ISA
