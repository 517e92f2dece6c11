// SPDX-License-Identifier: BSD-3-Clause
// A device's grids on one thread of the host, without a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_emulated_warp.hpp"
#include "prism/kernel/thread_block.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A block whose threads run one after another. Every other block runs them backwards, so that a
/// thread that reads what another stores in the same phase gets the old value in one block or the
/// next.
class EmulatedBlock {
 public:
  template <class T>
  class PerThread {
   public:
    explicit PerThread(const T& initial) { values_.fill(initial); }
    [[nodiscard]] T& operator[](unsigned thread) noexcept { return values_[thread]; }

   private:
    std::array<T, block_threads> values_;
  };

  explicit EmulatedBlock(bool backwards) noexcept : backwards_(backwards) {}

  template <class Body>
  void for_each_thread(const Body& body) const {
    for (unsigned i = 0; i < block_threads; ++i) body(backwards_ ? block_threads - 1 - i : i);
  }

 private:
  bool backwards_;
};

}  // namespace detail

template <>
struct Backend<SerialGrid> {
  [[nodiscard]] static Serial host_of(const auto& /*exec*/) noexcept { return {}; }

  template <class Body>
  static void on_warps(const auto& /*exec*/, std::size_t n, const Body& body) {
    Backend<Serial>::tasks(serial, n, body);
  }
  template <class Body>
  static void on_lanes(const auto& /*exec*/, std::size_t n, const Body& body) {
    Backend<Serial>::tasks(serial, n, body);
  }
  template <class Body>
  [[nodiscard]] static double sum_on_warps(const auto& /*exec*/, std::size_t n, const Body& body) {
    double total = 0;
    Backend<Serial>::tasks(serial, n, [&](std::size_t i) { total += body(i); });
    return total;
  }
  template <class Kernel>
  static void on_blocks(const auto& /*exec*/, std::size_t n, const Kernel& kernel) {
    using Shared = typename Kernel::Shared;
    static_assert(std::is_trivial_v<Shared> && sizeof(Shared) <= std::size_t{48} * 1024);
    Backend<Serial>::tasks(serial, n, [&](std::size_t i) {
      Shared shared;
      std::memset(&shared, 0xFF, sizeof(Shared));  // numbers that are read too early are NaN
      kernel(detail::EmulatedBlock(i % 2 != 0), shared, i);
    });
  }
  static void synchronise(const auto& /*exec*/) noexcept {}
  [[nodiscard]] static std::pmr::memory_resource* memory(const auto& /*exec*/) noexcept {
    return table_memory();
  }
  [[nodiscard]] static bool can_read(const auto& /*exec*/, const void* /*address*/) noexcept {
    return true;
  }
};

}  // namespace prism::inline PRISM_ISA
