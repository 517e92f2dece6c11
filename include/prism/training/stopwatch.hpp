// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Wall-clock time since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace prism::inline PRISM_ISA::detail
