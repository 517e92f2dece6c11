// SPDX-License-Identifier: BSD-3-Clause
// A device's grids on one thread of the host, without a device.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_emulated_warp.hpp"

namespace prism::inline PRISM_ISA {

template <>
struct Loops<SerialGrid> {
  using host = Serial;

  template <class Body>
  static void on_warps(std::size_t n, const Body& body) {
    Loops<Serial>::tasks(n, body);
  }
  template <class Body>
  static void on_lanes(std::size_t n, const Body& body) {
    Loops<Serial>::tasks(n, body);
  }
  template <class Body>
  [[nodiscard]] static double sum_on_warps(std::size_t n, const Body& body) {
    double total = 0;
    Loops<Serial>::tasks(n, [&](std::size_t i) { total += body(i); });
    return total;
  }
  static void synchronise() noexcept {}
  [[nodiscard]] static std::pmr::memory_resource* memory() noexcept { return table_memory(); }
  [[nodiscard]] static bool can_read(const void* /*address*/) noexcept { return true; }
};

}  // namespace prism::inline PRISM_ISA
