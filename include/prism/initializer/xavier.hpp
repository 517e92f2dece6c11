// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/ops/fill.hpp"
#include "prism/policy/initializer.hpp"

namespace prism::inline PRISM_ISA {

/// Uniform in +-sqrt(6 / (rows + dim)). Glorot, Bengio: "Understanding the difficulty of training
/// deep feedforward neural networks", AISTATS 2010.
struct Xavier {
  static constexpr std::string_view name = "Xavier";

  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> /*popularity*/,
                  const Random& random) const {
    fill_uniform(exec, table, xavier_bound(table.size(), table.dim()), random);
  }
};

static_assert(InitializerPolicy<Xavier>);

}  // namespace prism::inline PRISM_ISA
