// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/policy/initializer.hpp"

namespace prism::inline PRISM_ISA {

/// Uniform in +-sqrt(6 / (rows + dim)). Glorot, Bengio: "Understanding the difficulty of training
/// deep feedforward neural networks", AISTATS 2010.
struct Xavier {
  static constexpr std::string_view name = "Xavier";

  template <class T>
  void operator()(Rows<T> table, std::span<const Index> /*popularity*/,
                  const Random& random) const {
    const double bound = std::sqrt(6.0 / static_cast<double>(table.size() + table.dim()));
    constexpr std::size_t grain = 1 << 14;
    parallel_chunks(table.elements(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        table.data()[i] = static_cast<T>(bound * (2.0 * random.uniform(i) - 1.0));
      }
    });
  }
};

static_assert(InitializerPolicy<Xavier>);

}  // namespace prism::inline PRISM_ISA
