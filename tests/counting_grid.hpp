// SPDX-License-Identifier: BSD-3-Clause
// serial_grid that counts the loops that are begun on it, and how often the host waits for them.
#pragma once

#include <cstddef>
#include <prism/core/config.hpp>
#include <prism/core/execution.hpp>
#include <prism/execution/serial_grid.hpp>

namespace test {

struct CountingGrid {
  using isa = prism::isa::emulated_warp;
};

inline constexpr CountingGrid counting_grid{};

struct DeviceCounts {
  std::size_t loops = 0;
  std::size_t waits = 0;
};
inline DeviceCounts device_counts;

}  // namespace test

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_device<test::CountingGrid> = true;

template <>
struct Backend<test::CountingGrid> : Backend<SerialGrid> {
  template <class Body>
  static void on_warps(const auto& exec, std::size_t n, const Body& body) {
    if (n > 0) ++test::device_counts.loops;
    Backend<SerialGrid>::on_warps(exec, n, body);
  }
  template <class Body>
  static void on_lanes(const auto& exec, std::size_t n, const Body& body) {
    on_warps(exec, n, body);
  }
  // As cuda::device() does it: the terms, then their sum, which the host waits for.
  template <class Body>
  [[nodiscard]] static double sum_on_warps(const auto& exec, std::size_t n, const Body& body) {
    test::device_counts.loops += 2;
    ++test::device_counts.waits;
    return Backend<SerialGrid>::sum_on_warps(exec, n, body);
  }
  template <class Kernel>
  static void on_blocks(const auto& exec, std::size_t n, const Kernel& kernel) {
    if (n > 0) ++test::device_counts.loops;
    Backend<SerialGrid>::on_blocks(exec, n, kernel);
  }
  static void synchronise(const auto& /*exec*/) noexcept { ++test::device_counts.waits; }
};

}  // namespace prism::inline PRISM_ISA
