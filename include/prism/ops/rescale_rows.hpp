// SPDX-License-Identifier: BSD-3-Clause
// Copies of rows with other magnitudes.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/power.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// to[r] = from[r] with the magnitude m[r] |from[r]|^exponent. Rows whose squared magnitude is 0
/// are copied as they are.
/// @param m   readable on the execution; empty: 1 for each row
/// @param to  of the same shape
/// @return the number of rows that cannot be rescaled: their magnitude is not finite before or
///     after, or is 0 after; their values in `to` are unspecified
template <class T, Execution X>
[[nodiscard]] std::size_t rescale_rows(const X& exec, Rows<const T> from, std::span<const T> m,
                                       double exponent, Rows<T> to) {
  constexpr std::size_t grain = 256;
  const double failed =
      sum_over_rows(exec, from.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) -> double {
        using Isa = typename X::isa;
        const std::size_t dim = from.dim();
        const T magnitude = norm<Isa>(from[r], dim);
        if (!is_finite(magnitude)) return 1;
        if (magnitude == 0) {
          copy<Isa>(to[r], from[r], dim);  // a product could make denormal numbers 0
          return 0;
        }
        // First the unit row: the quotient of the magnitudes could overflow where they do not.
        scale<Isa>(to[r], T{1} / magnitude, from[r], dim);
        T wanted = m.empty() ? T{1} : m[r];
        if (exponent != 0) {
          wanted *= static_cast<T>(elementary::pow(static_cast<double>(magnitude), exponent));
        }
        scale<Isa>(to[r], wanted, to[r], dim);
        return is_finite(wanted) && wanted > 0 ? 0 : 1;
      });
  return static_cast<std::size_t>(failed);
}

}  // namespace prism::inline PRISM_ISA::detail
