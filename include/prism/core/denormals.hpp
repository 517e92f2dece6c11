// SPDX-License-Identifier: BSD-3-Clause
// Denormal numbers flushed to zero.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// During its lifetime, this thread treats denormal numbers (in float, below 1.2e-38) as zero and
/// produces none. Training is full of them: the derivative of a well-ranked pair is of the order of
/// exp(-90), and Adam's first moment shrinks by a tenth in each step without a gradient. An
/// operation on a denormal number takes about a hundred times as long. Only x86 and 64-bit ARM have
/// this mode; elsewhere the class does nothing.
class FlushDenormals {
 public:
  FlushDenormals() noexcept : previous_(control()) { set_control(previous_ | flush_bits); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
  ~FlushDenormals() { set_control(previous_); }

 private:
#if defined(__SSE2__)
  using Control = std::uint32_t;
  static constexpr Control flush_bits = 0x8040;  // flush to zero, denormals are zero
  static Control control() noexcept { return _mm_getcsr(); }
  static void set_control(Control value) noexcept { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  static constexpr Control flush_bits = 1U << 24;  // FPCR.FZ
  static Control control() noexcept {
    Control value = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_control(Control value) noexcept { __asm__ volatile("msr fpcr, %0" ::"r"(value)); }
#else
  using Control = std::uint32_t;
  static constexpr Control flush_bits = 0;
  static Control control() noexcept { return 0; }
  static void set_control(Control) noexcept {}
#endif

  Control previous_;
};

}  // namespace prism::inline PRISM_ISA
