// SPDX-License-Identifier: BSD-3-Clause
// Execution on one thread, in plain C++, without oneTBB or xsimd.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

template <>
struct Backend<Serial> {
  template <class Body>
  static void tasks(const auto& /*exec*/, std::size_t n, const Body& body) {
    const FlushDenormals flush;
    for (std::size_t i = 0; i < n; ++i) body(i);
  }
};

}  // namespace prism::inline PRISM_ISA
