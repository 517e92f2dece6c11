// SPDX-License-Identifier: BSD-3-Clause
// A device whose blocks, warps and lanes run from the last to the first: a result that differs from
// serial_grid's depends on an order that no device guarantees.
#pragma once

#include <cstddef>
#include <prism/execution/serial_grid.hpp>

namespace test {

struct ReversedGrid {
  using isa = prism::isa::emulated_warp;
};

inline constexpr ReversedGrid reversed_grid{};

template <class Kernel>
struct ReversedBlocks {
  using Shared = typename Kernel::Shared;
  std::size_t blocks;
  const Kernel& kernel;

  template <class Block>
  void operator()(const Block& block, Shared& shared, std::size_t i) const {
    kernel(block, shared, blocks - 1 - i);
  }
};

}  // namespace test

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_device<test::ReversedGrid> = true;

template <>
struct Backend<test::ReversedGrid> : Backend<SerialGrid> {
  template <class Body>
  static void on_warps(const auto& exec, std::size_t n, const Body& body) {
    Backend<SerialGrid>::on_warps(exec, n, [&](std::size_t i) { body(n - 1 - i); });
  }
  template <class Body>
  static void on_lanes(const auto& exec, std::size_t n, const Body& body) {
    on_warps(exec, n, body);
  }
  template <class Kernel>
  static void on_blocks(const auto& exec, std::size_t n, const Kernel& kernel) {
    Backend<SerialGrid>::on_blocks(exec, n, test::ReversedBlocks<Kernel>{n, kernel});
  }
};

}  // namespace prism::inline PRISM_ISA
