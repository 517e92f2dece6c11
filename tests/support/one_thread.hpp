// SPDX-License-Identifier: BSD-3-Clause
// Executions on one thread with any instruction set, without oneTBB.
#pragma once

#include <cstddef>
#include <prism/core/denormals.hpp>
#include <prism/core/execution.hpp>

namespace test {

template <class Isa>
struct OneThread {
  using isa = Isa;
};

}  // namespace test

namespace prism::inline PRISM_ISA {

template <class Isa>
inline constexpr bool runs_on_host<test::OneThread<Isa>> = true;

template <class Isa>
struct Backend<test::OneThread<Isa>> {
  template <class Body>
  static void tasks(const test::OneThread<Isa>& /*exec*/, std::size_t n, const Body& body) {
    const FlushDenormals flush;
    for (std::size_t i = 0; i < n; ++i) body(i);
  }
};

}  // namespace prism::inline PRISM_ISA
