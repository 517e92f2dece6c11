// SPDX-License-Identifier: BSD-3-Clause
// Row indices, and `dynamic` for a policy parameter that is given at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// A user's or an item's row in its table, 0-based.
using Index = std::uint32_t;

/// No row.
inline constexpr Index absent = std::numeric_limits<Index>::max();

/// The most rows a table may have.
inline constexpr std::size_t max_rows = absent;

struct dynamic_t {
  /// As a dimension: `MF<dynamic>`.
  constexpr operator std::size_t() const noexcept {
    return std::numeric_limits<std::size_t>::max();
  }
};

/// As a policy's template parameter: the value is a member, given at run time.
inline constexpr dynamic_t dynamic{};

/// A real number as a template parameter: a structural type, because clang accepts `double` as the
/// type of a template parameter only from version 18.
struct real {
  double value;
  bool is_dynamic = false;

  // Adding zero turns -0.0 into 0.0, so that both give the same type.
  constexpr real(double v) noexcept : value(v + 0.0) {}
  constexpr real(dynamic_t) noexcept : value(0), is_dynamic(true) {}
  /// For nvcc, which writes a template argument out for the host's compiler as a braced list of its
  /// members.
  constexpr real(double v, bool given_at_run_time) noexcept
      : value(v), is_dynamic(given_at_run_time) {}
};

}  // namespace prism::inline PRISM_ISA
